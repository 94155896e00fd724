//! The changelog of the document, `openapi/CHANGELOG.md`: a person writes it, and `check` compares it with the verdicts
//! of `compat`.

mod changelog;
mod step;

use anyhow::{Context, Result};
use semver::Version;

use crate::{
    artefacts,
    compat::{Verdict, verdicts},
    git::{git, is_checkout},
    workspace::{DOCUMENT, read},
};
pub use changelog::CHANGELOG;
use changelog::{Section, Since};

/// What is missing in the changelog or contradicts the documents, with its line.
///
/// A released version is the document at the tag `vVERSION`. Without its tag, as in a shallow clone, a version is not
/// compared.
pub fn findings() -> Result<Vec<String>> {
    let document = artefacts::document()?;
    let version = document.as_value()["info"]["version"].as_str().context("the document has no `info.version`")?;
    let version =
        version.parse().with_context(|| format!("{DOCUMENT}: `info.version` is not a valid SemVer version"))?;
    let released = |version: &Version| {
        let tagged = || git(&["show", &format!("v{version}:{DOCUMENT}")]).ok();
        is_checkout().then(tagged).flatten()
    };
    compared(&read(CHANGELOG)?, (&version, &read(DOCUMENT)?), &released)
}

/// Compares a changelog with the current document and its version, and with those that were released.
fn compared(
    text: &str,
    (version, document): (&Version, &str),
    released: &dyn Fn(&Version) -> Option<String>,
) -> Result<Vec<String>> {
    let (sections, mut findings) = changelog::read(text);
    let mut add = |line: usize, finding: String| findings.push(format!("{CHANGELOG}:{line}: {finding}"));
    let numbered = || sections.iter().filter(|section| section.version.is_some());
    if numbered().next().and_then(|section| section.version.as_ref()) != Some(version) {
        add(1, format!("the newest version must be {version}, that of the document; add a section `## {version}`"));
    }
    let text_of = |section: &Section| match &section.version {
        None => Some(document.to_owned()),
        Some(of) => released(of).or_else(|| (of == version).then(|| document.to_owned())),
    };
    for pair in sections.windows(2) {
        let [after, before] = pair else { continue };
        let (line, Some(old)) = (after.line, &before.version) else { continue };
        if after.version.as_ref().is_some_and(|new| new <= old) {
            add(line, format!("versions must descend, but {old} follows"));
            continue;
        }
        let Some(Since { version: since, verdicts: told }) = &after.since else {
            add(line, format!("add a line such as `{}`", Since::example(old)));
            continue;
        };
        if since != old {
            add(line, format!("is compared with {since}, but the version before is {old}"));
        }
        if let (Some(before), Some(after)) = (text_of(before), text_of(after)) {
            let found = verdicts(&before, &after)?;
            if found != *told {
                add(line, format!("`compat` has other verdicts; write `{}`", Since::line(old, found)));
            }
        }
        let worst = told.iter().copied().max().unwrap_or(Verdict::Patch);
        if let Some(expected) = after.version.as_ref().and_then(|new| step::expected(old, new, worst)) {
            add(line, format!("a step whose worst verdict is {worst} leads from {old} to {expected}"));
        }
    }
    let unreleased = sections.first().is_some_and(|section| section.version.is_none());
    if let (false, Some(before)) = (unreleased, released(version)) {
        let found = verdicts(&before, document)?;
        if found != [Verdict::Patch; 3] {
            let line = Since::line(version, found);
            add(1, format!("the document differs from version {version}; add a section `## Unreleased` with `{line}`"));
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests;
