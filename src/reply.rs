use std::{borrow::Cow, fmt};

use bytes::Bytes;
use reqwest::{
    StatusCode,
    header::{CONTENT_TYPE, HeaderMap, HeaderName},
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor},
};
use serde_json::{error::Category, value::RawValue};

use crate::Error;

/// What the service answered: status, headers, and the body, which is kept although the interface documents none.
///
/// `Debug` tells the names of the headers and the size of the body, never what they hold.
#[derive(Clone)]
pub struct Reply {
    pub(crate) operation: &'static str,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) complete: bool,
}

impl Reply {
    /// The [`id`](crate::Operation::id) of the operation that was answered.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// The status. Documented are 200, 400 and 401.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The body, empty when there was none.
    pub fn bytes(&self) -> &Bytes {
        &self.body
    }

    /// The body as text; what is not UTF-8 is replaced by `U+FFFD`.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// The body read as JSON.
    ///
    /// # Errors
    /// [`Error::UnreadableReply`], with this reply, when it is not JSON or not of this type.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|error| {
            // serde's own words may repeat what the body holds.
            let problem = match error.classify() {
                Category::Data => "JSON of another type",
                _ => "no JSON",
            };
            let source = format!("{problem}, at line {} column {}", error.line(), error.column()).into();
            Error::UnreadableReply { reply: Box::new(self.clone()), source }
        })
    }

    /// Whether the body is all that the service sent. It is not when it went over the limit or broke off.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The `message` of a JSON body, where deployed services were seen to tell the reason (observed, not specified).
    pub fn message(&self) -> Option<String> {
        let text = self.text();
        serde_json::from_str::<Message>(without_mark(&text)).ok()?.message
    }

    /// Whether the body is a JSON object with `"error": true` (observed, not specified), whatever else it holds.
    pub fn reports_error(&self) -> bool {
        let text = self.text();
        let mut found = false;
        // What follows the flag may be anything, even no JSON.
        let _ = serde_json::Deserializer::from_str(without_mark(&text)).deserialize_map(Flag(&mut found));
        found
    }

    pub(crate) fn content_type(&self) -> &str {
        self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("no content type")
    }
}

/// A byte order mark is no JSON, and is sent all the same.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Finds `"error": true` in an object and passes over everything else, without decoding it.
struct Flag<'a>(&'a mut bool);

impl<'de> Visitor<'de> for Flag<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<&RawValue>()? {
            match key.get() == r#""error""# {
                true => *self.0 |= members.next_value::<&RawValue>()?.get() == "true",
                false => _ = members.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

/// The rest that deployed services were seen to share.
#[derive(Deserialize)]
struct Message {
    message: Option<String>,
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("operation", &self.operation)
            .field("status", &self.status)
            .field("headers", &self.headers.keys().map(HeaderName::as_str).collect::<Vec<_>>())
            .field("body", &format_args!("{} bytes", self.body.len()))
            .field("complete", &self.complete)
            .finish()
    }
}
