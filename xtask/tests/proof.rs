//! The proof that the document is the single source: after a change to it, everything else follows without another
//! edit.
//!
//! It builds a copy of the workspace, which takes minutes: `cargo xtask ci proof` runs it, or
//! `cargo test -p xtask --test proof -- --ignored --test-threads 1`.

#[path = "../../document/tests/fixtures/push_note.rs"]
mod push_note;
mod support;

use std::{fs, path::PathBuf};

use support::{TestResult, Workspace};

const DOCUMENT: &str = "openapi/connector.yaml";

/// A test that uses the changed document like a user would, against the sandbox.
fn calling(body: &str) -> String {
    format!(
        r#"use business_data_connector::{{Connector, Decimal, OPERATIONS, types}};
use business_data_connector_sandbox::{{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, Sandbox}};

#[tokio::test]
async fn the_client_follows() -> Result<(), Box<dyn std::error::Error>> {{
    let sandbox = Sandbox::start().await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
    let connector = connector.header_key(DEMO_HEADER_KEY).build()?;
    let amount: Decimal = "1.10".parse()?;
    {body}
    assert!(sandbox.refusals().is_empty(), "{{:?}}", sandbox.refusals());
    let _ = (OPERATIONS, types::IncomeRecord::new(), amount);
    Ok(())
}}
"#
    )
}

fn called(workspace: &Workspace, body: &str) -> TestResult {
    workspace.write("sandbox/tests/following.rs", &calling(body))?;
    let package = "business-data-connector-sandbox";
    let (passed, output) = workspace.cargo(&["test", "--package", package, "--test", "following"])?;
    assert!(passed && output.contains("1 passed"), "{output}");
    Ok(())
}

fn regenerated(workspace: &Workspace) -> Result<String, Box<dyn std::error::Error>> {
    let (done, output) = workspace.xtask(&["regen"])?;
    assert!(done, "{output}");
    let (passed, checked) = workspace.xtask(&["check"])?;
    assert!(passed, "{checked}");
    Ok(output)
}

#[test]
#[ignore = "builds a copy of the workspace"]
fn an_added_operation_an_added_field_and_a_renamed_path_work_after_regen() -> TestResult {
    let workspace = Workspace::built()?;

    workspace.write(DOCUMENT, &push_note::added_to(&workspace.read(DOCUMENT)?))?;
    let output = regenerated(&workspace)?;
    for path in ["schemas/NoteRecord.schema.json", "schemas/PushNoteRequest.schema.json", "vectors/push_note.json"] {
        assert!(output.contains(&format!("added openapi/{path}")), "{output}");
    }
    for path in ["README.md", "openapi/README.md"] {
        assert!(workspace.read(path)?.contains("| `push_note` | `/api/push/note` | X-API-Key |"), "{path}");
    }
    called(
        &workspace,
        r#"let note = types::NoteRecord::new("N-1").weight(amount);
    let reply = connector.push_note(DEMO_BUSINESS, note).webhook("http://127.0.0.1:1/").await?;
    assert_eq!((reply.status().as_u16(), OPERATIONS.len()), (200, 19));
    let held = sandbox.records(DEMO_BUSINESS)?;
    assert_eq!((held[0].record_type(), held[0].as_str()), ("NoteRecord", r*"{"id":"N-1","weight":1.10}"*));"#
            .replace('*', "#")
            .as_str(),
    )?;

    workspace.edit(DOCUMENT, "/api/pull/storage-upload-url", "/api/pull/cupboard-upload-url")?;
    workspace.edit(
        DOCUMENT,
        "        feeid:",
        "        channel:\n          type: string\n          description: Channel.\n        feeid:",
    )?;
    let output = regenerated(&workspace)?;
    for path in
        ["README.md", "openapi/README.md", "openapi/schemas/index.json", "openapi/schemas/IncomeRecord.schema.json"]
    {
        assert!(output.contains(&format!("changed {path}")), "{output}");
    }
    called(
        &workspace,
        r#"let upload = OPERATIONS.iter().find(|operation| operation.path == "/api/pull/cupboard-upload-url");
    assert!(upload.is_some());
    connector.pull_storage_upload_url(DEMO_BUSINESS).await?;
    connector.push_income(DEMO_BUSINESS, types::IncomeRecord::new().channel("web")).await?;
    assert_eq!(sandbox.records(DEMO_BUSINESS)?[0].as_str(), "{\"channel\":\"web\"}");"#,
    )?;
    Ok(())
}

#[test]
#[ignore = "builds a copy of the workspace"]
fn the_order_of_the_document_does_not_affect_any_other_file() -> TestResult {
    let workspace = Workspace::built()?;
    let generated = |workspace: &Workspace| -> Result<String, Box<dyn std::error::Error>> {
        // The messages contain the folder to which the build script writes the client.
        let (built, output) = workspace.cargo(&[
            "check",
            "--offline",
            "--package",
            "business-data-connector",
            "--message-format=json",
        ])?;
        assert!(built, "{output}");
        let out = output.lines().filter(|line| line.contains("\"build-script-executed\"")).find_map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).ok()?;
            let out = PathBuf::from(message["out_dir"].as_str()?).join("generated.rs");
            out.exists().then_some(out)
        });
        Ok(fs::read_to_string(out.ok_or("no generated.rs")?)?)
    };
    let (files, client) = (workspace.everything_else()?, generated(&workspace)?);

    let mut document: yaml_serde::Value = yaml_serde::from_str(&workspace.read(DOCUMENT)?)?;
    let first =
        |document: &yaml_serde::Value| document["paths"].as_mapping().and_then(|paths| paths.keys().next().cloned());
    let before = first(&document);
    for keys in [&["paths"][..], &["components", "schemas"], &["components"], &[]] {
        reverse(&mut document, keys);
    }
    assert_ne!(first(&document), before);
    // The writer leaves dates without quotes, which `check` refuses.
    let quoted = |line: &str| match line.split_once(": 2026-") {
        Some((key, rest)) if !rest.ends_with('\'') => format!("{key}: '2026-{rest}'\n"),
        _ => format!("{line}\n"),
    };
    workspace.write(DOCUMENT, &yaml_serde::to_string(&document)?.lines().map(quoted).collect::<String>())?;

    assert_eq!(regenerated(&workspace)?, support::NOTHING_CHANGED);
    assert!(workspace.everything_else()? == files, "a file changed");
    assert_eq!(generated(&workspace)?, client);
    Ok(())
}

fn reverse(document: &mut yaml_serde::Value, keys: &[&str]) {
    let value = keys.iter().fold(document, |value, key| &mut value[*key]);
    if let Some(mapping) = value.as_mapping_mut() {
        let reversed = std::mem::take(mapping).into_iter().collect::<Vec<_>>().into_iter().rev();
        *mapping = reversed.collect();
    }
}

#[test]
#[ignore = "builds a copy of the workspace"]
fn an_invalid_document_is_rejected_with_the_location_by_the_build_and_by_xtask() -> TestResult {
    let workspace = Workspace::built()?;
    let original = workspace.read(DOCUMENT)?;
    for (from, to, location) in [
        ("openapi: 3.0.3", "openapi: 3.1.0", "openapi: is 3.1.0, but only OpenAPI 3.0.x is supported"),
        (
            "schemas/IncomeRecord'",
            "schemas/Nothing'",
            "components.schemas.PushIncomeRequest.properties.data.allOf[0]: refers to",
        ),
        (
            "          type: boolean",
            "          type: object",
            "components.schemas.BusinessData.properties.vatregistered: is an inline object",
        ),
        (
            "operationId: push_expense",
            "operationId: push_income",
            "paths./api/push/income.post.operationId: is already used by",
        ),
        (
            "        '400':",
            "        default:\n          description: x\n        '400':",
            "paths./api/verify/apikey.post.responses.default: declares a second success response",
        ),
        (
            "          example: ZAR",
            "          enum: [ZAR]",
            "components.schemas.IncomeRecord.properties.currency.enum: restricts a value",
        ),
        ("    post:\n", "    get: {}\n    post:\n", "paths./api/verify/apikey.get: is not allowed"),
        (
            "          application/json:",
            "          text/csv:",
            "paths./api/verify/apikey.post.requestBody.content: must be exactly `application/json`",
        ),
        (
            "        productid:\n",
            "        new:\n",
            "components.schemas.IncomeRecord.properties.new: would have a setter with the name of the constructor",
        ),
        (
            "      required: [apikey",
            "      requird: [apikey",
            "components.schemas.VerifyApikeyRequest.requird: is not a keyword of a schema; perhaps `required`",
        ),
        (
            "          example: Sales",
            "          example: no",
            "components.schemas.IncomeRecord.properties.category.example: is `no`, which readers of YAML 1.1 take for",
        ),
        (
            "          example: 19.99",
            "          example: 1.10",
            "components.schemas.IncomeRecord.properties.amount.example: is `1.10`, but as a number it becomes `1.1`",
        ),
        ("      callbacks: *callbacks\n", "", "paths./api/push/business/update.post: takes a `webhook`, but has no"),
        (
            "        apikey:\n",
            "        api_key:\n",
            "components.schemas.VerifyApikeyRequest.properties: has no `apikey`",
        ),
    ] {
        workspace.write(DOCUMENT, &original.replacen(from, to, 1))?;
        let mut reports = Vec::new();
        for (passed, output) in [
            workspace.xtask(&["check"])?,
            workspace.xtask(&["regen"])?,
            workspace.cargo(&["check", "--package", "business-data-connector"])?,
        ] {
            assert!(!passed && !output.contains("panicked"), "{location}: {output}");
            reports.push(report(&output));
        }
        assert!(reports[0].iter().any(|line| line.contains(&format!(": {location}"))), "{location}: {reports:?}");
        assert!(reports.iter().all(|report| *report == reports[0]), "{reports:?}");
    }
    Ok(())
}

/// The lines that name a place in the document, such as `openapi/connector.yaml:3:1`, from there on.
fn report(output: &str) -> Vec<String> {
    let start = format!("{DOCUMENT}:");
    let lines = output.lines().filter_map(|line| Some(&line[line.find(&start)?..]));
    let reports = lines.filter(|line| line[start.len()..].starts_with(|next: char| next.is_ascii_digit()));
    reports.map(str::to_owned).collect()
}
