//! The commands of `openapi/README.md` that settle by file do so.

#![cfg(unix)]

use std::{error::Error, fs, process::Command};

use business_data_connector_sandbox::{DEMO_BUSINESS, Replies, Sandbox};

#[tokio::test]
async fn the_three_commands_of_the_readme_settle_by_file() -> Result<(), Box<dyn Error>> {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/README.md"))?;
    let section = readme.split_once("\n## Settle by file\n").ok_or("no section")?.1;
    let commands = section.split_once("```sh\n").and_then(|(_, rest)| rest.split_once("```")).ok_or("no commands")?.0;
    assert_eq!(commands.matches("curl ").count(), 3, "{commands}");
    let sandbox = Sandbox::builder().replies(Replies::Observed).start().await?;
    assert!(commands.contains("http://127.0.0.1:4010"));
    let script = format!("set -eu\n{}", commands.replace("http://127.0.0.1:4010", sandbox.base_url()));
    let output = tokio::task::spawn_blocking(|| Command::new("sh").arg("-c").arg(script).output()).await??;
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{shown}");
    let records: Vec<_> = sandbox.records(DEMO_BUSINESS)?.iter().map(|record| record.as_str().to_owned()).collect();
    let expected = r#"{"settlement":{"id":"SET-1","amount":1950.50,"fee":49.50,"date":"2026-03-31"}}"#;
    assert_eq!(records, [expected], "{shown}");
    Ok(())
}
