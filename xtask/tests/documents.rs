//! The documents and collections for other tools have everything that `connector.yaml` has, and nothing else.

mod support;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use business_data_connector_document::contract::Contract;
use serde_json::Value;
use support::{TestResult, Workspace};

#[path = "../../document/tests/fixtures/push_note.rs"]
mod push_note;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

fn text(path: &str) -> std::io::Result<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Ok(fs::read_to_string(root.join(path))?.replace("\r\n", "\n"))
}

fn json(path: &str) -> Fallible<Value> {
    Ok(serde_json::from_str(&text(path)?)?)
}

/// The `post` of each path by its operation ID.
fn posts(document: &Value) -> BTreeMap<&str, &Value> {
    let items = document["paths"].as_object().into_iter().flatten();
    items.filter_map(|(_, item)| Some((item["post"]["operationId"].as_str()?, &item["post"]))).collect()
}

/// Removes every `examples`, at any depth.
fn remove_examples(value: &mut Value) {
    if let Some(members) = value.as_object_mut() {
        members.remove("examples");
    }
    match value {
        Value::Object(members) => members.values_mut().for_each(remove_examples),
        Value::Array(items) => items.iter_mut().for_each(remove_examples),
        _ => {}
    }
}

#[test]
fn without_its_examples_the_json_document_is_the_yaml_document() -> TestResult {
    let yaml: yaml_serde::Value = yaml_serde::from_str(&text("openapi/connector.yaml")?)?;
    let mut document = json("openapi/connector.json")?;
    remove_examples(&mut document);
    assert_eq!(document, serde_json::to_value(yaml)?);
    Ok(())
}

#[test]
fn the_documents_differ_in_replies_only() -> TestResult {
    let contract = |path: &str| -> Fallible<Contract> { Ok(Contract::parse(&text(path)?)?) };
    let specified = contract("openapi/connector.yaml")?;
    assert_eq!(contract("openapi/connector.json")?, specified);
    let mut deployed = contract("openapi/connector.deployed.json")?;
    for (id, operation) in &mut deployed.operations {
        assert!(operation.statuses.values().all(|content| content.contains("ObservedReply")), "{id}");
        operation.statuses.clone_from(&specified.operations[id].statuses);
    }
    assert!(deployed.components.remove("ObservedReply").is_some());
    assert_eq!(deployed, specified);
    assert!(!text("openapi/connector.deployed.json")?.contains("x-observed\""));
    Ok(())
}

#[test]
fn every_example_of_a_request_is_a_valid_vector_and_every_callback_has_one() -> TestResult {
    let document = json("openapi/connector.json")?;
    for (id, post) in posts(&document) {
        let vectors = json(&format!("openapi/vectors/{id}.json"))?;
        let valid = |body: &Value| {
            let vectors = vectors.as_array().into_iter().flatten();
            vectors.filter(|vector| vector["valid"] == true).any(|vector| vector["body"] == *body)
        };
        let examples = post["requestBody"]["content"]["application/json"]["examples"].as_object().ok_or(id)?;
        assert_eq!(examples.keys().collect::<Vec<_>>(), ["full", "minimal"], "{id}");
        assert!(examples.values().all(|example| valid(&example["value"])), "{id}");
        if let Some(callback) = post["callbacks"]["outcome"].as_object().and_then(|all| all.values().next()) {
            let examples = &callback["post"]["requestBody"]["content"]["application/json"]["examples"];
            assert_eq!(examples["full"]["value"]["received"]["type"], id);
            assert_eq!(examples["error"]["value"]["response"]["error"], true, "{id}");
        }
    }
    Ok(())
}

#[test]
fn the_collections_have_every_operation_once_in_an_order_in_which_each_succeeds() -> TestResult {
    let document = json("openapi/connector.json")?;
    let collection = json("openapi/postman.json")?;
    let names: Vec<_> =
        collection["item"].as_array().into_iter().flatten().filter_map(|item| item["name"].as_str()).collect();
    let requests = text("openapi/requests.http")?;
    let named: Vec<_> = requests.lines().filter_map(|line| line.strip_prefix("# @name ")).collect();
    assert_eq!(names, named);
    let posts = posts(&document);
    let called: Vec<_> = names.iter().filter(|name| **name != "upload").copied().collect();
    assert_eq!(called.len(), posts.len());
    assert_eq!(called.iter().copied().collect::<BTreeSet<_>>(), posts.keys().copied().collect());
    assert_eq!((names.first(), names.last()), (Some(&"verify_apikey"), Some(&"push_reset")));
    let first = called.iter().position(|id| posts[id]["x-destructive"] == true).ok_or("nothing is destructive")?;
    assert!(called[first..].iter().all(|id| posts[id]["x-destructive"] == true), "{called:?}");
    let file = ["pull_storage_upload_url", "upload", "push_settlement_file"];
    assert!(names.windows(3).any(|steps| steps == file), "{names:?}");
    Ok(())
}

#[test]
fn a_new_operation_is_in_every_document_after_regen() -> TestResult {
    let workspace = Workspace::committed()?;
    let document = workspace.read("openapi/connector.yaml")?;
    workspace.write("openapi/connector.yaml", &push_note::added_to(&document))?;
    let (done, output) = workspace.xtask(&["regen"])?;
    assert!(done, "{output}");
    for file in ["connector.json", "connector.deployed.json", "postman.json", "requests.http"] {
        assert!(output.contains(&format!("changed openapi/{file}")), "{output}");
        assert!(workspace.read(&format!("openapi/{file}"))?.contains("/api/push/note"), "{file}");
    }
    Ok(())
}

#[test]
fn the_server_for_agents_in_the_instructions_is_the_one_that_is_tested() -> TestResult {
    let instructions = text("openapi/documents.md")?;
    let code = instructions.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).ok_or("no code")?;
    assert_eq!(code, text("tests/documents/agents/tools.py")?);
    Ok(())
}

#[test]
fn a_version_without_its_section_in_the_changelog_fails_the_check() -> TestResult {
    let workspace = Workspace::committed()?;
    workspace.edit("openapi/CHANGELOG.md", "## 0.", "## 99.")?;
    let (passed, output) = workspace.xtask(&["check"])?;
    let finding = output.strip_prefix(support::COMPARING).ok_or("it does not say what it does")?;
    assert!(!passed && finding.starts_with("openapi/CHANGELOG.md:1: the newest version must be "), "{output}");
    Ok(())
}
