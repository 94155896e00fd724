use std::fmt;

/// Why a text was not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The text is not JSON, or does not match the type.
    Json(serde_json::Error),
    /// All keys that are unknown, in the order of the text.
    UnknownKeys(Vec<UnknownKey>),
}

impl Error {
    /// The unknown keys; empty if there was another problem.
    pub fn unknown_keys(&self) -> &[UnknownKey] {
        match self {
            Self::UnknownKeys(keys) => keys,
            Self::Json(_) => &[],
        }
    }
}

/// A key, or the header of a column, that no field has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownKey {
    /// The key as it was written.
    pub key: String,
    /// Where it is.
    pub location: Location,
    /// The most similar field, if one is similar.
    pub suggestion: Option<&'static str>,
}

impl UnknownKey {
    pub(super) fn new(key: &str, location: Location, fields: &[&'static str]) -> Self {
        Self { key: key.to_owned(), location, suggestion: most_similar(key, fields) }
    }
}

/// Where an [`UnknownKey`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// In JSON text.
    Json {
        /// The JSON pointer (RFC 6901) to the member, such as `/income/3/ammount`.
        pointer: String,
        /// The line on which the member's value begins; the first line is 1.
        line: usize,
    },
    /// In a header; the first column is 1.
    Column(usize),
}

/// How many keys an error message lists; [`Error::unknown_keys`] has all of them.
const LISTED: usize = 10;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = match self {
            Self::Json(error) => return error.fmt(f),
            Self::UnknownKeys(keys) => keys,
        };
        if let [key] = keys.as_slice() {
            return write!(f, "unknown key {key}");
        }
        write!(f, "{} unknown keys:", keys.len())?;
        keys.iter().take(LISTED).try_for_each(|key| write!(f, "\n  {key}"))?;
        match keys.len().checked_sub(LISTED) {
            None | Some(0) => Ok(()),
            Some(more) => write!(f, "\n  and {more} more"),
        }
    }
}

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.key, self.location)?;
        match self.suggestion {
            Some(field) => write!(f, "; did you mean `{field}`?"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json { pointer, line } => write!(f, "at {pointer} (line {line})"),
            Self::Column(column) => write!(f, "in column {column}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Json(error) => error.source(),
            Self::UnknownKeys(_) => None,
        }
    }
}

/// The field with the smallest edit distance, if at most a third of its characters differ.
fn most_similar(key: &str, fields: &[&'static str]) -> Option<&'static str> {
    let key = key.trim().to_lowercase();
    fields
        .iter()
        // A key that is much longer differs by much, and may be of any length.
        .filter(|field| field.len().abs_diff(key.len()) * 3 <= field.len())
        .map(|field| (strsim::damerau_levenshtein(&key, field), *field))
        .min()
        .filter(|(distance, field)| distance * 3 <= field.len())
        .map(|(_, field)| field)
}
