//! Whether version and changelog say that a release breaks.

use std::fs;

use anyhow::{Context, Result};
use semver::Version;
use toml_edit::DocumentMut;

use super::git;
use crate::root;

/// What still has to be said, as ends of a sentence.
pub fn missing(base: &str) -> Result<Vec<String>> {
    let at_base = |path: &str| git(&["show", &format!("{base}:{path}")]).unwrap_or_default();
    let here = |path: &str| fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"));
    let (before, after) = (version(&at_base("Cargo.toml"))?, version(&here("Cargo.toml")?)?);
    let mut missing = Vec::new();
    if !says_breaking(&before, &after) {
        missing.push(format!("the version in Cargo.toml goes from {before} to {after}: raise it to {}", next(&before)));
    }
    if !newly_says_breaking(&at_base("CHANGELOG.md"), &here("CHANGELOG.md")?) {
        missing
            .push("CHANGELOG.md has no new line with the word \"breaking\": add one that says what breaks".to_owned());
    }
    Ok(missing)
}

fn version(manifest: &str) -> Result<Version> {
    let manifest: DocumentMut = manifest.parse().context("Cargo.toml is not TOML")?;
    let version = manifest.get("workspace").and_then(|workspace| workspace.get("package")?.get("version")?.as_str());
    version.context("Cargo.toml has no workspace.package.version")?.parse().context("the version is not one")
}

/// Before 1.0, a new minor version is the one that breaks.
fn says_breaking(before: &Version, after: &Version) -> bool {
    after.major > before.major || (before.major == 0 && after.minor > before.minor)
}

fn next(before: &Version) -> Version {
    match before.major {
        0 => Version::new(0, before.minor + 1, 0),
        major => Version::new(major + 1, 0, 0),
    }
}

fn newly_says_breaking(before: &str, after: &str) -> bool {
    let count = |text: &str| text.lines().filter(|line| line_says_breaking(line)).count();
    count(after) > count(before)
}

fn line_says_breaking(line: &str) -> bool {
    let line = line.to_lowercase();
    line.replace("non-breaking", "").replace("not breaking", "").contains("breaking")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_breaks_by_its_leftmost_number_that_is_not_zero() {
        for (before, after, breaks) in [
            ("0.1.0", "0.1.1", false),
            ("0.1.0", "0.2.0", true),
            ("0.1.0", "1.0.0", true),
            ("1.2.0", "1.3.0", false),
            ("1.2.0", "2.0.0", true),
        ] {
            let read = |text: &str| text.parse::<Version>().unwrap();
            assert_eq!(says_breaking(&read(before), &read(after)), breaks, "{before} to {after}");
        }
    }

    #[test]
    fn only_a_new_line_of_the_changelog_counts() {
        assert!(newly_says_breaking("- old\n", "- old\n- **Breaking**: it is gone\n"));
        assert!(!newly_says_breaking("- Breaking: old\n", "- Breaking: old\n- new\n"));
        assert!(newly_says_breaking("### Breaking\n", "### Breaking\n- now\n### Breaking\n"));
        assert!(!newly_says_breaking("", "- non-breaking: docs\n"));
    }
}
