use axum::http::HeaderMap;
use business_data_connector_document::Operation;
use serde_json::Value;
use subtle::{Choice, ConstantTimeEq};

use crate::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, Refusal};

/// The credentials that are accepted.
#[derive(Clone)]
pub(crate) struct Credentials {
    pub(crate) apikey: String,
    pub(crate) appid: String,
    pub(crate) header_key: String,
}

impl Default for Credentials {
    fn default() -> Self {
        Self { apikey: DEMO_APIKEY.into(), appid: DEMO_APPID.into(), header_key: DEMO_HEADER_KEY.into() }
    }
}

impl Credentials {
    /// Refuses what is wrong with 401; what is missing from the body is left to the schema, which knows where it may be.
    pub(crate) fn check(&self, operation: &Operation, headers: &HeaderMap, body: &Value) -> Result<(), Refusal> {
        let refuse = |reason: &str| Err(Refusal::unauthorized(&operation.id, reason));
        if let Some(name) = &operation.header_key {
            match headers.get(name) {
                None => return refuse(&format!("the header {name} is missing")),
                Some(key) if !same(key.as_bytes(), &self.header_key) => {
                    return refuse(&format!("the header {name} is not a known key"));
                }
                Some(_) => {}
            }
        }
        let right = |name: &str, known: &str| match body[name].as_str() {
            Some(given) => given.as_bytes().ct_eq(known.as_bytes()),
            None => Choice::from(1),
        };
        // Both are compared, whatever the first says.
        if bool::from(right("apikey", &self.apikey) & right("appid", &self.appid)) {
            return Ok(());
        }
        refuse("apikey and appid are not a known pair")
    }
}

fn same(given: &[u8], known: &str) -> bool {
    given.ct_eq(known.as_bytes()).into()
}
