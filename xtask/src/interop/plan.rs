//! What `tests/interop/<language>/interop.toml` says.

use std::{fmt, fs, path::Path};

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::Deserialize;

/// How a language is tried. Commands are words as a shell would split them, run without one in a copy of the folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// As its speakers write it.
    pub language: String,
    /// Commands without which the language is left out.
    pub needs: Vec<String>,
    /// Files that say what is installed.
    pub locks: Vec<String>,
    /// Commands that install it.
    pub install: Vec<String>,
    #[serde(rename = "check")]
    pub checks: Vec<Check>,
}

/// Something that is green or red.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub kind: Kind,
    /// The tools that are tried.
    pub name: String,
    /// Commands without which it is left out.
    #[serde(default)]
    pub needs: Vec<String>,
    /// In their order; the last line that the last one prints says what was seen.
    pub run: Vec<String>,
}

/// A column of the table.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Every vector against its schema.
    Validators,
    /// Types that a tool makes of the schemas.
    Types,
    /// Clients that a tool makes of the document, against the sandbox.
    Clients,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Validators => "validators",
            Self::Types => "types",
            Self::Clients => "clients",
        })
    }
}

impl Plan {
    pub fn read(folder: &Path) -> Result<Self> {
        let file = folder.join("interop.toml");
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        toml_edit::de::from_str(&text).with_context(|| format!("{} is no plan", file.display()))
    }
}
