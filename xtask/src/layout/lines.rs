//! The lengths of source files, and the widths of comments.

use std::{fs, path::Path};

use anyhow::{Context, Result};

/// The maximum number of lines in a source file.
const SOURCE: usize = 300;
/// The maximum number of lines in a file in a folder `tests`.
const TEST: usize = 350;
/// The maximum width of a line with a comment, which rustfmt does not break.
const WIDTH: usize = 120;

/// Source files by the end of their name, with the beginning of a line comment.
const LANGUAGES: [(&str, &str); 12] = [
    ("rs", "//"),
    ("go", "//"),
    ("js", "//"),
    ("mjs", "//"),
    ("cjs", "//"),
    ("ts", "//"),
    ("mts", "//"),
    ("css", "/*"),
    ("html", "<!--"),
    ("py", "#"),
    ("sh", "#"),
    ("lua", "--"),
];

/// The number of source files below a folder, and what is wrong with them.
pub fn check(root: &Path) -> Result<(usize, Vec<String>)> {
    let (mut count, mut findings) = (0, Vec::new());
    visit(root, root, &mut |path, comment, text| {
        count += 1;
        findings.extend(file(path, comment, text));
    })?;
    findings.sort();
    Ok((count, findings))
}

fn file(path: &str, comment: &str, text: &str) -> Vec<String> {
    let is_test = path.split('/').any(|folder| folder == "tests");
    let (limit, what) = if is_test { (TEST, "test") } else { (SOURCE, "source") };
    let (length, mut findings) = (text.lines().count(), Vec::new());
    if length > limit {
        findings.push(format!("{path}: has {length} lines; a {what} file may have {limit}. Split it by concern"));
    }
    for (number, line) in text.lines().enumerate() {
        let width = line.chars().count();
        if width > WIDTH && has_comment(line, comment) {
            findings.push(format!("{path}:{}: the comment ends at column {width}; break it at {WIDTH}", number + 1));
        }
    }
    findings
}

/// Whether a line is a comment or ends with one.
fn has_comment(line: &str, comment: &str) -> bool {
    let trailing =
        || line.rsplit_once(&format!(" {comment} ")).is_some_and(|(_, text)| !text.contains(['"', '`', '\'']));
    line.trim_start().starts_with(comment) || trailing()
}

/// Calls `found(path, beginning of a comment, text)` for each source file.
fn visit(root: &Path, folder: &Path, found: &mut impl FnMut(&str, &str, &str)) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !["target", "node_modules", ".git"].contains(&&*name) {
                visit(root, &path, found)?;
            }
            continue;
        }
        let known = LANGUAGES.iter().find(|(end, _)| path.extension().is_some_and(|extension| extension == *end));
        // A script without an extension begins with its interpreter.
        let comment = known.map(|(_, comment)| *comment).or_else(|| path.extension().is_none().then_some("#"));
        let (Some(comment), Ok(text)) = (comment, fs::read_to_string(&path)) else { continue };
        if known.is_some() || text.starts_with("#!") {
            let path = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            found(&path, comment, &text);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_file_may_be_longer_than_a_source_file() {
        let (source, test) = ("\n".repeat(301), "\n".repeat(350));
        assert_eq!(
            file("src/a.rs", "//", &source),
            ["src/a.rs: has 301 lines; a source file may have 300. Split it by concern"]
        );
        assert_eq!(file("a/tests/b.rs", "//", &test), [""; 0]);
        assert_eq!(file("a/tests/b.rs", "//", &(test + "\n")).len(), 1);
    }

    #[test]
    fn a_wide_comment_is_reported_but_not_wide_code() {
        let long = "x".repeat(118);
        for (line, findings) in [
            (format!("/// {long}"), 1),
            (format!("    // {long}"), 1),
            (format!("a(); // {long}"), 1),
            (format!("// {}", "x".repeat(117)), 0),
            (format!("let a = \"{long}\";"), 0),
            (format!("let a = \"{long} // no comment\";"), 0),
        ] {
            assert_eq!(file("a.rs", "//", &line).len(), findings, "{line}");
        }
    }
}
