//! Valid callbacks for your own tests. Feature `testing`.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use business_data_connector::callback::{CallbackEndpoint, CallbackKey, testing::TestCallback};
//!
//! let endpoint = CallbackEndpoint::new("http://localhost/callbacks", CallbackKey::random(1)?)?;
//! let address = endpoint.address_for("push_income", Some("demo-business"))?;
//! let sent = TestCallback::new(&address).response(r#"{"error":true,"message":"no such account"}"#);
//!
//! let callback = endpoint.verify(sent.path(), sent.body())?;
//! assert_eq!(callback.message(), Some("no such account"));
//! # Ok(())
//! # }
//! ```

use serde_json::{Map, Value, json, value::RawValue};

use super::endpoint::CallbackAddress;

/// A callback to an address, as the service would send it (observed).
#[derive(Debug, Clone)]
pub struct TestCallback {
    path: String,
    members: Map<String, Value>,
    response: String,
}

impl TestCallback {
    /// A callback that reports success.
    pub fn new(address: &CallbackAddress) -> Self {
        let claims = &address.claims;
        let received = json!({
            "webhook": address.as_str(), "uid": claims.uid, "type": claims.operation, "appid": "test-appid",
        });
        let mut members = Map::new();
        members.insert("date".to_owned(), json!("2026-03-31"));
        members.insert("timestamp".to_owned(), json!("2026-03-31T12:00:00Z"));
        members.insert("signature".to_owned(), json!(address.signature()));
        members.insert("status".to_owned(), json!("success"));
        members.insert("received".to_owned(), received);
        Self { path: address.path().to_owned(), members, response: r#"{"error":false,"message":"done"}"#.to_owned() }
    }

    /// Sets the `response`, as JSON text, which is sent digit for digit.
    ///
    /// # Panics
    /// If it is not JSON.
    #[must_use]
    #[track_caller]
    #[allow(clippy::panic, reason = "for tests, which fail where the mistake is")]
    pub fn response(mut self, json: &str) -> Self {
        if let Err(error) = serde_json::from_str::<&RawValue>(json) {
            panic!("the response is not JSON: {error}");
        }
        json.clone_into(&mut self.response);
        self
    }

    /// Makes it an interim one, which another one follows.
    #[must_use]
    pub fn interim(self) -> Self {
        self.response(r#"{"error":null,"hardrefreshing":true}"#)
    }

    /// Sets a member of the body, such as `signature` or `received`. `response` has a method of its own.
    #[must_use]
    pub fn with(mut self, member: &str, value: Value) -> Self {
        self.members.insert(member.to_owned(), value);
        self
    }

    /// The path to which it is sent.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The body.
    pub fn body(&self) -> String {
        let mut members = Value::Object(self.members.clone()).to_string();
        members.pop();
        format!(r#"{members},"response":{}}}"#, self.response)
    }
}
