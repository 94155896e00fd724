//! Language by check, as it is printed at the end.

use std::fmt::Write as _;

use clap::ValueEnum;

use super::plan::Kind;

/// How a check went.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Green,
    Red,
    LeftOut,
}

/// A language with its checks.
pub struct Row {
    pub language: String,
    pub outcomes: Vec<(Kind, Outcome)>,
}

/// A line a language, a column a kind; a kind with several tools has a word for each.
pub fn drawn(rows: &[Row]) -> String {
    let mut drawn = format!("{:<14}", "");
    for kind in Kind::value_variants() {
        let _ = write!(drawn, "{kind:<20}");
    }
    for Row { language, outcomes } in rows {
        let _ = write!(drawn, "\n{language:<14}");
        for kind in Kind::value_variants() {
            let words = outcomes.iter().filter(|(of, _)| of == kind).map(|(_, outcome)| match outcome {
                Outcome::Green => "green",
                Outcome::Red => "RED",
                Outcome::LeftOut => "left out",
            });
            let _ = write!(drawn, "{:<20}", words.collect::<Vec<_>>().join(", "));
        }
    }
    drawn.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_with_two_tools_has_a_word_for_each() {
        let outcomes =
            vec![(Kind::Validators, Outcome::Green), (Kind::Clients, Outcome::Red), (Kind::Clients, Outcome::LeftOut)];
        let drawn = drawn(&[Row { language: "Go".to_owned(), outcomes }]);
        assert_eq!(
            drawn,
            "              validators          types               clients\n\
             Go            green                                   RED, left out"
        );
    }
}
