//! The secrets that sign and verify the addresses of callbacks.

use std::{fmt, sync::Arc};

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretSlice};
use sha2::Sha256;

use crate::Error;

/// How many bytes of a MAC are kept: 128 bits.
pub(super) const MAC_LENGTH: usize = 16;

/// A secret that signs and verifies the addresses of callbacks, with an identifier from 0 to 255 that is part of every
/// address.
///
/// The secret is removed from memory when the last clone is dropped, and `Debug` hides it.
///
/// ```
/// # fn main() -> Result<(), business_data_connector::Error> {
/// use business_data_connector::callback::CallbackKey;
///
/// let secret = b"32 bytes that were read at start";
/// let key = CallbackKey::new(1, secret)?;
/// assert_eq!(key.id(), 1);
/// assert!(CallbackKey::new(1, b"too short").is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct CallbackKey {
    id: u8,
    secret: Arc<SecretSlice<u8>>,
}

impl CallbackKey {
    /// The shortest secret that is accepted, in bytes.
    pub const SHORTEST: usize = 24;

    /// A key from random bytes, such as those that `openssl rand 32` prints. 32 bytes are recommended.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the secret is shorter than [`SHORTEST`](Self::SHORTEST), or one byte repeated.
    pub fn new(id: u8, secret: impl AsRef<[u8]>) -> Result<Self, Error> {
        let secret = secret.as_ref();
        if secret.len() < Self::SHORTEST {
            return Err(Error::invalid(format!(
                "the secret of callback key {id} has {} bytes; use at least {}, such as the output of `openssl rand 32`",
                secret.len(),
                Self::SHORTEST
            )));
        }
        if secret.windows(2).all(|pair| pair[0] == pair[1]) {
            return Err(Error::invalid(format!(
                "the secret of callback key {id} is one byte repeated; use random bytes, such as the output of \
                 `openssl rand 32`"
            )));
        }
        Ok(Self { id, secret: Arc::new(SecretSlice::from(secret.to_vec())) })
    }

    /// A key with a secret from the operating system's random number generator. Addresses that it signs can be verified
    /// only by this process, so it is for scripts and tests.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the operating system returns no random bytes.
    pub fn random(id: u8) -> Result<Self, Error> {
        Self::new(id, random::<32>()?)
    }

    /// The identifier.
    pub fn id(&self) -> u8 {
        self.id
    }

    /// The MAC of `parts`, one after the other.
    pub(super) fn mac(&self, parts: [&[u8]; 2]) -> Result<[u8; MAC_LENGTH], Error> {
        let mac =
            self.keyed(parts).ok_or_else(|| Error::invalid("the callback key cannot be used for HMAC-SHA-256"))?;
        let mut left = [0; MAC_LENGTH];
        left.iter_mut().zip(mac.finalize().into_bytes()).for_each(|(left, byte)| *left = byte);
        Ok(left)
    }

    /// Compares in constant time.
    pub(super) fn verifies(&self, parts: [&[u8]; 2], mac: &[u8]) -> bool {
        // `verify_truncated_left` accepts any shorter MAC, down to one byte.
        mac.len() == MAC_LENGTH && self.keyed(parts).is_some_and(|keyed| keyed.verify_truncated_left(mac).is_ok())
    }

    /// `None` never occurs, since HMAC accepts a key of any length.
    fn keyed(&self, parts: [&[u8]; 2]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.secret.expose_secret()).ok()?;
        parts.iter().for_each(|part| mac.update(part));
        Some(mac)
    }
}

impl fmt::Debug for CallbackKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A ring of keys: one signs new addresses, all of them verify. Cloning is cheap.
///
/// To rotate a key, first add the new one everywhere with [`accept`](Self::accept), then let it sign, and remove the
/// old one once no address that it signed can be used any more. See [the chapter on rotation](super#rotating-a-key).
#[derive(Debug, Clone)]
pub struct CallbackKeys {
    signing: CallbackKey,
    verifying: Vec<CallbackKey>,
}

impl CallbackKeys {
    /// A ring of one key, which signs and verifies.
    pub fn new(signing: CallbackKey) -> Self {
        Self { verifying: vec![signing.clone()], signing }
    }

    /// Adds a key that verifies and does not sign.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a key with this identifier is in the ring. A secret is never replaced under the same
    /// identifier, since an address names its key by that.
    pub fn accept(mut self, key: CallbackKey) -> Result<Self, Error> {
        if self.get(key.id).is_some() {
            let problem =
                format!("the ring has a callback key {} already; give each secret its own identifier", key.id);
            return Err(Error::invalid(problem));
        }
        self.verifying.push(key);
        Ok(self)
    }

    pub(super) fn signing(&self) -> &CallbackKey {
        &self.signing
    }

    pub(super) fn get(&self, id: u8) -> Option<&CallbackKey> {
        self.verifying.iter().find(|key| key.id == id)
    }
}

impl From<CallbackKey> for CallbackKeys {
    fn from(key: CallbackKey) -> Self {
        Self::new(key)
    }
}

/// Bytes from the operating system's random number generator.
pub(super) fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|e| Error::invalid(format!("the operating system returned no random bytes: {e}")))?;
    Ok(bytes)
}
