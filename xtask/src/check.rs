use anyhow::{Result, bail};

use crate::artefacts;

pub fn run() -> Result<()> {
    let stale: Vec<_> = artefacts::make()?
        .into_iter()
        .filter(|(path, text)| artefacts::read(path).map_or(true, |present| present != *text))
        .map(|(path, _)| format!("{path} is not what openapi/connector.yaml says"))
        .collect();
    if stale.is_empty() {
        return Ok(());
    }
    bail!("{}\nrun `cargo xtask regen`", stale.join("\n"))
}
