use std::collections::BTreeMap;

/// A line and a column of the text, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Place {
    /// The beginning of the text.
    pub(crate) const START: Self = Self { line: 1, column: 1 };
}

impl From<saphyr_parser::Marker> for Place {
    fn from(marker: saphyr_parser::Marker) -> Self {
        Self { line: marker.line().max(1), column: marker.col() + 1 }
    }
}

/// The place of each location, which is that of its key, or of the element of a list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places(BTreeMap<String, Place>);

impl Places {
    /// The first place counts, because a key that occurs again is not part of the document.
    pub(crate) fn insert(&mut self, location: String, place: Place) {
        self.0.entry(location).or_insert(place);
    }

    /// The place of a location, or of the nearest one around it if it does not exist.
    pub(crate) fn of(&self, location: &str) -> Place {
        let mut around = location;
        loop {
            if let Some(place) = self.0.get(around) {
                return *place;
            }
            let Some(end) = around.rfind(['.', '[']) else { return Place::START };
            around = &around[..end];
        }
    }
}
