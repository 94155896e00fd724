//! Which files of a crate use which others, and where.

use std::{collections::BTreeMap, path::PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, ItemUse, Macro, Visibility,
    visit::{self, Visit},
};

use super::crates::{Crate, Import, imports, line};

/// Files, with the files that each uses, and the first line that does so.
pub type Graph = BTreeMap<PathBuf, BTreeMap<PathBuf, Reference>>;

/// A line that names something from another file.
pub struct Reference {
    pub line: usize,
    pub path: String,
}

/// The macros whose tokens are code for another crate.
const QUOTING: [&str; 4] = ["quote", "quote_spanned", "parse_quote", "parse_quote_spanned"];

/// The references between the files of a crate.
///
/// A file uses another if its code names a constant, function, type, trait or macro that is defined there, even through
/// a re-export elsewhere. Declaring a child module is not a use, and neither is re-exporting something from one, or
/// importing a module without naming anything in it.
pub fn graph(source: &Crate) -> Graph {
    let mut graph = Graph::new();
    for (index, module) in source.modules.iter().enumerate() {
        let mut visitor = References { source, module: index, graph: &mut graph };
        module.items.iter().for_each(|item| visitor.visit_item(item));
    }
    graph
}

/// What a path leads to: something that is defined in a module, or the module itself.
#[derive(Clone, Copy)]
struct Target {
    module: usize,
    is_module: bool,
}

struct References<'a> {
    source: &'a Crate,
    module: usize,
    graph: &'a mut Graph,
}

impl References<'_> {
    fn import(&mut self, import: &Import) {
        let Some(target) = self.source.resolve(self.module, &import.path) else { return };
        let reexport = import.is_public && self.source.is_inside(target.module, self.module);
        // The names that a glob brings are not known from the code that uses them.
        if !reexport && (!target.is_module || import.name.is_none()) {
            self.add(target.module, import.line, &import.path);
        }
    }

    fn path(&mut self, path: &[String], line: usize) {
        // A single lower-case name is a module or a variable unless it is imported.
        let imported = || self.source.modules[self.module].imports.iter().any(|i| i.name.as_ref() == path.first());
        if path.len() == 1 && !imported() {
            return;
        }
        if let Some(target) = self.source.resolve(self.module, path).filter(|target| !target.is_module) {
            self.add(target.module, line, path);
        }
    }

    fn add(&mut self, target: usize, line: usize, path: &[String]) {
        let file = |module: usize| &self.source.modules[module].file;
        let (from, to) = (file(self.module).clone(), file(target).clone());
        if from != to {
            let uses = self.graph.entry(from).or_default();
            uses.entry(to).or_insert_with(|| Reference { line, path: path.join("::") });
        }
    }

    /// The paths in the tokens of a macro: names with `::` between them.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut begin, mut colons, mut is_member) = (Vec::new(), 0, 0, false);
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Ident(ident) => {
                    if colons != 2 || path.is_empty() {
                        self.path(&std::mem::take(&mut path), begin);
                        begin = line(&ident);
                    }
                    if !is_member {
                        path.push(ident.to_string());
                    }
                    (colons, is_member) = (0, false);
                }
                other => {
                    self.path(&std::mem::take(&mut path), begin);
                    is_member = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '.');
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.path(&path, begin);
    }
}

impl<'ast> Visit<'ast> for References<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(first) = path.segments.first().filter(|_| path.leading_colon.is_none()) {
            let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.path(&names, line(&first.ident));
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.visit_path(&called.path);
        if called.path.segments.last().is_some_and(|last| !QUOTING.iter().any(|name| last.ident == name)) {
            self.tokens(called.tokens.clone());
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        imports(item).iter().for_each(|import| self.import(import));
    }

    // `pub(super)` and attributes use nothing of the module that they name.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

/// What the names on one path lead to, as far as known; `None` while that is being found out, against imports that lead
/// back to themselves. Without it, modules that import everything from each other take exponential time.
type Seen = BTreeMap<(usize, String, bool), Option<Target>>;

impl Crate {
    /// What a path in a module leads to; `None` for other crates and for names that are not in the source.
    fn resolve(&self, module: usize, path: &[String]) -> Option<Target> {
        self.resolve_within(module, path, &mut Seen::new())
    }

    fn resolve_within(&self, module: usize, path: &[String], seen: &mut Seen) -> Option<Target> {
        let mut target = Target { module, is_module: true };
        for (index, name) in path.iter().enumerate() {
            target.module = match name.as_str() {
                "crate" => 0,
                "self" => target.module,
                "super" => self.modules[target.module].parent?,
                name => {
                    target = self.name(target.module, name, index + 1 == path.len(), seen)?;
                    if !target.is_module {
                        return Some(target);
                    }
                    target.module
                }
            };
        }
        Some(target)
    }

    /// A name in a module. At the end of a path, a definition takes precedence over a module of the same name.
    fn name(&self, module: usize, name: &str, is_last: bool, seen: &mut Seen) -> Option<Target> {
        let key = (module, name.to_owned(), is_last);
        if let Some(known) = seen.get(&key) {
            return *known;
        }
        seen.insert(key.clone(), None);
        let scope = &self.modules[module];
        let child = || scope.children.get(name).map(|child| Target { module: *child, is_module: true });
        let defined = || scope.definitions.contains(name).then_some(Target { module, is_module: false });
        let found = if is_last {
            defined()
                .or_else(|| self.imported(module, name, is_last, seen))
                .or_else(|| self.globbed(module, name, is_last, seen))
                .or_else(child)
        } else {
            child()
                .or_else(|| self.imported(module, name, is_last, seen))
                .or_else(defined)
                .or_else(|| self.globbed(module, name, is_last, seen))
        };
        seen.insert(key, found);
        found
    }

    /// What a module imports under a name.
    fn imported(&self, module: usize, name: &str, is_last: bool, seen: &mut Seen) -> Option<Target> {
        let named = self.modules[module].imports.iter().filter(|import| import.name.as_deref() == Some(name));
        let targets: Vec<_> = named.filter_map(|import| self.resolve_within(module, &import.path, seen)).collect();
        targets.iter().find(|target| target.is_module != is_last).or(targets.first()).copied()
    }

    /// What a module has under a name by importing everything from another.
    fn globbed(&self, module: usize, name: &str, is_last: bool, seen: &mut Seen) -> Option<Target> {
        let globs = self.modules[module].imports.iter().filter(|import| import.name.is_none());
        globs.into_iter().find_map(|import| {
            let target = self.resolve_within(module, &import.path, seen)?;
            if target.module == module { None } else { self.name(target.module, name, is_last, seen) }
        })
    }

    /// Whether a module is below another.
    fn is_inside(&self, module: usize, ancestor: usize) -> bool {
        let mut parents = std::iter::successors(self.modules[module].parent, |parent| self.modules[*parent].parent);
        parents.any(|parent| parent == ancestor)
    }
}
