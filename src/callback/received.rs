//! A callback that was verified, and what its body says.

use std::{
    collections::BTreeMap,
    error::Error as StdError,
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{error::Category, value::RawValue};

use super::{id::CallbackId, token::Claims};
use crate::{DeliveredRecord, OPERATIONS, Operation};

/// A callback whose address was verified.
///
/// What it belongs to, such as [`operation`](Self::operation) and [`uid`](Self::uid), is from the address, and proven.
/// Everything else is from the body: its members are observed or assumed, none is required, and a body of another shape
/// is no error, since its [bytes](Self::bytes) are always there. `Debug` does not show the body.
///
/// Amounts are exact: [`response`](Self::response) reads from the bytes, without a floating-point number on the way.
#[derive(Clone)]
pub struct Callback {
    pub(crate) claims: Claims,
    pub(crate) echo: SignatureEcho,
    body: Bytes,
    envelope: Envelope,
}

/// Whether the `signature` in a callback is that of its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignatureEcho {
    /// The callback has no `signature`, which is common, and says nothing.
    Missing,
    /// It is that of the address: the sender knows the request and not only the address.
    Correct,
    /// It is another one. That is expected if the request had a `signature` of your own, and suspicious otherwise.
    Different,
}

/// The members of the body, as far as they are there and of the expected type.
#[derive(Clone, Default)]
struct Envelope {
    date: Option<String>,
    timestamp: Option<String>,
    signature: Option<String>,
    status: Option<String>,
    webhook: Option<String>,
    uid: Option<String>,
    r#type: Option<String>,
    direction: Option<String>,
    response: Option<Bytes>,
    error: Option<bool>,
    message: Option<String>,
    interim: bool,
}

impl Callback {
    pub(crate) fn new(claims: Claims, body: Bytes) -> Self {
        let envelope = Envelope::read(&body);
        Self { claims, echo: SignatureEcho::Missing, body, envelope }
    }

    /// The operation of the request; `None` if this version of the library does not know it.
    pub fn operation(&self) -> Option<&'static Operation> {
        OPERATIONS.iter().find(|operation| operation.id == self.claims.operation)
    }

    /// The [`id`](Operation::id) of the operation of the request.
    pub fn operation_id(&self) -> &str {
        &self.claims.operation
    }

    /// The uid in the request; `None` if the operation has none.
    pub fn uid(&self) -> Option<&str> {
        self.claims.uid.as_deref()
    }

    /// The identifier of the address, which is that of the request. The callbacks of one request share it.
    pub fn id(&self) -> CallbackId {
        self.claims.id
    }

    /// When the address expires.
    pub fn expires(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.claims.expires.into())
    }

    /// Whether the `signature` in the body is that of the address.
    pub fn signature_echo(&self) -> SignatureEcho {
        self.echo
    }

    /// The body, byte for byte as it was received.
    pub fn bytes(&self) -> &Bytes {
        &self.body
    }

    /// `status`, such as `success` or `error` (observed; the names are not specified).
    pub fn status(&self) -> Option<&str> {
        self.envelope.status.as_deref()
    }

    /// `date`, in the form that the service uses (observed).
    pub fn date(&self) -> Option<&str> {
        self.envelope.date.as_deref()
    }

    /// `timestamp`, in the form that the service uses (observed).
    pub fn timestamp(&self) -> Option<&str> {
        self.envelope.timestamp.as_deref()
    }

    /// `signature`: the one of the request (observed).
    pub fn signature(&self) -> Option<&str> {
        self.envelope.signature.as_deref()
    }

    /// `received.uid`: what the service says the uid of the request was (observed). Prefer [`uid`](Self::uid).
    pub fn received_uid(&self) -> Option<&str> {
        self.envelope.uid.as_deref()
    }

    /// `received.type` (observed). Prefer [`operation`](Self::operation).
    pub fn received_type(&self) -> Option<&str> {
        self.envelope.r#type.as_deref()
    }

    /// `received.direction` (observed).
    pub fn received_direction(&self) -> Option<&str> {
        self.envelope.direction.as_deref()
    }

    /// `received.webhook`, which is secret as the address is (observed).
    pub(crate) fn received_webhook(&self) -> Option<&str> {
        self.envelope.webhook.as_deref()
    }

    /// `response` as JSON text, byte for byte; `None` if the body has none.
    pub fn response_bytes(&self) -> Option<&Bytes> {
        self.envelope.response.as_ref()
    }

    /// `response`, read as a type of your choice, such as one of the generated types in [`types`](crate::types).
    ///
    /// # Errors
    /// [`UnreadableResponse`] if the body has no `response`, or one of another type.
    pub fn response<T: DeserializeOwned>(&self) -> Result<T, UnreadableResponse> {
        let response =
            self.response_bytes().ok_or_else(|| self.unreadable("the callback has no `response`".to_owned()))?;
        serde_json::from_slice(response).map_err(|error| {
            // serde's own message may quote the body.
            let what = match error.classify() {
                Category::Data => "`response` is of another type",
                _ => "`response` is not JSON",
            };
            self.unreadable(format!("{what}, at line {} column {} of it", error.line(), error.column()))
        })
    }

    /// The records in `response`, of a type that the document has there: of `response.income` for
    /// [`IncomeRecord`](crate::types::IncomeRecord), for example. None if there is no such member.
    ///
    /// # Errors
    /// [`UnreadableResponse`] if the body has no `response`, or records of another shape.
    pub fn records<T: DeliveredRecord>(&self) -> Result<Vec<T>, UnreadableResponse> {
        let members: Members<'_> = match self.response_bytes() {
            Some(response) => serde_json::from_slice(response).unwrap_or_default(),
            None => return Err(self.unreadable("the callback has no `response`".to_owned())),
        };
        let found = T::MEMBERS.iter().find_map(|name| Some((name, members.get(*name)?)));
        let Some((name, records)) = found else { return Ok(Vec::new()) };
        serde_json::from_str(records.get()).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            self.unreadable(format!("`response.{name}` is of another type, at line {line} column {column} of it"))
        })
    }

    fn unreadable(&self, problem: String) -> UnreadableResponse {
        UnreadableResponse { operation: self.claims.operation.clone(), problem }
    }

    /// `response.error`: whether the service reports a failure; `None` if it does not say, or says `null` (observed).
    pub fn error(&self) -> Option<bool> {
        self.envelope.error
    }

    /// `response.message`, in the service's own words (observed).
    pub fn message(&self) -> Option<&str> {
        self.envelope.message.as_deref()
    }

    /// Whether the service reports that the request failed: `response.error` is `true`, or it is silent and `status` is
    /// `error` (observed).
    pub fn is_failure(&self) -> bool {
        self.error().unwrap_or_else(|| self.status().is_some_and(|status| status.eq_ignore_ascii_case("error")))
    }

    /// Whether another callback to the same request follows: `response.hardrefreshing` is `true` (observed).
    pub fn is_interim(&self) -> bool {
        self.envelope.interim
    }
}

/// The members of an object, as JSON text. A name that occurs twice has its last value.
type Members<'a> = BTreeMap<String, &'a RawValue>;

impl Envelope {
    /// Reads what can be read. Nothing in the body is an error.
    fn read(body: &Bytes) -> Self {
        let json = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
        let members: Members<'_> = serde_json::from_slice(json).unwrap_or_default();
        let received: Members<'_> = member(&members, "received").unwrap_or_default();
        let response = members.get("response");
        let told: Members<'_> = member(&members, "response").unwrap_or_default();
        Self {
            date: text(&members, "date"),
            timestamp: text(&members, "timestamp"),
            signature: text(&members, "signature"),
            status: text(&members, "status"),
            webhook: text(&received, "webhook"),
            uid: text(&received, "uid"),
            r#type: text(&received, "type"),
            direction: text(&received, "direction"),
            response: response.map(|response| body.slice_ref(response.get().as_bytes())),
            error: member(&told, "error"),
            message: text(&told, "message"),
            interim: member(&told, "hardrefreshing").unwrap_or(false),
        }
    }
}

/// The member, if it is there and of this type.
fn member<'a, T: Deserialize<'a>>(members: &Members<'a>, name: &str) -> Option<T> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

/// A member that is text, or a number, whose digits are text as well.
fn text(members: &Members<'_>, name: &str) -> Option<String> {
    member(members, name).or_else(|| {
        let value = members.get(name)?.get();
        value.starts_with(|first: char| first.is_ascii_digit() || first == '-').then(|| value.to_owned())
    })
}

impl fmt::Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callback")
            .field("operation", &self.claims.operation)
            .field("uid", &self.claims.uid)
            .field("id", &format_args!("{}", self.claims.id))
            .field("status", &self.envelope.status)
            .field("error", &self.envelope.error)
            .field("interim", &self.envelope.interim)
            .field("signature_echo", &self.echo)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish_non_exhaustive()
    }
}

/// The `response` of a callback is missing, or is not of the type that was asked for. The callback still has its bytes.
#[derive(Debug, Clone)]
pub struct UnreadableResponse {
    operation: String,
    problem: String,
}

impl fmt::Display for UnreadableResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the callback of {} cannot be read as this type: {}", self.operation, self.problem)
    }
}

impl StdError for UnreadableResponse {}
