//! What several runs measured.

use std::fmt;

/// The median, the least and the most of some runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Spread {
    /// `None` if there was no run.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (least, most) = (*values.first()?, *values.last()?);
        Some(Self { median: values[values.len() / 2], least, most })
    }
}

/// Without the spread if there was one run.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { median, least, most } = self;
        let digits = f.precision().unwrap_or(2);
        write!(f, "{median:.digits$}")?;
        if least < most { write!(f, " ({least:.digits$} to {most:.digits$})") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn a_spread_has_the_median_between_the_least_and_the_most() {
        let spread = Spread::of([0.7, 0.5, 0.61]).unwrap();
        assert_eq!(spread, Spread { median: 0.61, least: 0.5, most: 0.7 });
        assert_eq!(spread.to_string(), "0.61 (0.50 to 0.70)");
        assert_eq!(format!("{:.0}", Spread::of([12.4]).unwrap()), "12");
        assert_eq!(Spread::of([]), None);
    }
}
