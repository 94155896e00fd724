use std::{borrow::Cow, fmt};

use bytes::Bytes;
use reqwest::{
    StatusCode,
    header::{CONTENT_TYPE, HeaderMap, HeaderName},
};
use serde::{Deserialize, de::DeserializeOwned};
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
        let body = self.body.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(&self.body);
        let flag = serde_json::from_slice::<Flag<'_>>(body).ok().and_then(|flag| flag.error);
        self.is_object() && flag.is_some_and(|error| error.get() == "true")
    }

    pub(crate) fn content_type(&self) -> &str {
        self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("no content type")
    }

    /// By its first byte: serde would also read a list as a struct.
    fn is_object(&self) -> bool {
        without_mark(&self.text()).trim_start().starts_with('{')
    }
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

fn without_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// The parts of a JSON body that deployed services were seen to share. Each is read without the other, so that neither is
/// lost when the other cannot be read.
#[derive(Deserialize)]
struct Flag<'a> {
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

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
