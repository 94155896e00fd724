use std::fmt;

/// One mistake in the document, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The location in the document, as the keys that lead to it: `paths./api/push/income.post.responses`.
    pub location: String,
    /// What is wrong there and how to fix it, as a sentence.
    pub problem: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.problem)
    }
}

/// All mistakes found in a document, at least one. Displayed with one per line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// A single violation.
    pub fn one(location: impl Into<String>, problem: impl Into<String>) -> Self {
        Self(vec![Violation { location: location.into(), problem: problem.into() }])
    }

    /// `Ok` if the list is empty.
    pub(crate) fn none_in(violations: Vec<Violation>) -> Result<(), Self> {
        if violations.is_empty() { Ok(()) } else { Err(Self(violations)) }
    }

    /// The violations, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Violation> {
        self.0.iter()
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            violation.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Violations {}

/// Collects violations during a walk through the document.
#[derive(Default)]
pub(crate) struct Collector(pub(crate) Vec<Violation>);

impl Collector {
    pub(crate) fn add(&mut self, location: &str, problem: impl Into<String>) {
        self.0.push(Violation { location: location.to_owned(), problem: problem.into() });
    }
}
