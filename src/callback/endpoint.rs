//! Makes addresses, and verifies what arrives at them.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;

use super::{
    error::CallbackError,
    id::CallbackId,
    key::{CallbackKeys, random},
    received::{Callback, SignatureEcho},
    token::{self, Claims, TokenError},
};
use crate::{Error, OPERATIONS, Operation, Request, base_url, redact::Query};

/// Where callbacks are received: the public base URL, and the keys of its addresses. Cloning is cheap.
///
/// It needs no shared state: every instance that has the same keys verifies what any other made.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use business_data_connector::{callback::{CallbackEndpoint, CallbackKey}, types::{IncomeRecord, PushIncomeRequest}};
///
/// let key = CallbackKey::new(1, b"32 bytes that were read at start")?;
/// let endpoint = CallbackEndpoint::new("https://partner.example/callbacks", key)?;
///
/// let mut request = PushIncomeRequest::new("demo-business", IncomeRecord::new().id("INV-1"));
/// let address = endpoint.attach(&mut request)?;
/// assert!(address.as_str().starts_with("https://partner.example/callbacks/cb1_"));
///
/// // Later, anywhere: the path and the body that were received.
/// # let path = address.as_str().trim_start_matches("https://partner.example");
/// let body = r#"{"status":"success","response":{"error":false,"message":"done"}}"#;
/// let callback = endpoint.verify(path, body)?;
/// assert_eq!((callback.operation_id(), callback.uid()), ("push_income", Some("demo-business")));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct CallbackEndpoint {
    /// Without a trailing slash.
    base_url: String,
    keys: CallbackKeys,
    lifetime: Duration,
}

impl CallbackEndpoint {
    /// The default of [`lifetime`](Self::lifetime): 30 days.
    pub const DEFAULT_LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

    /// The longest address. What the service accepts is not specified; a column of 255 characters is a common limit.
    pub const LONGEST_ADDRESS: usize = 255;

    /// An endpoint below a public base URL, such as `https://partner.example/callbacks`. It must begin with `https://`,
    /// except for this machine, where `http://` is accepted; it must have no user, query or fragment, and only letters,
    /// digits and `-._~/` in its path.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the base URL does not meet these conditions, or leaves no room for an address.
    pub fn new(base_url: &str, keys: impl Into<CallbackKeys>) -> Result<Self, Error> {
        let url = base_url::parse(base_url).map_err(|error| match error {
            Error::Invalid { problem } => Error::invalid(format!("callbacks: {problem}")),
            other => other,
        })?;
        let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        let problem = if url.scheme() != "https" && !base_url::is_this_machine(&url) {
            "must begin with https://, since whoever reads an address can forge a callback"
        } else if !url.path().bytes().all(unreserved) || url.path().contains("//") {
            "has a path with other characters than letters, digits and `-._~/`, or an empty segment"
        } else {
            let base_url = url.as_str().trim_end_matches('/').to_owned();
            let endpoint = Self { base_url, keys: keys.into(), lifetime: Self::DEFAULT_LIFETIME };
            // The longest operation, and a uid of the length that UUIDs have.
            let longest = OPERATIONS.iter().max_by_key(|operation| operation.id.len());
            longest.map(|operation| endpoint.address_for(operation.id, Some(&"u".repeat(36)))).transpose()?;
            return Ok(endpoint);
        };
        Err(Error::invalid(format!("callbacks: the public base URL {problem}")))
    }

    /// Sets how long after its creation an address is on time. A callback that arrives later is reported as
    /// [`CallbackError::Expired`], which still has the callback. At least 14 days are recommended: the service was
    /// observed to retry for more than 6 hours, and may be down for days.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// The public base URL, without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// A new address for one request of an operation, by its [`id`](Operation::id), and of a business. Use
    /// [`attach`](Self::attach) where the request is at hand.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the whole address were longer than [`LONGEST_ADDRESS`](Self::LONGEST_ADDRESS).
    pub fn address_for(&self, operation: &str, uid: Option<&str>) -> Result<CallbackAddress, Error> {
        let expires = seconds(SystemTime::now()).saturating_add(self.lifetime.as_secs());
        let claims = Claims {
            key: self.keys.signing().id(),
            expires: u32::try_from(expires).unwrap_or(u32::MAX),
            id: CallbackId::from_bytes(random()?),
            operation: operation.to_owned(),
            uid: uid.map(str::to_owned).filter(|uid| !uid.is_empty()),
        };
        let address = format!("{}/{}", self.base_url, token::sign(&claims, &self.keys)?);
        if address.len() > Self::LONGEST_ADDRESS {
            return Err(Error::invalid(format!(
                "the address of a callback of {operation} would have {} characters, and {} are accepted at most; use a \
                 shorter public base URL than {:?}",
                address.len(),
                Self::LONGEST_ADDRESS,
                self.base_url
            )));
        }
        let signature = token::signature(claims.id, &self.keys)?;
        Ok(CallbackAddress { address, signature, claims })
    }

    /// Makes a new address for a request, and sets it as its `webhook`. The address's
    /// [`signature`](CallbackAddress::signature) becomes the request's `signature`, unless it has one.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the operation takes no `webhook`; otherwise as [`address_for`](Self::address_for).
    pub fn attach<R: Request>(&self, request: &mut R) -> Result<CallbackAddress, Error> {
        let operation = R::OPERATION.id;
        let envelope = request.envelope();
        let signed = envelope.signature.is_some();
        let address = self.address_for(operation, envelope.uid)?;
        if !request.set_webhook(address.as_str()) {
            return Err(Error::invalid(format!("{operation} takes no `webhook`, so it has no callback")));
        }
        if !signed {
            request.set_signature(address.signature());
        }
        Ok(address)
    }

    /// Verifies a callback from the path, or the whole address, at which it was received, and its body, byte for byte
    /// as it was received. Nothing else is needed, and nothing is remembered: verifying twice gives the same result.
    ///
    /// The body is not authenticated, since the service signs nothing: whoever knows the address can post to it. That
    /// is why an address is hidden in logs, and used for one request only.
    ///
    /// # Errors
    /// See [`CallbackError`]. A body that cannot be read is no error: its bytes are in the callback.
    pub fn verify(&self, path: &str, body: impl Into<Bytes>) -> Result<Callback, CallbackError> {
        self.verify_at(path, body, SystemTime::now())
    }

    /// The same as [`verify`](Self::verify), at another time, for tests.
    ///
    /// # Errors
    /// See [`CallbackError`].
    pub fn verify_at(&self, path: &str, body: impl Into<Bytes>, now: SystemTime) -> Result<Callback, CallbackError> {
        let claims = self.claims(path)?;
        self.read(claims, body.into(), now)
    }

    /// What the path proves, before the body is read.
    pub(crate) fn claims(&self, path: &str) -> Result<Claims, CallbackError> {
        let token = token::in_path(path).ok_or(CallbackError::Foreign)?;
        token::open(&token, &self.keys).map_err(|error| match error {
            TokenError::Foreign => CallbackError::Foreign,
            TokenError::Malformed => CallbackError::Malformed,
            TokenError::Cut => CallbackError::Cut,
            TokenError::UnknownKey(id) => CallbackError::UnknownKey { id },
            TokenError::Altered => CallbackError::Altered,
        })
    }

    /// Reads the body of a callback whose claims are proven.
    pub(crate) fn read(&self, claims: Claims, body: Bytes, now: SystemTime) -> Result<Callback, CallbackError> {
        let mut callback = Callback::new(claims, body);
        callback.echo = match callback.signature() {
            None => SignatureEcho::Missing,
            Some(signature) if token::is_signature(signature, &callback.claims, &self.keys) => SignatureEcho::Correct,
            Some(_) => SignatureEcho::Different,
        };
        if let Some(member) = self.contradiction(&callback) {
            return Err(CallbackError::Contradicted { member, callback: Box::new(callback) });
        }
        if seconds(now) > u64::from(callback.claims.expires) {
            return Err(CallbackError::Expired { callback: Box::new(callback) });
        }
        Ok(callback)
    }

    /// The member of `received` that names another request than the address does.
    fn contradiction(&self, callback: &Callback) -> Option<&'static str> {
        let claims = &callback.claims;
        let another_uid = |uid: &str| claims.uid.as_deref().is_some_and(|own| own != uid);
        // The names that the service uses are not specified; only one that is surely another operation contradicts.
        let another_operation = |id: &str| id != claims.operation && OPERATIONS.iter().any(|other| other.id == id);
        let another_address = |address: &str| {
            let token = token::in_path(address);
            token.is_some_and(|token| token::open(&token, &self.keys).is_ok_and(|other| other.id != claims.id))
        };
        if callback.received_uid().is_some_and(another_uid) {
            Some("uid")
        } else if callback.received_type().is_some_and(another_operation) {
            Some("type")
        } else if callback.received_webhook().is_some_and(another_address) {
            Some("webhook")
        } else {
            None
        }
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The address for the callbacks of one request, to be sent as its `webhook`.
///
/// Whoever knows it can post a callback to it, so `Debug` hides its token, as it does in requests.
#[derive(Clone, PartialEq, Eq)]
pub struct CallbackAddress {
    address: String,
    signature: String,
    pub(crate) claims: Claims,
}

impl CallbackAddress {
    /// The whole address.
    pub fn as_str(&self) -> &str {
        &self.address
    }

    /// The part of the address from the path on, as a server receives it.
    pub fn path(&self) -> &str {
        let host = self.address.find("://").map_or(0, |position| position + 3);
        self.address[host..].find('/').map_or("/", |path| &self.address[host + path..])
    }

    /// A value for the `signature` of the request. Deployed services were observed to echo that in the callback, where
    /// it is checked: see [`Callback::signature_echo`]. The address cannot be computed from it.
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// The identifier, which its callbacks have as well.
    pub fn id(&self) -> CallbackId {
        self.claims.id
    }

    /// The operation, if this version knows it.
    pub fn operation(&self) -> Option<&'static Operation> {
        OPERATIONS.iter().find(|operation| operation.id == self.claims.operation)
    }
}

impl From<&CallbackAddress> for String {
    fn from(address: &CallbackAddress) -> Self {
        address.address.clone()
    }
}

impl fmt::Debug for CallbackAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackAddress")
            .field("address", &Query(Some(&self.address)))
            .field("operation", &self.claims.operation)
            .field("uid", &self.claims.uid)
            .field("id", &format_args!("{}", self.claims.id))
            .finish_non_exhaustive()
    }
}
