//! The format of `tests/interop/<language>/interop.toml`.

use std::{fmt, fs, path::Path};

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::Deserialize;

/// How a language is tested. Commands are split into words like in a shell, and run without one in a copy of the
/// folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The name of the language.
    pub language: String,
    /// Commands that must succeed; otherwise, the language is left out.
    pub needs: Vec<String>,
    /// Files that determine what is installed.
    pub locks: Vec<String>,
    /// Commands that install the tools.
    pub install: Vec<String>,
    #[serde(rename = "check")]
    pub checks: Vec<Check>,
}

/// Something that passes or fails.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub kind: Kind,
    /// The tools under test.
    pub name: String,
    /// Commands that must succeed; otherwise, the check is left out.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Commands in their order. The last line that the last one prints summarizes the check; that of a receiver runs
    /// until it is stopped.
    pub run: Vec<String>,
    /// For `cargo xtask bench`, with a client: commands of which the last one pushes `BDC_CALLS` records to
    /// `BDC_SANDBOX`, one after another. All commands of `run` but the last, which generate the client, precede them.
    #[serde(default)]
    pub repeat: Vec<String>,
}

/// A column of the table.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Validates every vector against its schema.
    Validators,
    /// Generates types from the schemas.
    Types,
    /// Runs a receiver of callbacks, to which the sandbox sends one of each operation.
    Receivers,
    /// Generates a client from the document, and runs it against the sandbox.
    Clients,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Validators => "validators",
            Self::Types => "types",
            Self::Receivers => "receivers",
            Self::Clients => "clients",
        })
    }
}

impl Plan {
    pub fn read(folder: &Path) -> Result<Self> {
        let file = folder.join("interop.toml");
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        toml_edit::de::from_str(&text).with_context(|| format!("{} is not a valid plan", file.display()))
    }
}
