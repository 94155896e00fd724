//! The format of the changelog: a section per version, each with a line that has the verdicts.

use semver::Version;

use crate::compat::Verdict;

/// The file.
pub const CHANGELOG: &str = "openapi/CHANGELOG.md";

/// The heading of the changes after the newest version.
const UNRELEASED: &str = "Unreleased";

/// Those who are affected, as the line names them, in the order of the verdicts.
const AFFECTED: [&str; 3] = ["Rust users", "senders of JSON", "receivers of callbacks"];

/// The changes of one version.
pub struct Section {
    /// The number of the line with its heading.
    pub line: usize,
    /// `None` for what is unreleased.
    pub version: Option<Version>,
    pub since: Option<Since>,
}

/// The verdicts on a version.
pub struct Since {
    /// The version before.
    pub version: Version,
    pub verdicts: [Verdict; 3],
}

impl Since {
    /// `Since 0.1.0: Rust users minor, senders of JSON minor, receivers of callbacks patch.`
    pub fn line(version: &Version, verdicts: [Verdict; 3]) -> String {
        let parts: Vec<_> = AFFECTED.iter().zip(verdicts).map(|(who, verdict)| format!("{who} {verdict}")).collect();
        format!("Since {version}: {}.", parts.join(", "))
    }

    pub fn example(version: &Version) -> String {
        Self::line(version, [Verdict::Patch; 3])
    }

    fn read(line: &str) -> Option<Self> {
        let (version, rest) = line.strip_prefix("Since ")?.split_once(": ")?;
        let parts: Vec<_> = rest.strip_suffix('.')?.split(", ").collect();
        let [rust, senders, receivers] = parts.as_slice() else { return None };
        let verdict = |part: &str, who: &str| {
            let word = part.strip_prefix(who)?.strip_prefix(' ')?;
            [Verdict::Patch, Verdict::Minor, Verdict::Breaking].into_iter().find(|known| known.to_string() == word)
        };
        let [first, second, third] = AFFECTED;
        let verdicts = [verdict(rust, first)?, verdict(senders, second)?, verdict(receivers, third)?];
        Some(Self { version: version.parse().ok()?, verdicts })
    }
}

/// The sections in their order, and headings and lines that cannot be read.
pub fn read(text: &str) -> (Vec<Section>, Vec<String>) {
    let (mut sections, mut findings): (Vec<Section>, _) = (Vec::new(), Vec::new());
    for (index, text) in text.lines().enumerate() {
        let line = index + 1;
        if let Some(heading) = text.strip_prefix("## ") {
            // A date may follow.
            let name = heading.split(' ').next().unwrap_or_default();
            match name.parse() {
                Ok(version) => sections.push(Section { line, version: Some(version), since: None }),
                Err(_) if name == UNRELEASED && sections.is_empty() => {
                    sections.push(Section { line, version: None, since: None });
                }
                Err(_) => findings.push(format!(
                    "{}:{line}: `{heading}` must begin with a version; only the first section may be `{UNRELEASED}`",
                    CHANGELOG
                )),
            }
        } else if let (true, Some(section)) = (text.starts_with("Since "), sections.last_mut()) {
            section.since = Since::read(text);
        }
    }
    (sections, findings)
}
