//! Circles between the files of a crate, read from the source.
//!
//! `cargo modules dependencies --acyclic` finds them too, but it compiles rust-analyzer to be installed, and it
//! considers modules: a parent and a child are a circle there as soon as the child uses anything of its parent.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::{Path, PathBuf},
};

use anyhow::Result;

use super::{
    crates::Crate,
    references::{Graph, graph},
};

/// The circles of the crate with this root, as messages. Paths are relative to `workspace`.
pub fn check(root: &Path, workspace: &Path) -> Result<Vec<String>> {
    let graph = graph(&Crate::read(root)?);
    Ok(circles(&graph).iter().map(|circle| message(circle, &graph, workspace)).collect())
}

/// `a.rs → b.rs → a.rs`, and the line of each step.
fn message(circle: &[PathBuf], graph: &Graph, workspace: &Path) -> String {
    let names: Vec<_> = circle.iter().map(|path| shown(path, workspace)).collect();
    let steps = circle.iter().zip(circle.iter().cycle().skip(1)).zip(&names);
    let lines: String = steps
        .map(|((from, to), name)| {
            let reference = &graph[from][to];
            format!("\n    {name}:{} uses `{}`", reference.line, reference.path)
        })
        .collect();
    format!("circle: {} → {}{lines}", names.join(" → "), names[0])
}

/// The shortest circle through each file that is part of one, without duplicates.
fn circles(graph: &Graph) -> BTreeSet<Vec<PathBuf>> {
    graph.keys().filter_map(|file| shortest(file, graph)).map(from_the_smallest).collect()
}

/// The shortest way from a file back to itself.
fn shortest(file: &PathBuf, graph: &Graph) -> Option<Vec<PathBuf>> {
    let mut previous = BTreeMap::new();
    let mut queue = VecDeque::from([file]);
    while let Some(current) = queue.pop_front() {
        for next in graph.get(current).into_iter().flatten().map(|(next, _)| next) {
            if next == file {
                let way = std::iter::successors(Some(current), |step| previous.get(*step).copied());
                let mut circle: Vec<_> = way.cloned().collect();
                circle.reverse();
                return Some(circle);
            }
            if !previous.contains_key(next) {
                previous.insert(next, current);
                queue.push_back(next);
            }
        }
    }
    None
}

/// The same circle, beginning with the file whose path is the smallest.
fn from_the_smallest(mut circle: Vec<PathBuf>) -> Vec<PathBuf> {
    let smallest = circle.iter().enumerate().min_by_key(|(_, path)| *path).map_or(0, |(index, _)| index);
    circle.rotate_left(smallest);
    circle
}

/// A path relative to the root of the workspace, with slashes.
fn shown(path: &Path, root: &Path) -> String {
    let (path, root) = (path.canonicalize().unwrap_or(path.to_owned()), root.canonicalize().unwrap_or(root.to_owned()));
    path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The circles of a crate with these files, the first of which is its root.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        check(&folder.path().join(files[0].0), folder.path()).unwrap()
    }

    const ROOT: (&str, &str) = ("lib.rs", "mod a; mod b; mod c;\npub use a::A;");

    #[test]
    fn two_files_that_use_each_other_are_reported_with_their_lines() {
        let files = [
            ROOT,
            ("a.rs", "use crate::b::B;\npub struct A(B);"),
            ("b.rs", "\n\npub struct B(crate::a::A);"),
            ("c.rs", ""),
        ];
        assert_eq!(
            found(&files),
            ["circle: a.rs → b.rs → a.rs\n    a.rs:1 uses `crate::b::B`\n    b.rs:3 uses `crate::a::A`"]
        );
    }

    /// On the way to a name, each import of everything leads to all others.
    #[test]
    fn names_are_found_where_modules_import_everything_from_each_other() {
        let names: Vec<_> = ('a'..='p').map(String::from).collect();
        let globs: String = names.iter().map(|name| format!("pub use crate::{name}::*;\n")).collect();
        let root: String = names.iter().map(|name| format!("mod {name};\n")).collect();
        let mut files = vec![("lib.rs".to_owned(), root)];
        for name in &names {
            let own = match name.as_str() {
                "a" => "pub struct A;\npub fn f() -> B { g::<Unknown>() }",
                "p" => "pub struct B(A);",
                _ => "",
            };
            files.push((format!("{name}.rs"), globs.clone() + own));
        }
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let found = found(&files);
        assert!(found.iter().any(|one| one.starts_with("circle: a.rs → p.rs → a.rs\n")), "{found:?}");
    }

    #[test]
    fn a_circle_of_three_is_reported_once() {
        let files = [
            ROOT,
            ("a.rs", "pub struct A; fn f() { crate::b::f() }"),
            ("b.rs", "use super::c; pub fn f() { c::f() }"),
            ("c.rs", "pub fn f() { let _ = vec![crate::A]; }"),
        ];
        let found = found(&files);
        assert!(found.len() == 1 && found[0].starts_with("circle: a.rs → b.rs → c.rs → a.rs\n"), "{found:?}");
    }

    #[test]
    fn a_reexport_is_followed_to_the_definition() {
        let files = [
            ROOT,
            ("a.rs", "pub struct A; use crate::b::f as g; fn h() { g() }"),
            ("b.rs", "pub fn f() -> crate::A { crate::A }"),
            ("c.rs", ""),
        ];
        assert!(found(&files)[0].starts_with("circle: a.rs → b.rs → a.rs"));
    }

    #[test]
    fn a_parent_that_declares_and_reexports_its_children_is_not_part_of_a_circle() {
        let files = [
            ("lib.rs", "mod a; mod b;\npub use a::A;\npub const LIMIT: u8 = 1;"),
            ("a.rs", "pub struct A(u8); pub(super) fn f() -> u8 { crate::LIMIT }"),
            ("b.rs", "fn f() -> crate::A { todo!() }"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }

    #[test]
    fn a_parent_that_uses_a_child_which_uses_the_parent_is_a_circle() {
        let files = [
            ("a/mod.rs", "mod rules;\npub struct Change;\npub fn run() -> Vec<Change> { rules::changes() }"),
            ("a/rules.rs", "use super::Change;\npub fn changes() -> Vec<Change> { Vec::new() }"),
        ];
        assert_eq!(
            found(&files),
            [
                "circle: a/mod.rs → a/rules.rs → a/mod.rs\n    a/mod.rs:3 uses `rules::changes`\n    a/rules.rs:1 uses `super::Change`"
            ]
        );
        let reexported = [
            ("lib.rs", "mod a;\npub use a::A;\npub struct B;\npub fn f() -> A { todo!() }"),
            ("a.rs", "pub struct A(super::B);"),
        ];
        assert!(found(&reexported)[0].contains("lib.rs:4 uses `A`"));
    }

    #[test]
    fn tests_quoted_code_and_other_crates_are_ignored() {
        let files = [
            ROOT,
            (
                "a.rs",
                "use serde::b::B; pub struct A; fn f() { quote!(crate::b::f()) } mod inner { use super::A; fn g(_: A) {} }",
            ),
            ("b.rs", "pub fn f(_: crate::A) {} #[cfg(test)] mod tests { use super::*; }"),
            ("c.rs", "#[cfg(test)] mod tests { use crate::b::f; } fn b(c: u8) { c.b() }"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }
}
