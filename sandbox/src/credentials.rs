use std::{fs, io, path::Path};

use axum::http::HeaderMap;
use business_data_connector_document::Operation;
use serde_json::Value;
use subtle::{Choice, ConstantTimeEq};

use crate::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, Reason, Refusal};

/// The credentials that are accepted.
#[derive(Clone)]
pub(crate) struct Credentials {
    /// API key and application identifier.
    pub(crate) pairs: Vec<(String, String)>,
    pub(crate) header_key: String,
}

impl Default for Credentials {
    fn default() -> Self {
        Self { pairs: vec![(DEMO_APIKEY.into(), DEMO_APPID.into())], header_key: DEMO_HEADER_KEY.into() }
    }
}

impl Credentials {
    /// Refuses what is wrong with 401; what is missing from the body is left to the schema, which knows where it may be.
    pub(crate) fn check(&self, operation: &Operation, headers: &HeaderMap, body: &Value) -> Result<(), Refusal> {
        let refuse = |reason| Err(Refusal::unauthorized(&operation.id, reason));
        if let Some(name) = &operation.header_key {
            let expected = format!("a known key in the header {name}");
            match headers.get(name) {
                None => return refuse(Reason::new("", "header", expected, "no such header")),
                Some(key) if !bool::from(same(key.as_bytes(), &self.header_key)) => {
                    return refuse(Reason::new("", "header", expected, "another"));
                }
                Some(_) => {}
            }
        }
        let right = |name: &str, known: &str| {
            body[name].as_str().map_or(Choice::from(1), |given| same(given.as_bytes(), known))
        };
        // Every pair is compared in full, whatever the others say.
        let pairs = self.pairs.iter();
        let known = pairs
            .fold(Choice::from(0), |known, (apikey, appid)| known | (right("apikey", apikey) & right("appid", appid)));
        if known.into() {
            return Ok(());
        }
        refuse(Reason::new("", "credentials", "a known pair of apikey and appid", "another"))
    }
}

/// Reads pairs from a file: an API key and an application identifier on each line, with a space between them.
pub(crate) fn pairs_in(file: &Path) -> io::Result<Vec<(String, String)>> {
    let text = fs::read_to_string(file)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let pairs = lines.map(|(number, line)| match line.split_whitespace().collect::<Vec<_>>().as_slice() {
        [apikey, appid] => Ok(((*apikey).to_owned(), (*appid).to_owned())),
        _ => Err(io::Error::other(format!("line {}: must be an API key and an application identifier", number + 1))),
    });
    let pairs: Vec<_> = pairs.collect::<io::Result<_>>()?;
    if pairs.is_empty() {
        return Err(io::Error::other("there is no pair in it: an API key and an application identifier on a line"));
    }
    Ok(pairs)
}

fn same(given: &[u8], known: &str) -> Choice {
    given.ct_eq(known.as_bytes())
}
