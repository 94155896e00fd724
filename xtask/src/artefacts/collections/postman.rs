//! The collection in the format v2.1 of Postman.

use anyhow::Result;
use business_data_connector_document::Document;
use serde_json::{Value, json};

use super::{
    super::{files::json as text, vectors::Body},
    steps::Step,
    variables::{BASE_URL, UPLOAD, Variable, Variables},
};

/// The schema of the format.
const FORMAT: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/// What is checked after each request. A reply with JSON can be an error although its status is 200.
const TEST: [&str; 5] = [
    "pm.test('is accepted', () => {",
    "  pm.response.to.have.status(200);",
    "  const json = /json/.test(pm.response.headers.get('Content-Type') ?? '');",
    "  pm.expect(json && pm.response.json()?.error === true, pm.response.text()).to.equal(false);",
    "});",
];

/// The collection as JSON.
pub fn collection(document: &Document, variables: &Variables, steps: &[Step<'_>]) -> Result<String> {
    let info = &document.as_value()["info"];
    let mut listed: Vec<_> =
        variables.list.iter().map(|Variable { name, value }| json!({ "key": name, "value": value })).collect();
    if steps.iter().any(|step| matches!(step, Step::Put { .. })) {
        listed.push(json!({ "key": UPLOAD, "value": "" }));
    }
    let items = steps.iter().map(item).collect::<Result<Vec<_>>>()?;
    text(&json!({
        "info": {
            "name": info["title"],
            "description": "Every operation in an order in which each succeeds, from the check of the credentials to \
                the reset. The variables of the collection have the values of the sandbox, which has to be started with \
                `--replies observed`, as it then returns the address of an upload like deployed services do. Set them to \
                your own for a service, but beware: the last requests change and delete data.",
            "version": info["version"],
            "schema": FORMAT,
        },
        "variable": listed,
        "event": [{ "listen": "test", "script": { "type": "text/javascript", "exec": TEST } }],
        "item": items,
    }))
}

fn item(step: &Step<'_>) -> Result<Value> {
    Ok(match step {
        Step::Call { operation, header, body, gives } => {
            let url = json!({
                "raw": format!("{{{{{BASE_URL}}}}}{}", operation.path),
                "host": [format!("{{{{{BASE_URL}}}}}")],
                "path": operation.path.split('/').skip(1).collect::<Vec<_>>(),
            });
            let mut headers = vec![("Content-Type", "application/json".to_owned())];
            headers.extend(header.map(|(name, variable)| (name, format!("{{{{{variable}}}}}"))));
            let script = gives.map(|upload| {
                // Without JSON there is no address, and the test of the upload reports it.
                let set = format!("pm.collectionVariables.set('{UPLOAD}', pm.response.json().{});", upload.address);
                json!([{ "listen": "test", "script": { "type": "text/javascript", "exec": [set] } }])
            });
            let mut item = json!({
                "name": operation.id,
                "request": request("POST", &headers, body, url, &operation.description)?,
                "response": [],
            });
            if let Some(script) = script {
                item["event"] = script;
            }
            item
        }
        Step::Put { upload, body } => {
            let address = format!("{{{{{UPLOAD}}}}}");
            let url = json!({ "raw": address, "host": [address] });
            let headers = [("Content-Type", "application/json".to_owned())];
            let about = format!("Uploads a file to the address that `{}` returned.", upload.address_from);
            json!({ "name": "upload", "request": request("PUT", &headers, body, url, &about)?, "response": [] })
        }
    })
}

fn request(method: &str, headers: &[(&str, String)], body: &Body, url: Value, description: &str) -> Result<Value> {
    Ok(json!({
        "method": method,
        "header": headers.iter().map(|(name, value)| json!({ "key": name, "value": value })).collect::<Vec<_>>(),
        "body": { "mode": "raw", "raw": text(body)?.trim_end(), "options": { "raw": { "language": "json" } } },
        "url": url,
        "description": description,
    }))
}
