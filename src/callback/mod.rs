//! Callbacks: addresses that prove themselves, and what arrives at them. Feature `callback`.
//!
//! A reply of 200 says "queued". What became of the request is delivered later to its `webhook`: the income that was
//! pulled, the uid of a new business, whether a record was booked. The interface promises neither a request identifier
//! nor a signature scheme nor a number of deliveries, so the address itself carries the proof: the operation, the uid,
//! a nonce and an expiry, under a MAC. Whichever instance of your application receives the callback verifies it, and
//! knows which request it answers, without a table that the instances share.
//!
//! | type | what it is |
//! |---|---|
//! | [`CallbackKey`], [`CallbackKeys`] | the secrets that sign and verify |
//! | [`CallbackEndpoint`] | the public base URL with the keys: makes addresses, verifies callbacks |
//! | [`CallbackAddress`] | the `webhook` of one request, and a `signature` for it |
//! | [`Callback`] | what was received: proven by its address, read from its bytes |
//!
//! This module needs no web framework. The module `inbox` (feature `inbox`) has the server, and calls that can be
//! awaited to their callback.
//!
//! # What to expect
//!
//! A request has any number of callbacks. Deployed services were observed to send the same one again; an interim one
//! first, and the final one later; and none at all. A later one may overtake an earlier one. Nothing in a body is
//! specified: unknown members and shapes are kept as [bytes](Callback::bytes), and never an error.
//!
//! A receiver that does not answer with a 2xx status is tried again after 10 seconds, 2.5 minutes, 30 minutes and 6
//! hours; then the data is discarded (observed). So answer 200 only once the callback is stored, and answer 503 if it
//! cannot be.
//!
//! # Rotating a key
//!
//! Each address names the key that signed it. To replace key 1 by key 2 while callbacks are under way:
//!
//! 1. On every instance, accept key 2: `CallbackKeys::new(key1).accept(key2)?`.
//! 2. Then, on every instance, sign with key 2: `CallbackKeys::new(key2).accept(key1)?`.
//! 3. After the [lifetime](CallbackEndpoint::lifetime) of the last address of key 1, remove key 1.
//!
//! An address whose key was removed is [`CallbackError::UnknownKey`]. If a key has leaked, skip the waiting: remove it
//! at once, and pull what the lost callbacks would have reported.
//!
//! # Behind a proxy
//!
//! The proof is in the last segment of the path. It survives a prefix that is added or removed, doubled and trailing
//! slashes, percent-encoding of `-` and `_`, an added query, and any change of the host. It does not survive a change
//! of the case of the path, or a cut: the whole address has at most 255 characters, so that it fits where others store
//! it.
//!
//! TLS usually ends at the proxy; the public base URL must be `https` nevertheless, because an address that is read on
//! its way can be used by its reader. Proxies log paths: whoever reads such a log can post to the addresses in it until
//! they expire. An address grants nothing else: it cannot be used to read anything.

mod endpoint;
mod error;
mod id;
mod key;
mod received;
#[cfg(feature = "testing")]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub mod testing;
mod token;

pub use endpoint::{CallbackAddress, CallbackEndpoint};
pub use error::CallbackError;
pub use id::CallbackId;
pub use key::{CallbackKey, CallbackKeys};
pub use received::{Callback, SignatureEcho, UnreadableResponse};
#[cfg(feature = "inbox")]
pub(crate) use token::Claims;
