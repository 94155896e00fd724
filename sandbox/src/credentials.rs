//! The credentials that are accepted.

use std::{fs, path::Path};

use axum::http::HeaderMap;
use business_data_connector_document::Operation;
use serde_json::Value;
use subtle::{Choice, ConstantTimeEq};

use crate::{
    demo::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY},
    error::Error,
    refusal::{Reason, Refusal},
};

#[derive(Clone)]
pub(crate) struct Credentials {
    /// Pairs of an API key and an application identifier.
    pub(crate) pairs: Vec<(String, String)>,
    pub(crate) header_key: String,
}

impl Default for Credentials {
    fn default() -> Self {
        Self { pairs: vec![(DEMO_APIKEY.into(), DEMO_APPID.into())], header_key: DEMO_HEADER_KEY.into() }
    }
}

impl Credentials {
    /// Refuses wrong credentials with 401. Members missing from the body are left to the schema, which knows where
    /// they are optional.
    pub(crate) fn check(&self, operation: &Operation, headers: &HeaderMap, body: &Value) -> Result<(), Refusal> {
        let refuse = |reason| Err(Refusal::unauthorized(&operation.id, reason));
        if let Some(name) = &operation.header_key {
            let expected = format!("a known key in the header {name}");
            match headers.get(name) {
                None => return refuse(Reason::new("", "header", expected, "no such header")),
                Some(key) if !bool::from(matches(key.as_bytes(), &self.header_key)) => {
                    return refuse(Reason::new("", "header", expected, "an unknown key"));
                }
                Some(_) => {}
            }
        }
        let member = |name: &str, known: &str| {
            body[name].as_str().map_or(Choice::from(1), |given| matches(given.as_bytes(), known))
        };
        // Every pair is compared in full, so that the time taken reveals nothing.
        let known = self.pairs.iter().fold(Choice::from(0), |known, (apikey, appid)| {
            known | (member("apikey", apikey) & member("appid", appid))
        });
        if known.into() {
            return Ok(());
        }
        refuse(Reason::new("", "credentials", "a known pair of apikey and appid", "an unknown pair"))
    }
}

/// Reads pairs from a file: an API key and an application identifier on each line, separated by white space.
///
/// # Errors
/// [`Error::Credentials`] when the file cannot be read, holds no pair, or has a line that is not a pair.
pub(crate) fn read_pairs(file: &Path) -> Result<Vec<(String, String)>, Error> {
    let invalid = |problem| Error::Credentials { file: file.to_owned(), problem };
    let text = fs::read_to_string(file).map_err(|e| invalid(e.to_string()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let pairs = lines.map(|(index, line)| match line.split_whitespace().collect::<Vec<_>>().as_slice() {
        [apikey, appid] => Ok(((*apikey).to_owned(), (*appid).to_owned())),
        _ => Err(invalid(format!("line {} is not an API key and an application identifier", index + 1))),
    });
    let pairs: Vec<_> = pairs.collect::<Result<_, _>>()?;
    if pairs.is_empty() {
        return Err(invalid("it is empty; write an API key and an application identifier on a line".to_owned()));
    }
    Ok(pairs)
}

fn matches(given: &[u8], known: &str) -> Choice {
    given.ct_eq(known.as_bytes())
}
