//! The proof that the document is the source: it is changed, and everything else follows without one edited line.
//!
//! It builds a copy of the workspace, which takes its time: `cargo xtask ci` runs it, or
//! `cargo test -p xtask --test proof -- --ignored --test-threads 1`.

mod support;

use std::{fs, path::PathBuf};

use support::{Outcome, Workspace};

const DOCUMENT: &str = "openapi/connector.yaml";

/// A user's test of what the document now has; written into the copy, run against the sandbox.
fn calling(body: &str) -> String {
    format!(
        r#"use business_data_connector::{{Connector, Decimal, OPERATIONS, types}};
use business_data_connector_sandbox::{{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, Sandbox}};

#[tokio::test]
async fn it_follows() -> Result<(), Box<dyn std::error::Error>> {{
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

fn called(workspace: &Workspace, body: &str) -> Outcome {
    workspace.write("sandbox/tests/following.rs", &calling(body))?;
    let package = "business-data-connector-sandbox";
    let (green, said) = workspace.cargo(&["test", "--package", package, "--test", "following"])?;
    assert!(green && said.contains("1 passed"), "{said}");
    Ok(())
}

fn regenerated(workspace: &Workspace) -> Result<String, Box<dyn std::error::Error>> {
    let (done, said) = workspace.xtask(&["regen"])?;
    assert!(done, "{said}");
    let (green, checked) = workspace.xtask(&["check"])?;
    assert!(green, "{checked}");
    Ok(said)
}

#[test]
#[ignore = "builds a copy of the workspace"]
fn a_nineteenth_operation_a_field_and_the_storage_word_are_there_after_regen() -> Outcome {
    let workspace = Workspace::built()?;

    workspace.edit(DOCUMENT, "  /api/push/reset:", NOTE)?;
    workspace.edit(DOCUMENT, "    PushResetRequest:", NOTE_SCHEMAS)?;
    let said = regenerated(&workspace)?;
    for path in ["schemas/NoteRecord.schema.json", "schemas/PushNoteRequest.schema.json", "vectors/push_note.json"] {
        assert!(said.contains(&format!("added openapi/{path}")), "{said}");
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
    assert_eq!((held[0].kind(), held[0].as_str()), ("NoteRecord", r*"{"id":"N-1","weight":1.10}"*));"#
            .replace('*', "#")
            .as_str(),
    )?;

    workspace.edit(DOCUMENT, "/api/pull/storage-upload-url", "/api/pull/cupboard-upload-url")?;
    workspace.edit(
        DOCUMENT,
        "        feeid:",
        "        channel:\n          type: string\n          description: Channel.\n        feeid:",
    )?;
    let said = regenerated(&workspace)?;
    for path in
        ["README.md", "openapi/README.md", "openapi/schemas/index.json", "openapi/schemas/IncomeRecord.schema.json"]
    {
        assert!(said.contains(&format!("changed {path}")), "{said}");
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
fn another_order_of_the_document_changes_not_one_byte_elsewhere() -> Outcome {
    let workspace = Workspace::built()?;
    let generated = |workspace: &Workspace| -> Result<String, Box<dyn std::error::Error>> {
        // Its messages tell where the build script put the client.
        let (built, said) = workspace.cargo(&[
            "check",
            "--offline",
            "--package",
            "business-data-connector",
            "--message-format=json",
        ])?;
        assert!(built, "{said}");
        let out = said.lines().filter(|line| line.contains("\"build-script-executed\"")).find_map(|line| {
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
    workspace.write(DOCUMENT, &yaml_serde::to_string(&document)?)?;

    assert_eq!(regenerated(&workspace)?, "nothing changed\n");
    assert!(workspace.everything_else()? == files, "a file changed");
    assert_eq!(generated(&workspace)?, client);
    Ok(())
}

fn reverse(document: &mut yaml_serde::Value, keys: &[&str]) {
    let place = keys.iter().fold(document, |value, key| &mut value[*key]);
    if let Some(mapping) = place.as_mapping_mut() {
        let reversed = std::mem::take(mapping).into_iter().collect::<Vec<_>>().into_iter().rev();
        *mapping = reversed.collect();
    }
}

#[test]
#[ignore = "builds a copy of the workspace"]
fn a_document_that_cannot_be_used_is_refused_with_its_place_by_the_build_and_by_xtask_alike() -> Outcome {
    let workspace = Workspace::built()?;
    let original = workspace.read(DOCUMENT)?;
    for (from, to, place) in [
        ("openapi: 3.0.3", "openapi: 3.1.0", "openapi: is 3.1.0, but only 3.0.x can be read"),
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
            "paths./api/push/income.post.operationId: is already that of",
        ),
        (
            "        '400':",
            "        default:\n          description: x\n        '400':",
            "paths./api/verify/apikey.post.responses.default: stands next to `200`",
        ),
        (
            "          example: ZAR",
            "          enum: [ZAR]",
            "components.schemas.IncomeRecord.properties.currency.enum: closes a value",
        ),
        ("    post:\n", "    get: {}\n    post:\n", "paths./api/verify/apikey.get: is not allowed"),
        (
            "          application/json:",
            "          text/csv:",
            "paths./api/verify/apikey.post.requestBody.content: must be exactly one",
        ),
        (
            "        apikey:\n",
            "        api_key:\n",
            "components.schemas.VerifyApikeyRequest.properties: has no `apikey`",
        ),
    ] {
        workspace.write(DOCUMENT, &original.replacen(from, to, 1))?;
        let wanted = format!("{DOCUMENT}: {place}");
        for (green, said) in [
            workspace.xtask(&["check"])?,
            workspace.xtask(&["regen"])?,
            workspace.cargo(&["check", "--package", "business-data-connector"])?,
        ] {
            assert!(!green && said.contains(&wanted) && !said.contains("panicked"), "{wanted}: {said}");
        }
    }
    Ok(())
}

const NOTE: &str = "  /api/push/note:
    post:
      operationId: push_note
      tags: [push]
      summary: Push a note
      description: A note on the business.
      x-effect: write
      x-asynchronous: true
      x-evidence: assumed
      security:
        - headerKey: []
      requestBody:
        required: true
        content:
          application/json:
            schema:
              $ref: '#/components/schemas/PushNoteRequest'
      responses:
        '200':
          $ref: '#/components/responses/Success'
  /api/push/reset:";

const NOTE_SCHEMAS: &str = "    PushNoteRequest:
      type: object
      description: Request body of `push_note`.
      x-evidence: assumed
      required: [apikey, appid, uid, data]
      properties:
        apikey:
          type: string
          description: API key.
          x-sensitive: value
        appid:
          type: string
          description: Application.
          x-sensitive: value
        uid:
          type: string
          description: Business.
        data:
          description: The note.
          allOf:
            - $ref: '#/components/schemas/NoteRecord'
        webhook:
          type: string
          description: Address.
          x-sensitive: query
    NoteRecord:
      type: object
      description: A note.
      x-evidence: assumed
      required: [id]
      properties:
        id:
          type: string
          description: Identifier.
        weight:
          type: number
          description: Weight.
        tags:
          type: array
          description: Tags.
          items:
            type: string
    PushResetRequest:";
