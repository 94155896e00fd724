//! Reads the body of a reply as JSON.

use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::{Error, Reply};

impl Reply {
    /// Deserializes the body as JSON. The interface documents no content, so the type is yours to choose.
    ///
    /// ```
    /// # use business_data_connector::{Error, Reply};
    /// #[derive(serde::Deserialize)]
    /// struct Queued {
    ///     message: String,
    /// }
    ///
    /// fn message(reply: &Reply) -> Result<String, Error> {
    ///     Ok(reply.json::<Queued>()?.message)
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::UnreadableReply`], holding this reply, if the body is not JSON or not of this type.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|error| {
            // serde's own message may quote the body.
            let problem = match error.classify() {
                Category::Data => "it is JSON of another type",
                _ => "it is not JSON",
            };
            let source = format!("{problem}, at line {} column {}", error.line(), error.column()).into();
            Error::UnreadableReply { reply: Box::new(self.clone()), source }
        })
    }
}
