//! The list of faults and the defaults have one source; what repeats them agrees with it.

mod support;

use std::process::Command;

use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, Fault, SandboxBuilder};
use support::TestResult;

const README: &str = include_str!("../README.md");

fn help() -> TestResult<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_bdc-sandbox")).arg("--help").output()?;
    Ok(String::from_utf8(output.stdout)?)
}

#[test]
fn the_readme_has_a_row_for_each_fault_and_no_other() {
    let rows: Vec<_> = Fault::SYNTAX.iter().map(|(syntax, effect)| format!("| `{syntax}` | {effect} |")).collect();
    let table = README.split_once("| fault | effect |\n|---|---|\n").map(|(_, table)| table).unwrap_or_default();
    let found: Vec<_> = table.lines().take_while(|line| line.starts_with('|')).collect();
    assert_eq!(found, rows);
}

#[test]
fn the_inspection_api_and_the_rustdoc_name_each_fault() {
    let inspection = include_str!("../src/inspect/inspection.yaml");
    let inspection = inspection.split_whitespace().collect::<Vec<_>>().join(" ");
    let list: Vec<_> = Fault::SYNTAX.iter().map(|(syntax, _)| *syntax).collect();
    assert!(inspection.contains(&format!("One of {}.", list.join(", "))), "{list:?}");
    let source = include_str!("../src/faults/fault.rs");
    let documented: Vec<_> = source.lines().filter_map(|line| line.trim().strip_prefix("/// `")).collect();
    for syntax in list {
        let name = format!("`{syntax}`");
        assert!(documented.iter().any(|line| format!("`{line}").contains(&name)), "{syntax}");
    }
}

#[test]
fn the_help_shows_each_fault_and_the_defaults_of_the_library() -> TestResult {
    let help = help()?;
    for (syntax, effect) in Fault::SYNTAX {
        assert!(help.lines().any(|line| line.trim().starts_with(syntax) && line.ends_with(effect)), "{syntax}: {help}");
    }
    for default in [
        format!("[default: {}]", SandboxBuilder::DEFAULT_BODY_LIMIT),
        format!("[default: {}]", SandboxBuilder::DEFAULT_CONNECTIONS),
        format!("[default: {}s]", SandboxBuilder::DEFAULT_READ_TIMEOUT.as_secs()),
        format!("[default: {DEMO_HEADER_KEY}]"),
    ] {
        assert!(help.contains(&default), "{default}: {help}");
    }
    for demo in [DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS] {
        assert!(help.contains(demo), "{demo}: {help}");
    }
    Ok(())
}

#[test]
fn the_rustdoc_of_the_builder_states_the_defaults() {
    let source = include_str!("../src/builder.rs");
    for (name, value) in [
        ("body_limit", format!("{} MiB", SandboxBuilder::DEFAULT_BODY_LIMIT / (1024 * 1024))),
        ("connections", SandboxBuilder::DEFAULT_CONNECTIONS.to_string()),
        ("read_timeout", format!("{} s", SandboxBuilder::DEFAULT_READ_TIMEOUT.as_secs())),
    ] {
        assert!(source.contains(&format!("/// The default of [`{name}`](Self::{name}): {value}.")), "{name}");
    }
}

#[test]
fn the_readme_names_the_demo_credentials_and_every_option() -> TestResult {
    for demo in [DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, DEMO_BUSINESS] {
        assert!(README.contains(&format!("`{demo}`")), "{demo}");
    }
    let help = help()?;
    let options = help.lines().filter_map(|line| line.trim().strip_prefix("--")?.split_whitespace().next());
    for option in options.filter(|option| !option.starts_with("help") && !option.starts_with("version")) {
        assert!(README.contains(&format!("`--{option}")), "{option}");
    }
    Ok(())
}
