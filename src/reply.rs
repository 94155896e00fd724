use std::{borrow::Cow, fmt};

use bytes::Bytes;
use reqwest::{
    StatusCode,
    header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName},
};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::Operation;

/// A reply of the service: its status, headers and body. The body is kept although the interface documents no content.
///
/// `Debug` shows the names of the headers and the size of the body, never their content.
///
/// ```
/// # use business_data_connector::Reply;
/// fn log(reply: &Reply) {
///     println!("{} answered {}: {}", reply.operation().id, reply.status(), reply.message().unwrap_or_default());
/// }
/// ```
#[derive(Clone)]
pub struct Reply {
    pub(crate) operation: &'static Operation,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) complete: bool,
}

impl Reply {
    /// The operation that was called.
    pub fn operation(&self) -> &'static Operation {
        self.operation
    }

    /// The HTTP status. The interface documents 200, 400 and 401.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The body; empty if there was none.
    pub fn bytes(&self) -> &Bytes {
        &self.body
    }

    /// The body as text. Bytes that are not UTF-8 are replaced by `U+FFFD`.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// Whether the whole body was read. It was not if it exceeded the limit or the connection broke.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The `message` member of a JSON body, where deployed services give a reason (observed, not specified).
    pub fn message(&self) -> Option<String> {
        let text = self.text();
        serde_json::from_str::<Message>(without_mark(&text)).ok()?.message
    }

    /// Whether the body is a JSON object with `"error": true` (observed, not specified), whatever else it holds.
    pub fn reports_error(&self) -> bool {
        if self.body.is_empty() {
            return false;
        }
        let text = self.text();
        let mut found = false;
        // What follows the flag may be anything, even invalid JSON.
        let _ = serde_json::Deserializer::from_str(without_mark(&text)).deserialize_map(Flag(&mut found));
        found
    }

    /// Why the body of a success cannot be read, and so may hide that it was none. A body is not required, and one of a
    /// type that says nothing, such as plain text, is accepted.
    pub(crate) fn unreadable(&self) -> Option<&'static str> {
        if self.body.is_empty() {
            return None;
        }
        let mut codings = self.headers.get_all(CONTENT_ENCODING).iter();
        if codings.any(|coding| !coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity")) {
            return Some("its body has a content coding that was not asked for");
        }
        let content_type = self.content_type().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match content_type.as_str() {
            "text/html" | "application/xhtml+xml" => Some("it is a page for people, perhaps of a gateway or a login"),
            json if json.ends_with("/json") || json.ends_with("+json") => {
                let read = serde_json::from_str::<IgnoredAny>(without_mark(&self.text()));
                read.err().map(|_| "it is declared as JSON and is not")
            }
            _ => None,
        }
    }

    pub(crate) fn content_type(&self) -> &str {
        self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("no content type")
    }
}

/// Removes a byte order mark, which is not JSON but occurs in practice.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Finds `"error": true` in an object and skips everything else without decoding it.
struct Flag<'a>(&'a mut bool);

impl<'de> Visitor<'de> for Flag<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<&RawValue>()? {
            match is_error(key.get()) {
                true => *self.0 |= members.next_value::<&RawValue>()?.get() == "true",
                false => _ = members.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

/// Whether a key, in quotes as it was sent, is `error`. Any character of it may be escaped.
fn is_error(key: &str) -> bool {
    key == r#""error""# || (key.contains('\\') && serde_json::from_str::<String>(key).is_ok_and(|key| key == "error"))
}

/// The member that the JSON replies of deployed services share, besides `error`.
#[derive(Deserialize)]
struct Message {
    message: Option<String>,
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("operation", &self.operation.id)
            .field("status", &self.status)
            .field("headers", &self.headers.keys().map(HeaderName::as_str).collect::<Vec<_>>())
            .field("body", &format_args!("{} bytes", self.body.len()))
            .field("complete", &self.complete)
            .finish()
    }
}
