//! `check` fails for everything that is incomplete, and names it.

mod support;

use support::{TestResult, Workspace};

/// Changes a committed copy and returns the output of `check`, which must fail.
fn failure(change: impl FnOnce(&Workspace) -> TestResult) -> Result<String, Box<dyn std::error::Error>> {
    let workspace = Workspace::committed()?;
    change(&workspace)?;
    let (passed, output) = workspace.xtask(&["check"])?;
    if passed { Err(format!("it passed: {output}").into()) } else { Ok(output) }
}

#[test]
fn it_passes_on_what_is_committed_wherever_it_is_checked_out() -> TestResult {
    let workspace = Workspace::committed()?;
    let (passed, output) = workspace.xtask(&["check"])?;
    assert!(passed, "{output}");
    assert_eq!(workspace.xtask(&["regen"])?, (true, "nothing changed\n".to_owned()));
    // Like a checkout with `core.autocrlf`.
    for (path, bytes) in workspace.everything_else()? {
        if path.extension().is_some_and(|end| end == "json" || end == "md") {
            std::fs::write(path, String::from_utf8(bytes)?.replace('\n', "\r\n"))?;
        }
    }
    let document = workspace.read("openapi/connector.yaml")?;
    workspace.write("openapi/connector.yaml", &document.replace('\n', "\r\n"))?;
    let (passed, output) = workspace.xtask(&["check"])?;
    assert!(passed, "{output}");
    Ok(())
}

#[test]
fn a_schema_that_was_edited_by_hand_is_named_with_its_line() -> TestResult {
    let path = "openapi/schemas/SaleItem.schema.json";
    let output = failure(|workspace| Ok(workspace.edit(path, "Cost of the item", "Price of the item")?))?;
    assert_eq!(output, format!("{path}:8: differs from what the document generates; run `cargo xtask regen`\n"));
    Ok(())
}

#[test]
fn a_new_component_without_regen_is_named_with_the_missing_file() -> TestResult {
    let component = "    Extra:\n      type: object\n      description: Extra.\n      properties: {}\n    SaleItem:";
    let output = failure(|workspace| Ok(workspace.edit("openapi/connector.yaml", "    SaleItem:", component)?))?;
    assert!(output.contains("openapi/schemas/Extra.schema.json: is missing; run `cargo xtask regen`"), "{output}");
    Ok(())
}

#[test]
fn a_schema_without_a_component_is_named() -> TestResult {
    let path = "openapi/schemas/Old.schema.json";
    let output = failure(|workspace| {
        workspace.write(path, "{}")?;
        workspace.git(&["add", "--all"])
    })?;
    assert_eq!(
        output,
        format!(
            "{path}: no longer corresponds to anything in the document; run `cargo xtask regen`, which removes it\n"
        )
    );
    Ok(())
}

#[test]
fn a_schema_that_git_does_not_track_is_named() -> TestResult {
    let path = "openapi/schemas/SaleItem.schema.json";
    let output = failure(|workspace| workspace.git(&["rm", "--cached", "--quiet", path]))?;
    assert_eq!(output, format!("{path}: is not tracked; run `git add {path}`\n"));
    Ok(())
}

#[test]
fn a_snapshot_without_a_test_is_named() -> TestResult {
    let output = failure(|workspace| Ok(workspace.edit("tests/schemas.rs", "\"index_entry\"", "\"other\"")?))?;
    let path = "tests/snapshots/schemas__index_entry.snap";
    assert_eq!(output, format!("{path}: no test uses it; run `git rm {path}`\n"));
    let output = failure(|workspace| Ok(std::fs::remove_file(workspace.path("tests/contract.rs"))?))?;
    let path = "tests/snapshots/contract__lines.snap";
    assert_eq!(output, format!("{path}: no test uses it; run `git rm {path}`\n"));
    Ok(())
}

#[test]
fn a_snapshot_that_has_not_been_reviewed_is_named() -> TestResult {
    let path = "tests/snapshots/contract__lines.snap.new";
    let output = failure(|workspace| Ok(workspace.write(path, "x")?))?;
    assert_eq!(output, format!("{path}: has not been reviewed; run `cargo insta review`\n"));
    Ok(())
}

#[test]
fn a_table_that_was_edited_by_hand_is_named() -> TestResult {
    for path in ["README.md", "openapi/README.md"] {
        let output = failure(|workspace| Ok(workspace.edit(path, "| `push_income` |", "| `push_incomes` |")?))?;
        assert!(output.starts_with(&format!("{path}:")) && output.ends_with("run `cargo xtask regen`\n"), "{output}");
    }
    Ok(())
}

#[test]
fn a_readme_without_the_markers_of_its_table_is_named() -> TestResult {
    let output = failure(|workspace| Ok(workspace.edit("openapi/README.md", "<!-- operations end -->", "")?))?;
    assert!(output.starts_with("openapi/README.md: the markers of the operation table are missing"), "{output}");
    Ok(())
}

#[test]
fn regen_fixes_what_check_finds_but_accepts_no_snapshot() -> TestResult {
    let workspace = Workspace::committed()?;
    workspace.edit("openapi/connector.yaml", "Cost of the item to the business.", "What the item cost.")?;
    workspace.write("openapi/schemas/Old.schema.json", "{}")?;
    let snapshot = workspace.read("tests/snapshots/schemas__record.snap")?;
    let (done, output) = workspace.xtask(&["regen"])?;
    assert!(done, "{output}");
    for line in [
        "changed openapi/schemas/SaleItem.schema.json",
        "changed openapi/schemas/SaleRecord.schema.json",
        "removed openapi/schemas/Old.schema.json",
    ] {
        assert!(output.contains(line), "{output}");
    }
    assert_eq!(workspace.read("tests/snapshots/schemas__record.snap")?, snapshot);
    let (passed, output) = workspace.xtask(&["check"])?;
    assert!(passed, "{output}");
    Ok(())
}
