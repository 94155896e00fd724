//! Which version follows another.

use semver::Version;

use crate::compat::Verdict;

/// The version that a step with this verdict leads to, unless it is the given one. The first stable version, 1.0.0, can
/// follow any.
pub fn expected(before: &Version, after: &Version, worst: Verdict) -> Option<Version> {
    let next = match (before.major, worst) {
        (0, Verdict::Breaking) => Version::new(0, before.minor + 1, 0),
        (major, Verdict::Breaking) => Version::new(major + 1, 0, 0),
        (1.., Verdict::Minor) => Version::new(before.major, before.minor + 1, 0),
        _ => Version::new(before.major, before.minor, before.patch + 1),
    };
    let stable = before.major == 0 && *after == Version::new(1, 0, 0);
    (next != *after && !stable).then_some(next)
}
