//! The request that is sent for a batch.

use std::collections::BTreeMap;

use business_data_connector::{Operation, Stored};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::store::{Address, Batch};

/// The request of many records.
#[derive(Serialize)]
struct Together<'a> {
    uid: &'a str,
    #[serde(flatten)]
    webhook: Webhook<'a>,
    data: BTreeMap<&'static str, Vec<&'a RawValue>>,
}

/// What the worker adds to a request that has callbacks.
#[derive(Serialize)]
struct Webhook<'a> {
    webhook: &'a str,
    signature: &'a str,
}

#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    data: &'a RawValue,
}

/// The digits of amounts are passed on as they were stored.
///
/// # Errors
/// If a request that was stored is not one. It is told by sending each on its own.
pub(crate) fn request(batch: &Batch) -> Result<Stored, String> {
    let problem = |error: &serde_json::Error| format!("a stored request is not JSON: column {}", error.column());
    let json = if batch.together {
        let mut data: BTreeMap<&'static str, Vec<&RawValue>> = BTreeMap::new();
        for row in &batch.rows {
            let parts: Parts<'_> = serde_json::from_str(&row.request).map_err(|error| problem(&error))?;
            data.entry(row.member.unwrap_or_default()).or_default().push(parts.data);
        }
        let webhook = Webhook { webhook: &batch.address.url, signature: &batch.address.signature };
        serde_json::to_string(&Together { uid: &batch.uid, webhook, data }).map_err(|error| problem(&error))?
    } else {
        let request = batch.rows.first().map(|row| row.request.as_str()).unwrap_or_default();
        with_address(batch.operation, &batch.address, request)?
    };
    Ok(Stored::from_parts(batch.operation.id, json))
}

/// Adds the address to a request that has callbacks.
pub(crate) fn with_address(operation: &Operation, address: &Address, request: &str) -> Result<String, String> {
    if operation.callback.is_none() {
        return Ok(request.to_owned());
    }
    let rest = request.trim_start().strip_prefix('{').ok_or("a stored request is not a JSON object")?;
    let webhook = Webhook { webhook: &address.url, signature: &address.signature };
    let mut text = serde_json::to_string(&webhook).map_err(|error| error.to_string())?;
    text.pop();
    if !rest.trim_start().starts_with('}') {
        text.push(',');
    }
    text.push_str(rest);
    Ok(text)
}
