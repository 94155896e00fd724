//! `check` is red for everything that is half done, and names it.

mod support;

use support::{Outcome, Workspace};

/// Changes a committed copy and gives what `check` then prints, which must be red.
fn red(change: impl FnOnce(&Workspace) -> Outcome) -> Result<String, Box<dyn std::error::Error>> {
    let workspace = Workspace::committed()?;
    change(&workspace)?;
    let (green, said) = workspace.xtask(&["check"])?;
    if green { Err(format!("it is green: {said}").into()) } else { Ok(said) }
}

#[test]
fn it_is_green_on_what_is_committed_wherever_it_is_checked_out() -> Outcome {
    let workspace = Workspace::committed()?;
    let (green, said) = workspace.xtask(&["check"])?;
    assert!(green, "{said}");
    assert_eq!(workspace.xtask(&["regen"])?, (true, "nothing changed\n".to_owned()));
    // As a checkout with `core.autocrlf` would have it.
    for (path, bytes) in workspace.everything_else()? {
        if path.extension().is_some_and(|end| end == "json" || end == "md") {
            std::fs::write(path, String::from_utf8(bytes)?.replace('\n', "\r\n"))?;
        }
    }
    let document = workspace.read("openapi/connector.yaml")?;
    workspace.write("openapi/connector.yaml", &document.replace('\n', "\r\n"))?;
    let (green, said) = workspace.xtask(&["check"])?;
    assert!(green, "{said}");
    Ok(())
}

#[test]
fn a_schema_that_was_edited_by_hand_is_named_with_its_line() -> Outcome {
    let path = "openapi/schemas/SaleItem.schema.json";
    let said = red(|workspace| Ok(workspace.edit(path, "Cost of the item", "Price of the item")?))?;
    assert_eq!(said, format!("{path}:8: is not what the document says; run `cargo xtask regen`\n"));
    Ok(())
}

#[test]
fn a_new_component_without_regen_is_named_by_the_file_that_is_missing() -> Outcome {
    let component = "    Extra:\n      type: object\n      description: Extra.\n      properties: {}\n    SaleItem:";
    let said = red(|workspace| Ok(workspace.edit("openapi/connector.yaml", "    SaleItem:", component)?))?;
    assert!(said.contains("openapi/schemas/Extra.schema.json: is missing; run `cargo xtask regen`"), "{said}");
    Ok(())
}

#[test]
fn a_schema_that_no_longer_belongs_is_named() -> Outcome {
    let path = "openapi/schemas/Old.schema.json";
    let said = red(|workspace| {
        workspace.write(path, "{}")?;
        workspace.git(&["add", "--all"])
    })?;
    assert_eq!(
        said,
        format!("{path}: belongs to nothing in the document; run `cargo xtask regen`, which removes it\n")
    );
    Ok(())
}

#[test]
fn a_schema_that_git_does_not_know_is_named() -> Outcome {
    let path = "openapi/schemas/SaleItem.schema.json";
    let said = red(|workspace| workspace.git(&["rm", "--cached", "--quiet", path]))?;
    assert_eq!(said, format!("{path}: is not tracked; run `git add {path}`\n"));
    Ok(())
}

#[test]
fn a_snapshot_without_its_test_is_named() -> Outcome {
    let said = red(|workspace| Ok(workspace.edit("tests/schemas.rs", "\"index_entry\"", "\"other\"")?))?;
    let path = "tests/snapshots/schemas__index_entry.snap";
    assert_eq!(said, format!("{path}: no test names it; run `git rm {path}`\n"));
    let said = red(|workspace| Ok(std::fs::remove_file(workspace.path("tests/contract.rs"))?))?;
    let path = "tests/snapshots/contract__lines.snap";
    assert_eq!(said, format!("{path}: no test names it; run `git rm {path}`\n"));
    Ok(())
}

#[test]
fn a_snapshot_that_waits_for_a_reader_is_named() -> Outcome {
    let path = "tests/snapshots/contract__lines.snap.new";
    let said = red(|workspace| Ok(workspace.write(path, "x")?))?;
    assert_eq!(said, format!("{path}: waits for somebody to read it; run `cargo insta review`\n"));
    Ok(())
}

#[test]
fn a_table_that_was_edited_by_hand_is_named() -> Outcome {
    for path in ["README.md", "openapi/README.md"] {
        let said = red(|workspace| Ok(workspace.edit(path, "| `push_income` |", "| `push_incomes` |")?))?;
        assert!(said.starts_with(&format!("{path}:")) && said.ends_with("run `cargo xtask regen`\n"), "{said}");
    }
    Ok(())
}

#[test]
fn a_readme_that_lost_the_marks_of_its_table_is_named() -> Outcome {
    let said = red(|workspace| Ok(workspace.edit("openapi/README.md", "<!-- operations end -->", "")?))?;
    assert!(said.starts_with("openapi/README.md has lost the marks of its operation table"), "{said}");
    Ok(())
}

#[test]
fn regen_mends_what_check_finds_and_accepts_no_snapshot() -> Outcome {
    let workspace = Workspace::committed()?;
    workspace.edit("openapi/connector.yaml", "Cost of the item to the business.", "What the item cost.")?;
    workspace.write("openapi/schemas/Old.schema.json", "{}")?;
    let snapshot = workspace.read("tests/snapshots/schemas__record.snap")?;
    let (done, said) = workspace.xtask(&["regen"])?;
    assert!(done, "{said}");
    for line in [
        "changed openapi/schemas/SaleItem.schema.json",
        "changed openapi/schemas/SaleRecord.schema.json",
        "removed openapi/schemas/Old.schema.json",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert_eq!(workspace.read("tests/snapshots/schemas__record.snap")?, snapshot);
    let (green, said) = workspace.xtask(&["check"])?;
    assert!(green, "{said}");
    Ok(())
}
