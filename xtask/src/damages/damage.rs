//! What is done to a line.

use std::fmt;

use super::lines::Line;

/// A way to damage a line, together with those below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damage {
    /// Two characters of the key are exchanged.
    Misspelt,
    /// It is moved out of the object that it is in, to before its key.
    Moved,
    /// It is there twice.
    Doubled,
    TakenOut,
    /// The value has another type.
    Retyped,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Misspelt => "misspelt",
            Self::Moved => "moved",
            Self::Doubled => "doubled",
            Self::TakenOut => "taken out",
            Self::Retyped => "retyped",
        })
    }
}

pub const ALL: [Damage; 5] = [Damage::Misspelt, Damage::Moved, Damage::Doubled, Damage::TakenOut, Damage::Retyped];

impl Damage {
    /// The text after the damage of a line; `None` if the line cannot be damaged in this way.
    pub fn done_to(self, text: &[&str], lines: &[Line], number: usize) -> Option<String> {
        let line = &lines[number];
        let (before, block, after) = (&text[..number], &text[number..line.end], &text[line.end..]);
        let block = || block.iter().map(|line| (*line).to_owned());
        let changed = match self {
            Self::TakenOut => Vec::new(),
            Self::Doubled => block().chain(block()).collect(),
            Self::Misspelt => vec![misspelt(text[number], line)?],
            Self::Retyped => vec![retyped(text[number], line)?],
            Self::Moved => return moved(text, lines, number),
        };
        let rest = match self {
            // The value below the key remains.
            Self::Misspelt => &text[number + 1..],
            _ => after,
        };
        Some(joined(
            before
                .iter()
                .map(|line| (*line).to_owned())
                .chain(changed)
                .chain(rest.iter().map(|line| (*line).to_owned())),
        ))
    }
}

fn misspelt(text: &str, line: &Line) -> Option<String> {
    let key = line.key.as_ref()?;
    let start = text.find(key.as_str())?;
    let mut letters: Vec<char> = key.chars().collect();
    let last = (1..letters.len()).rev().find(|index| letters[*index] != letters[index - 1])?;
    letters.swap(last - 1, last);
    let misspelt: String = letters.into_iter().collect();
    Some(format!("{}{misspelt}{}", &text[..start], &text[start + key.len()..]))
}

fn retyped(text: &str, line: &Line) -> Option<String> {
    let key = line.key.as_ref()?;
    let end = text.find(key.as_str())? + key.len();
    let colon = end + text[end..].find(':')? + 1;
    let value = text[colon..].trim();
    let is_text = !value.is_empty() && !value.starts_with(['[', '{', '*', '&']) && value.parse::<f64>().is_err();
    let other = if is_text && value != "true" && value != "false" { "7" } else { "x" };
    Some(format!("{} {other}", &text[..colon]))
}

fn moved(text: &[&str], lines: &[Line], number: usize) -> Option<String> {
    let (line, parent) = (&lines[number], lines[number].parent?);
    line.key.as_ref()?;
    let by = line.indent.checked_sub(lines[parent].indent)?;
    let shift = |line: &&str| line.get(by..).unwrap_or_default().to_owned();
    let owned = |line: &&str| (*line).to_owned();
    let lines = text[..parent].iter().map(owned);
    let lines = lines.chain(text[number..line.end].iter().map(shift)).chain(text[parent..number].iter().map(owned));
    Some(joined(lines.chain(text[line.end..].iter().map(owned))))
}

fn joined(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| line + "\n").collect()
}
