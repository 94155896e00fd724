//! The table of languages and checks that is printed at the end.

use std::fmt::Write as _;

use clap::ValueEnum;

use super::plan::Kind;

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Passed,
    Failed,
    LeftOut,
}

/// A language with its checks.
pub struct Row {
    pub language: String,
    pub statuses: Vec<(Kind, Status)>,
}

/// One line per language and one column per kind of check, with a word for each check.
pub fn table(rows: &[Row]) -> String {
    let mut table = format!("{:<14}", "");
    for kind in Kind::value_variants() {
        let _ = write!(table, "{kind:<20}");
    }
    for Row { language, statuses } in rows {
        let _ = write!(table, "\n{language:<14}");
        for kind in Kind::value_variants() {
            let words = statuses.iter().filter(|(of, _)| of == kind).map(|(_, status)| match status {
                Status::Passed => "passed",
                Status::Failed => "FAILED",
                Status::LeftOut => "left out",
            });
            let _ = write!(table, "{:<20}", words.collect::<Vec<_>>().join(", "));
        }
    }
    table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_with_two_checks_has_a_word_for_each() {
        let statuses =
            vec![(Kind::Validators, Status::Passed), (Kind::Clients, Status::Failed), (Kind::Clients, Status::LeftOut)];
        let table = table(&[Row { language: "Go".to_owned(), statuses }]);
        assert_eq!(
            table,
            "              validators          types               receivers           clients\n\
             Go            passed                                                      FAILED, left out"
        );
    }
}
