//! The credentials that are accepted.

use std::{fs, path::Path};

use axum::http::HeaderMap;
use business_data_connector_document::Operation;
use serde::Deserialize;
use serde_json::value::RawValue;
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
    /// Refuses a wrong header key with 401.
    pub(crate) fn check_header(&self, operation: &Operation, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(name) = &operation.header_key else { return Ok(()) };
        let got = match headers.get(name) {
            None => "no such header",
            Some(key) if !bool::from(matches(key.as_bytes(), &self.header_key)) => "an unknown key",
            Some(_) => return Ok(()),
        };
        let expected = format!("a known key in the header {name}");
        Err(Refusal::unauthorized(&operation.id, Reason::new("", "header", expected, got)))
    }

    /// Refuses a wrong pair with 401. Members missing from the body are left to the schema, which knows where they are
    /// optional. Nothing else of the body is kept, or known to be right.
    pub(crate) fn check_pair(&self, operation: &Operation, body: &[u8]) -> Result<(), Refusal> {
        #[derive(Deserialize)]
        struct Pair<'a> {
            #[serde(borrow)]
            apikey: Option<&'a RawValue>,
            #[serde(borrow)]
            appid: Option<&'a RawValue>,
        }
        // What is not an object with these members is refused later, and with what is wrong.
        let is_object = body.trim_ascii_start().starts_with(b"{");
        let Some(pair) = is_object.then(|| serde_json::from_slice::<Pair<'_>>(body).ok()).flatten() else {
            return Ok(());
        };
        let member = |given: Option<&RawValue>, known: &str| {
            let given = given.and_then(|given| serde_json::from_str::<String>(given.get()).ok());
            given.map_or(Choice::from(1), |given| matches(given.as_bytes(), known))
        };
        // Every pair is compared in full, so that the time taken reveals nothing.
        let known = self.pairs.iter().fold(Choice::from(0), |known, (apikey, appid)| {
            known | (member(pair.apikey, apikey) & member(pair.appid, appid))
        });
        if known.into() {
            return Ok(());
        }
        let reason = Reason::new("", "credentials", "a known pair of apikey and appid", "an unknown pair");
        Err(Refusal::unauthorized(&operation.id, reason))
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
