//! The token in the path of an address: what the callback answers, and the proof of it.
//!
//! `cb1_` and base64url without padding of
//!
//! | bytes | content |
//! |---|---|
//! | 1 | identifier of the key |
//! | 4 | expiry, in seconds since 1970, big-endian |
//! | 16 | the nonce, which is the identifier of the address |
//! | 1 + n | operation, with its length before it |
//! | 1 + n | uid, with its length before it; empty for none |
//! | 16 | HMAC-SHA-256 of a domain and everything before, cut to 128 bits |
//!
//! The text of an operation is longer than a number would be, but stays right when operations are added, and can be
//! read by an instance that does not know the operation yet.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use super::{
    id::CallbackId,
    key::{CallbackKeys, MAC_LENGTH},
};
use crate::{Error, redact::CALLBACK_TOKEN};

const ADDRESS: &[u8] = b"business-data-connector callback address 1\0";
const SIGNATURE: &[u8] = b"business-data-connector callback signature 1\0";

/// The bytes before the operation.
const FIXED: usize = 1 + 4 + 16;

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claims {
    pub(crate) key: u8,
    /// In seconds since 1970.
    pub(crate) expires: u32,
    pub(crate) id: CallbackId,
    pub(crate) operation: String,
    pub(crate) uid: Option<String>,
}

/// Why a text is not a token that a key of the ring signed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TokenError {
    Foreign,
    Malformed,
    Cut,
    UnknownKey(u8),
    Altered,
}

/// A token for the claims, signed by the ring's signing key.
pub(super) fn sign(claims: &Claims, keys: &CallbackKeys) -> Result<String, Error> {
    let mut bytes = vec![claims.key];
    bytes.extend(claims.expires.to_be_bytes());
    bytes.extend(claims.id.as_bytes());
    for (name, text) in [("operation", claims.operation.as_str()), ("uid", claims.uid.as_deref().unwrap_or_default())] {
        let length = u8::try_from(text.len()).map_err(|_| {
            Error::invalid(format!("the {name} has {} bytes, and an address has room for 255 at most", text.len()))
        })?;
        bytes.push(length);
        bytes.extend(text.as_bytes());
    }
    bytes.extend(keys.signing().mac([ADDRESS, &bytes])?);
    Ok(format!("{CALLBACK_TOKEN}{}", URL_SAFE_NO_PAD.encode(bytes)))
}

/// The claims of a token, if a key of the ring signed it.
pub(super) fn open(token: &str, keys: &CallbackKeys) -> Result<Claims, TokenError> {
    let text = token.strip_prefix(CALLBACK_TOKEN).ok_or(TokenError::Foreign)?;
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| {
        let alphabet = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        // A text that was cut anywhere may end in the middle of a byte.
        if text.bytes().all(alphabet) { TokenError::Cut } else { TokenError::Malformed }
    })?;
    let (claims, signed) = parse(&bytes)?;
    let mac = &bytes[signed..];
    let key = keys.get(claims.key).ok_or(TokenError::UnknownKey(claims.key))?;
    match key.verifies([ADDRESS, &bytes[..signed]], mac) {
        true => Ok(claims),
        false => Err(TokenError::Altered),
    }
}

/// The claims, and how many bytes the MAC covers. The MAC is complete, and nothing follows it.
fn parse(bytes: &[u8]) -> Result<(Claims, usize), TokenError> {
    let (fixed, rest) = bytes.split_at_checked(FIXED).ok_or(TokenError::Cut)?;
    let (operation, rest) = text(rest)?;
    let (uid, rest) = text(rest)?;
    match rest.len() {
        MAC_LENGTH => {}
        0..MAC_LENGTH => return Err(TokenError::Cut),
        _ => return Err(TokenError::Malformed),
    }
    let (expires, id) = fixed[1..].split_first_chunk().ok_or(TokenError::Cut)?;
    let claims = Claims {
        key: fixed[0],
        expires: u32::from_be_bytes(*expires),
        id: CallbackId::from_slice(id).ok_or(TokenError::Cut)?,
        operation: operation.to_owned(),
        uid: Some(uid.to_owned()).filter(|uid| !uid.is_empty()),
    };
    Ok((claims, bytes.len() - MAC_LENGTH))
}

fn text(bytes: &[u8]) -> Result<(&str, &[u8]), TokenError> {
    let (length, rest) = bytes.split_first().ok_or(TokenError::Cut)?;
    let (text, rest) = rest.split_at_checked(usize::from(*length)).ok_or(TokenError::Cut)?;
    Ok((std::str::from_utf8(text).map_err(|_| TokenError::Malformed)?, rest))
}

/// A value for the `signature` of a request: a second MAC, from which the token cannot be computed.
pub(super) fn signature(id: CallbackId, keys: &CallbackKeys) -> Result<String, Error> {
    Ok(URL_SAFE_NO_PAD.encode(keys.signing().mac([SIGNATURE, &id.as_bytes()])?))
}

/// Whether `signature` is that of this address.
pub(super) fn is_signature(signature: &str, claims: &Claims, keys: &CallbackKeys) -> bool {
    let Ok(mac) = URL_SAFE_NO_PAD.decode(signature) else { return false };
    keys.get(claims.key).is_some_and(|key| key.verifies([SIGNATURE, &claims.id.as_bytes()], &mac))
}

/// The token in the last segment of a path or an address. What proxies do to a path is undone: slashes that were added
/// or doubled, and unreserved characters that were percent-encoded. A prefix may have been added or removed.
pub(super) fn in_path(path: &str) -> Option<String> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let last = path.split('/').rev().find(|segment| !segment.is_empty())?;
    let token = decoded(last);
    token.starts_with(CALLBACK_TOKEN).then_some(token)
}

/// Decodes percent-encoded ASCII; anything else is left as it is.
fn decoded(segment: &str) -> String {
    let mut text = String::with_capacity(segment.len());
    let mut rest = segment;
    while let Some(position) = rest.find('%') {
        text += &rest[..position];
        let after = &rest[position + 1..];
        let code = after.get(..2).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(u8::is_ascii) {
            Some(byte) => {
                text.push(char::from(byte));
                rest = &after[2..];
            }
            None => {
                text.push('%');
                rest = after;
            }
        }
    }
    text + rest
}
