//! Every serialization format that the tests cover, behind one interface.

use serde::{Serialize, de::DeserializeOwned};

/// A value that went through a format: the reason why it could not be written, or the result of reading it.
pub type Trip<T> = Result<Result<T, String>, String>;

/// A format, and a way to write and read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    JsonText,
    JsonPretty,
    JsonReader,
    JsonValue,
    JsonValueRef,
    JsonByPath,
    Csv,
    Yaml,
    YamlValue,
    Toml,
    TomlValue,
    MessagePackNamed,
    MessagePackCompact,
    Cbor,
    CborValue,
    Bincode,
    Postcard,
}

impl Codec {
    pub const ALL: [Self; 17] = [
        Self::JsonText,
        Self::JsonPretty,
        Self::JsonReader,
        Self::JsonValue,
        Self::JsonValueRef,
        Self::JsonByPath,
        Self::Csv,
        Self::Yaml,
        Self::YamlValue,
        Self::Toml,
        Self::TomlValue,
        Self::MessagePackNamed,
        Self::MessagePackCompact,
        Self::Cbor,
        Self::CborValue,
        Self::Bincode,
        Self::Postcard,
    ];

    pub fn trip<T: Serialize + DeserializeOwned>(self, value: &T) -> Trip<T> {
        match self {
            Self::JsonText => Ok(from_json(&serde_json::to_string(value).map_err(text)?)),
            Self::JsonPretty => {
                let bytes = serde_json::to_vec_pretty(value).map_err(text)?;
                Ok(serde_json::from_slice(&bytes).map_err(text))
            }
            Self::JsonReader => {
                let mut bytes = Vec::new();
                serde_json::to_writer(&mut bytes, value).map_err(text)?;
                Ok(serde_json::from_reader(bytes.as_slice()).map_err(text))
            }
            Self::JsonValue => Ok(serde_json::from_value(serde_json::to_value(value).map_err(text)?).map_err(text)),
            Self::JsonValueRef => Ok(T::deserialize(&serde_json::to_value(value).map_err(text)?).map_err(text)),
            Self::JsonByPath => by_path(value),
            Self::Csv => csv(value),
            Self::Yaml => Ok(from_yaml(&yaml_serde::to_string(value).map_err(text)?)),
            Self::YamlValue => Ok(yaml_serde::from_value(yaml_serde::to_value(value).map_err(text)?).map_err(text)),
            Self::Toml => Ok(from_toml(&toml::to_string(value).map_err(text)?)),
            Self::TomlValue => Ok(toml::Value::try_from(value).map_err(text)?.try_into().map_err(text)),
            Self::MessagePackNamed => {
                Ok(rmp_serde::from_slice(&rmp_serde::to_vec_named(value).map_err(text)?).map_err(text))
            }
            Self::MessagePackCompact => {
                Ok(rmp_serde::from_slice(&rmp_serde::to_vec(value).map_err(text)?).map_err(text))
            }
            Self::Cbor => {
                let mut bytes = Vec::new();
                ciborium::into_writer(value, &mut bytes).map_err(text)?;
                Ok(ciborium::from_reader(bytes.as_slice()).map_err(text))
            }
            Self::CborValue => Ok(ciborium::Value::serialized(value).map_err(text)?.deserialized().map_err(text)),
            Self::Bincode => {
                let config = bincode::config::standard();
                let bytes = bincode::serde::encode_to_vec(value, config).map_err(text)?;
                Ok(bincode::serde::decode_from_slice(&bytes, config).map(|(value, _)| value).map_err(text))
            }
            Self::Postcard => Ok(postcard::from_bytes(&postcard::to_allocvec(value).map_err(text)?).map_err(text)),
        }
    }
}

pub fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

pub fn from_json<T: DeserializeOwned>(document: &str) -> Result<T, String> {
    serde_json::from_str(document).map_err(text)
}

pub fn from_yaml<T: DeserializeOwned>(document: &str) -> Result<T, String> {
    yaml_serde::from_str(document).map_err(text)
}

pub fn from_toml<T: DeserializeOwned>(document: &str) -> Result<T, String> {
    toml::from_str(document).map_err(text)
}

pub fn from_csv<T: DeserializeOwned>(document: &str) -> Result<T, String> {
    let mut reader = csv::Reader::from_reader(document.as_bytes());
    reader.deserialize().next().ok_or("no row")?.map_err(text)
}

/// One row, below a header.
fn csv<T: Serialize + DeserializeOwned>(value: &T) -> Trip<T> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.serialize(value).map_err(text)?;
    let bytes = writer.into_inner().map_err(text)?;
    Ok(from_csv(&String::from_utf8(bytes).map_err(text)?))
}

/// JSON text behind the wrapper of another crate.
fn by_path<T: Serialize + DeserializeOwned>(value: &T) -> Trip<T> {
    let (mut bytes, mut track) = (Vec::new(), serde_path_to_error::Track::new());
    let mut json = serde_json::Serializer::new(&mut bytes);
    value.serialize(serde_path_to_error::Serializer::new(&mut json, &mut track)).map_err(text)?;
    Ok(serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_slice(&bytes)).map_err(text))
}
