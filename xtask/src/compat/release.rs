//! Whether the version and the changelog announce a breaking change.

use anyhow::{Context, Result};
use semver::Version;
use toml_edit::DocumentMut;

use crate::{git::git, workspace::read};

/// What is missing, as parts of a sentence.
pub fn missing(base: &str) -> Result<Vec<String>> {
    let at_base = |path: &str| git(&["show", &format!("{base}:{path}")]).unwrap_or_default();
    let (before, after) = (version(&at_base("Cargo.toml"))?, version(&read("Cargo.toml")?)?);
    let mut missing = Vec::new();
    if !is_breaking(&before, &after) {
        missing
            .push(format!("the version in Cargo.toml goes from {before} to {after}; increase it to {}", next(&before)));
    }
    if !announces_breaking(&at_base("CHANGELOG.md"), &read("CHANGELOG.md")?) {
        missing.push(
            "CHANGELOG.md has no new line with the word \"breaking\"; add one that describes the change".to_owned(),
        );
    }
    Ok(missing)
}

fn version(manifest: &str) -> Result<Version> {
    let manifest: DocumentMut = manifest.parse().context("Cargo.toml is not valid TOML")?;
    let version = manifest.get("workspace").and_then(|workspace| workspace.get("package")?.get("version")?.as_str());
    version.context("Cargo.toml has no workspace.package.version")?.parse().context("the version is not valid SemVer")
}

/// Before 1.0, a new minor version is a breaking release.
fn is_breaking(before: &Version, after: &Version) -> bool {
    after.major > before.major || (before.major == 0 && after.minor > before.minor)
}

fn next(before: &Version) -> Version {
    match before.major {
        0 => Version::new(0, before.minor + 1, 0),
        major => Version::new(major + 1, 0, 0),
    }
}

fn announces_breaking(before: &str, after: &str) -> bool {
    let count = |text: &str| text.lines().filter(|line| mentions_breaking(line)).count();
    count(after) > count(before)
}

fn mentions_breaking(line: &str) -> bool {
    let line = line.to_lowercase();
    line.replace("non-breaking", "").replace("not breaking", "").contains("breaking")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breaking_release_increases_the_leftmost_nonzero_number() {
        for (before, after, breaks) in [
            ("0.1.0", "0.1.1", false),
            ("0.1.0", "0.2.0", true),
            ("0.1.0", "1.0.0", true),
            ("1.2.0", "1.3.0", false),
            ("1.2.0", "2.0.0", true),
        ] {
            let read = |text: &str| text.parse::<Version>().unwrap();
            assert_eq!(is_breaking(&read(before), &read(after)), breaks, "{before} to {after}");
        }
    }

    #[test]
    fn only_new_lines_of_the_changelog_count() {
        assert!(announces_breaking("- old\n", "- old\n- **Breaking**: it is gone\n"));
        assert!(!announces_breaking("- Breaking: old\n", "- Breaking: old\n- new\n"));
        assert!(announces_breaking("### Breaking\n", "### Breaking\n- now\n### Breaking\n"));
        assert!(!announces_breaking("", "- non-breaking: docs\n"));
    }
}
