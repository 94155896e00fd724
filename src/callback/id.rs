//! The identifier of an address.

use std::fmt;

/// The identifier of a [`CallbackAddress`](super::CallbackAddress), and of the callbacks that are delivered to it: its
/// nonce. It is not a secret: an address cannot be computed from it.
///
/// `Display` shows it as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallbackId([u8; 16]);

impl CallbackId {
    /// An identifier from its bytes, for a store.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> [u8; 16] {
        self.0
    }

    pub(crate) fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

impl fmt::Display for CallbackId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
