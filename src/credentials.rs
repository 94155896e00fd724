//! The credentials, and the only code that attaches them to a request.

use std::fmt;

use bytes::Bytes;
use reqwest::{
    Request,
    header::{HeaderName, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};

use crate::Error;

/// The credentials of a [`Connector`](crate::Connector).
pub(crate) struct Credentials {
    /// `"apikey":"...","appid":"..."`: two members of a JSON object.
    members: SecretString,
    /// Marked as sensitive, so that `Debug` hides it.
    header_key: Option<HeaderValue>,
}

impl Credentials {
    pub(crate) fn new(
        apikey: &SecretString,
        appid: &SecretString,
        header_key: Option<&SecretString>,
    ) -> Result<Self, Error> {
        let json = |name: &str, secret: &SecretString| match secret.expose_secret() {
            "" => Err(Error::invalid(format!("the {name} is empty"))),
            text => {
                serde_json::to_string(text).map_err(|_| Error::invalid(format!("the {name} cannot be written as JSON")))
            }
        };
        let members = format!(r#""apikey":{},"appid":{}"#, json("apikey", apikey)?, json("appid", appid)?);
        let header_key = header_key.map(|key| header_value(key.expose_secret())).transpose()?;
        Ok(Self { members: members.into(), header_key })
    }

    pub(crate) fn has_header_key(&self) -> bool {
        self.header_key.is_some()
    }

    /// Sets the header `header` to the header key, and returns the request's body, a JSON object, with the credentials
    /// added.
    ///
    /// # Errors
    /// A message that says what is missing.
    pub(crate) fn attach(&self, request: &mut Request, header: Option<&str>) -> Result<Bytes, String> {
        if let Some(header) = header {
            let name = HeaderName::try_from(header).map_err(|_| format!("{header} is not a valid header name"))?;
            let key = self.header_key.clone().ok_or("a header key is required")?;
            request.headers_mut().insert(name, key);
        }
        let object = request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default();
        self.with_members(object).ok_or_else(|| "the body is not a JSON object".to_owned())
    }

    /// The object with the credentials as its first members; every other byte is unchanged.
    fn with_members(&self, object: &[u8]) -> Option<Bytes> {
        let rest = object.strip_prefix(b"{")?;
        let members = self.members.expose_secret().as_bytes();
        let comma: &[u8] = if rest == b"}" { b"" } else { b"," };
        Some([b"{", members, comma, rest].concat().into())
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("header_key", &self.has_header_key()).finish_non_exhaustive()
    }
}

fn header_value(key: &str) -> Result<HeaderValue, Error> {
    if key.is_empty() {
        return Err(Error::invalid("the header key is empty"));
    }
    let mut value = HeaderValue::from_str(key).map_err(|_| {
        Error::invalid("the header key contains a character that is not allowed in a header, such as a newline; was it read from a file without trimming?")
    })?;
    value.set_sensitive(true);
    Ok(value)
}
