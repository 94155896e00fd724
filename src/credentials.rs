//! The credentials, and the only code that attaches them to a request.

use std::fmt;

use bytes::Bytes;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use crate::Error;

/// The credentials of a [`Connector`](crate::Connector).
pub(crate) struct Credentials {
    /// `{"apikey":"...","appid":"...",`: how the body of every request begins. It is overwritten when it is dropped.
    beginning: Bytes,
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
        let beginning = format!(r#"{{"apikey":{},"appid":{},"#, json("apikey", apikey)?, json("appid", appid)?);
        let header_key = header_key.map(|key| header_value(key.expose_secret())).transpose()?;
        Ok(Self { beginning: Bytes::from_owner(Beginning(beginning.into())), header_key })
    }

    pub(crate) fn header_key(&self) -> Option<&HeaderValue> {
        self.header_key.as_ref()
    }

    /// A JSON object with the credentials as its first members, in two parts; `None` if it is not an object. Every
    /// other byte is unchanged, and none is copied.
    pub(crate) fn added_to(&self, object: Bytes) -> Option<[Bytes; 2]> {
        let beginning = match object.strip_prefix(b"{")? {
            b"}" => self.beginning.slice(..self.beginning.len() - 1),
            _ => self.beginning.clone(),
        };
        Some([beginning, object.slice(1..)])
    }
}

struct Beginning(SecretString);

impl AsRef<[u8]> for Beginning {
    fn as_ref(&self) -> &[u8] {
        self.0.expose_secret().as_bytes()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("header_key", &self.header_key.is_some()).finish_non_exhaustive()
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
