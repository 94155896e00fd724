//! What a process costs as what it holds grows.

use std::fmt::Write;

/// How a cost grows with the number of records.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// Of the line.
    pub name: String,
    /// How many records there were, the CPU seconds until then, and the most memory in bytes until then.
    pub points: Vec<(u64, f64, u64)>,
}

/// The head of a table with [`Growth::rows`].
pub const HEAD: &str = "| | records | CPU seconds per 10,000 | peak memory in MB | bytes per record |\n\
                        |---|---:|---:|---:|---:|\n";

impl Growth {
    /// A row for each point. CPU time and memory are those since the point before, so that what grows in proportion is
    /// the same in each row.
    pub fn rows(&self) -> String {
        let mut text = String::new();
        let mut last = (0, 0.0, 0);
        for point in &self.points {
            let (records, cpu, peak) = *point;
            let added = (records - last.0) as f64;
            let per_batch = (cpu - last.1) / added * 10_000.0;
            let megabytes = peak as f64 / 1e6;
            // The first has the program as well.
            let per_record = match last.2 {
                0 => "–".to_owned(),
                before => format!("{:.0}", peak.saturating_sub(before) as f64 / added),
            };
            // Writing to a String does not fail.
            let _ = writeln!(text, "| {} | {records} | {per_batch:.2} | {megabytes:.1} | {per_record} |", self.name);
            last = *point;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_what_was_added_since_the_row_before() {
        let points = vec![(10_000, 0.5, 20_000_000), (100_000, 5.0, 56_000_000)];
        assert_eq!(
            Growth { name: "in memory".to_owned(), points }.rows(),
            "| in memory | 10000 | 0.50 | 20.0 | – |\n| in memory | 100000 | 0.50 | 56.0 | 400 |\n"
        );
    }
}
