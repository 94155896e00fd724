use std::fmt;

use crate::yaml::{Place, Places};

/// One mistake in the document, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The line in the text, counted from 1.
    pub line: usize,
    /// The column in that line, counted from 1.
    pub column: usize,
    /// The location in the document, as the keys that lead to it: `paths./api/push/income.post.responses`.
    pub location: String,
    /// What is wrong there and how to fix it, as a sentence.
    pub problem: String,
}

impl Violation {
    pub(crate) fn at(Place { line, column }: Place, location: &str, problem: impl Into<String>) -> Self {
        Self { line, column, location: location.to_owned(), problem: problem.into() }
    }
}

/// `123:9: location: sentence`. With the name of the file and a colon before it, it is what compilers print.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.line, self.column, self.location, self.problem)
    }
}

/// All mistakes found in a document, at least one. Displayed with one per line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// `Ok` if the list is empty. Otherwise sorted by place, without those that aliases repeat.
    pub(crate) fn none_in(mut violations: Vec<Violation>) -> Result<(), Self> {
        violations.sort_by(|a, b| {
            (a.line, a.column, &a.problem, &a.location).cmp(&(b.line, b.column, &b.problem, &b.location))
        });
        violations.dedup_by(|a, b| (a.line, a.column, &a.problem) == (b.line, b.column, &b.problem));
        if violations.is_empty() { Ok(()) } else { Err(Self(violations)) }
    }

    /// The violations, in the order of the document.
    pub fn iter(&self) -> impl Iterator<Item = &Violation> {
        self.0.iter()
    }

    /// One line for each violation, as compilers print it: `openapi/connector.yaml:123:9: location: sentence`.
    pub fn in_file(&self, path: &str) -> String {
        let lines: Vec<_> = self.iter().map(|violation| format!("{path}:{violation}")).collect();
        lines.join("\n")
    }
}

impl From<Violation> for Violations {
    fn from(violation: Violation) -> Self {
        Self(vec![violation])
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
    /// Adds a violation whose place [`placed`](Self::placed) finds later.
    pub(crate) fn add(&mut self, location: &str, problem: impl Into<String>) {
        self.at(Place::START, location, problem);
    }

    /// Adds a violation with its place.
    pub(crate) fn at(&mut self, place: Place, location: &str, problem: impl Into<String>) {
        self.0.push(Violation::at(place, location, problem));
    }

    /// The violations, each at the place of its location.
    pub(crate) fn placed(self, places: &Places) -> Vec<Violation> {
        let placed = |Violation { location, problem, .. }| Violation::at(places.of(&location), &location, problem);
        self.0.into_iter().map(placed).collect()
    }
}
