//! Recognizes the format that is read or written, by the identity of public types.

use std::{any::TypeId, sync::LazyLock};

use serde::{
    Deserialize, Deserializer,
    de::{
        Error,
        value::{MapDeserializer, UnitDeserializer},
    },
};

/// Whether this is the error type of `serde_json`, so that its serializer or deserializer is at work.
///
/// The error type is an associated type, and so part of `serde_json`'s public API; its deserializer has private type
/// parameters.
pub(crate) fn is_json<E>() -> bool {
    typeid::of::<E>() == TypeId::of::<serde_json::Error>()
}

/// Whether a deserializer is a `serde_json::Value`.
pub(super) fn is_json_value<D>() -> bool {
    let id = typeid::of::<D>();
    id == TypeId::of::<serde_json::Value>() || id == TypeId::of::<&'static serde_json::Value>()
}

/// Whether a deserializer reads from what `flatten` or an enum has buffered.
///
/// serde's buffers have no public name, so they are asked for: a type that records its deserializer is read from each.
/// A buffer that this does not find is read as any deserializer of the format, which ends in an error and not in
/// another number.
pub(super) fn is_buffer<D, E: Error>() -> bool {
    static OF_JSON: LazyLock<Buffers> = LazyLock::new(Buffers::find::<serde_json::Error>);

    match is_json::<E>() {
        true => OF_JSON.contain::<D>(),
        false => Buffers::find::<E>().contain::<D>(),
    }
}

/// The types of the deserializers that read from a buffer.
struct Buffers {
    owned: Option<TypeId>,
    borrowed: Option<TypeId>,
}

impl Buffers {
    fn find<E: Error>() -> Self {
        let members = MapDeserializer::<_, E>::new([("member", ())].into_iter());
        Self {
            owned: Flattened::deserialize(members).ok().map(|Flattened { inner: Members { member: Met(id) } }| id),
            borrowed: Untagged::deserialize(UnitDeserializer::<E>::new()).ok().map(|Untagged::Only(Met(id))| id),
        }
    }

    fn contain<D>(&self) -> bool {
        let id = Some(typeid::of::<D>());
        self.owned == id || self.borrowed == id
    }
}

/// Reads nothing, and records the type of its deserializer.
struct Met(TypeId);

impl<'de> Deserialize<'de> for Met {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Self(typeid::of::<D>()))
    }
}

#[derive(Deserialize)]
struct Flattened {
    #[serde(flatten)]
    inner: Members,
}

#[derive(Deserialize)]
struct Members {
    member: Met,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Untagged {
    Only(Met),
}

/// Whether `serde_json` is built with its feature `arbitrary_precision`, which any crate in the build can enable.
pub(super) fn json_numbers_keep_digits() -> bool {
    static KEPT: LazyLock<bool> = LazyLock::new(|| {
        const LONG: &str = "0.123456789012345678901234567890";
        serde_json::from_str::<serde_json::Number>(LONG).is_ok_and(|number| number.to_string() == LONG)
    });
    *KEPT
}
