//! The command `ci`: a table of steps, each of which can be run alone.

mod support;

use support::{TestResult, Workspace};

/// The names of the steps, from `--list`.
fn steps(workspace: &Workspace) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let (passed, output) = workspace.xtask(&["ci", "--list"])?;
    assert!(passed, "{output}");
    Ok(output.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect())
}

#[test]
fn the_steps_are_listed_with_a_summary_each() -> TestResult {
    let workspace = Workspace::copied()?;
    let steps = steps(&workspace)?;
    for step in ["format", "layout", "clippy", "artefacts", "msrv", "tests", "examples"] {
        assert!(steps.contains(&step.to_owned()), "{step}: {steps:?}");
    }
    let (_, output) = workspace.xtask(&["ci", "--list"])?;
    assert!(output.lines().all(|line| line.split_whitespace().count() > 1), "{output}");
    Ok(())
}

#[test]
fn only_the_chosen_steps_run_in_the_order_of_the_list() -> TestResult {
    let workspace = Workspace::committed()?;
    let (passed, output) = workspace.xtask(&["ci", "compat", "artefacts"])?;
    assert!(passed, "{output}");
    let begun: Vec<_> = output.lines().filter(|line| line.starts_with("== ") && !line.contains(':')).collect();
    assert_eq!(begun, ["== artefacts", "== compat"]);
    Ok(())
}

#[test]
fn an_unknown_step_is_rejected_with_the_known_ones() -> TestResult {
    let workspace = Workspace::copied()?;
    let (passed, output) = workspace.xtask(&["ci", "artefacts", "clipy"])?;
    assert!(!passed && output.starts_with("there is no step `clipy`; the steps are "), "{output}");
    assert!(output.trim_end().ends_with(&steps(&workspace)?.join(", ")), "{output}");
    Ok(())
}

#[test]
fn a_failed_step_is_reported_with_the_command_that_runs_it_alone() -> TestResult {
    let workspace = Workspace::copied()?;
    workspace.edit("openapi/connector.yaml", "Name of the expense.", "What the expense is called.")?;
    let (passed, output) = workspace.xtask(&["ci", "artefacts", "compat"])?;
    assert!(!passed && output.contains("step `artefacts` failed"), "{output}");
    assert!(output.contains("cargo xtask ci artefacts") && !output.contains("== compat"), "{output}");
    Ok(())
}

#[test]
fn a_circle_a_long_file_and_a_wide_comment_fail_the_layout() -> TestResult {
    let workspace = Workspace::copied()?;
    let file = "document/src/reference.rs";
    let text = workspace.read(file)?;
    workspace.write(file, &format!("{text}\nfn circle(_: &crate::Document) {{}}\n"))?;
    let document = "document/src/document.rs";
    let text = workspace.read(document)?;
    let wide = format!("/// {}", "x".repeat(120));
    let uses = "use crate::reference::referred as planted;";
    workspace.write(document, &format!("{uses}\n{text}\n{wide}\nfn g() {{ planted(&Value::Null); }}\n"))?;
    workspace.write("document/src/long.rs", &"\n".repeat(301))?;
    let (passed, output) = workspace.xtask(&["ci", "layout"])?;
    assert!(!passed);
    for finding in [
        "circle: document/src/document.rs → document/src/reference.rs → document/src/document.rs\n",
        "\n    document/src/document.rs:1 uses `crate::reference::referred`\n",
        "uses `crate::Document`\n",
        "document/src/long.rs: has 301 lines; a source file may have 300",
        "the comment ends at column 124",
    ] {
        assert!(output.contains(finding), "{finding}: {output}");
    }
    Ok(())
}
