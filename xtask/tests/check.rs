//! `check` fails for everything that is incomplete, and names it.

mod support;

use support::{COMPARING, TestResult, Workspace};

const NEXT: &str =
    "next: `cargo xtask regen`, then `cargo test`, then `cargo insta review` for the snapshots that changed\n";

/// Changes a committed copy and returns the output of `check` after its first line. It must fail.
fn failure(change: impl FnOnce(&Workspace) -> TestResult) -> Result<String, Box<dyn std::error::Error>> {
    let workspace = Workspace::committed()?;
    change(&workspace)?;
    let (passed, output) = workspace.xtask(&["check"])?;
    if passed {
        return Err(format!("it passed: {output}").into());
    }
    Ok(output.strip_prefix(COMPARING).ok_or("it does not say what it does")?.to_owned())
}

#[test]
fn it_passes_on_what_is_committed_wherever_it_is_checked_out() -> TestResult {
    let workspace = Workspace::committed()?;
    let (passed, output) = workspace.xtask(&["check"])?;
    assert!(passed, "{output}");
    assert_eq!(workspace.xtask(&["regen"])?, (true, support::NOTHING_CHANGED.to_owned()));
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
    assert_eq!(output, format!("{path}:8: differs from what the document generates; run `cargo xtask regen`\n{NEXT}"));
    Ok(())
}

#[test]
fn a_new_component_without_regen_is_named_with_the_missing_file() -> TestResult {
    let component = "    Extra:\n      type: object\n      description: Extra.\n      properties: {}\n    SaleItem:";
    let property = "        extra:\n          description: Extra.\n          allOf:\n            - $ref: '#/components/schemas/Extra'\n";
    let output = failure(|workspace| {
        workspace.edit("openapi/connector.yaml", "    SaleItem:", component)?;
        Ok(workspace.edit(
            "openapi/connector.yaml",
            "        quantity:\n",
            &format!("{property}        quantity:\n"),
        )?)
    })?;
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
            "{path}: no longer corresponds to anything in the document; run `cargo xtask regen`, which removes it\n{NEXT}"
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
fn a_schema_and_a_snapshot_that_git_ignores_are_named_with_the_pattern() -> TestResult {
    let (schema, snapshot) = ("openapi/schemas/SaleItem.schema.json", "tests/snapshots/schemas__record.snap");
    let output = failure(|workspace| {
        workspace.write(".git/info/exclude", "# Local.\nopenapi/schemas/Sale*\n")?;
        workspace.write(".gitignore", "target/\n*.snap\n")?;
        workspace.git(&["rm", "--cached", "--quiet", schema, snapshot])
    })?;
    let named = |(path, pattern)| {
        format!("{path}: is ignored by git ({pattern}); remove the pattern, then run `git add {path}`\n")
    };
    let patterns = [(schema, ".git/info/exclude:2:openapi/schemas/Sale*"), (snapshot, ".gitignore:2:*.snap")];
    assert_eq!(output, patterns.map(named).concat());
    Ok(())
}

#[test]
fn without_a_checkout_it_says_what_it_leaves_out_and_passes() -> TestResult {
    let workspace = Workspace::copied()?;
    let (passed, output) = workspace.xtask(&["check"])?;
    assert!(passed, "{output}");
    assert!(output.contains("left out: whether git tracks the generated files, since this is not a git checkout\n"));
    // Unpacked inside an unrelated repository.
    workspace.git(&["init", "--quiet"])?;
    let (passed, output) = workspace.xtask(&["check"])?;
    assert!(passed, "{output}");
    assert!(output.contains("since git does not track openapi/connector.yaml, so that this is not a checkout\n"));
    Ok(())
}

#[test]
fn a_clone_with_autocrlf_has_the_line_endings_of_the_repository() -> TestResult {
    let workspace = Workspace::committed()?;
    let clone = workspace.path("target/clone");
    let folder = clone.to_str().ok_or("not UTF-8")?;
    workspace.git(&["clone", "--quiet", "--config", "core.autocrlf=true", "--config", "core.eol=crlf", ".", folder])?;
    let run = std::fs::read_to_string(clone.join(".ci/run"))?;
    assert!(run.starts_with("#!/usr/bin/env bash\n"));
    let endings = workspace.git_output(&["-C", folder, "ls-files", "--eol"])?;
    assert!(endings.lines().count() > 400, "{endings}");
    for line in endings.lines() {
        assert!(line.contains(" w/lf ") || line.contains(" w/none ") || line.contains(" attr/-text "), "{line}");
    }
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
        assert!(output.starts_with(&format!("{path}:")) && output.ends_with(NEXT), "{output}");
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
        "next: `cargo test`, then `cargo insta review` for the snapshots that changed",
    ] {
        assert!(output.contains(line), "{output}");
    }
    assert_eq!(workspace.read("tests/snapshots/schemas__record.snap")?, snapshot);
    let (passed, output) = workspace.xtask(&["check"])?;
    assert!(passed, "{output}");
    Ok(())
}
