use std::fmt;

/// One thing that is wrong with the document, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place in the document, as the keys that lead to it: `paths./api/push/income.post.responses`.
    pub place: String,
    /// What is wrong there and what to do, as a sentence.
    pub problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

/// Everything that is wrong with a document: a line each, never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// A single fault.
    pub fn one(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self(vec![Fault { place: place.into(), problem: problem.into() }])
    }

    /// `Ok` when there are none.
    pub(crate) fn none_in(faults: Vec<Fault>) -> Result<(), Self> {
        if faults.is_empty() { Ok(()) } else { Err(Self(faults)) }
    }

    /// The faults, in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// Collects faults while walking down the document.
#[derive(Default)]
pub(crate) struct Collector(pub(crate) Vec<Fault>);

impl Collector {
    pub(crate) fn add(&mut self, place: &str, problem: impl Into<String>) {
        self.0.push(Fault { place: place.to_owned(), problem: problem.into() });
    }
}
