//! The ratios that may not be exceeded.

use std::{collections::BTreeMap, fs};

use anyhow::{Context, Result};

use crate::workspace::root;

pub const PATH: &str = "benches/limits.toml";

/// What was measured, as a ratio to what it is compared with.
pub struct Ratio {
    /// As in `benches/limits.toml`.
    pub name: String,
    pub value: f64,
}

/// By kind and case.
pub struct Limits(BTreeMap<String, BTreeMap<String, f64>>);

impl Limits {
    pub fn read() -> Result<Self> {
        let text = fs::read_to_string(root().join(PATH)).context(PATH)?;
        Ok(Self(toml_edit::de::from_str(&text).context(PATH)?))
    }

    /// A sentence for each ratio that exceeds its limit or has none.
    pub fn broken(&self, ratios: &[Ratio]) -> Vec<String> {
        ratios.iter().filter_map(|ratio| self.finding(ratio)).collect()
    }

    fn finding(&self, Ratio { name, value }: &Ratio) -> Option<String> {
        let limit = name.split_once('.').and_then(|(kind, case)| self.0.get(kind)?.get(case));
        match limit {
            Some(limit) if value <= limit => None,
            Some(limit) => Some(format!("{name}: {value:.3} was measured; the limit in {PATH} is {limit}")),
            None => Some(format!("{name}: there is no limit in {PATH}; {value:.3} was measured")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_above_its_limit_and_one_without_a_limit_are_reported() {
        let limits = Limits(toml_edit::de::from_str("[instructions]\nsmall = 1.1\n").unwrap());
        let ratio = |name: &str, value| Ratio { name: name.to_owned(), value };
        let ratios = [ratio("instructions.small", 1.1), ratio("instructions.small", 1.101), ratio("peak.bulk", 1.0)];
        let broken = limits.broken(&ratios);
        assert_eq!(
            broken,
            [
                "instructions.small: 1.101 was measured; the limit in benches/limits.toml is 1.1",
                "peak.bulk: there is no limit in benches/limits.toml; 1.000 was measured",
            ]
        );
    }
}
