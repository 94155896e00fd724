//! Operations whose data is a file that is uploaded before.

use serde_json::Value;

/// The extension of an operation that names an uploaded file by its address.
pub(crate) const UPLOAD: &str = "x-upload";

/// How the file of an operation is uploaded: `x-upload`. All of it is observed or assumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// The name of the Rust method that uploads a file and calls the operation.
    pub method: String,
    /// The schema of the elements of the file, which is a JSON array.
    pub items: String,
    /// The `operationId` of the operation that returns an address to which the file is PUT.
    pub address_from: String,
    /// The property that holds the address: in the `response` of that operation, and in the `data` of this one.
    pub address: String,
}

impl Upload {
    /// The members of `x-upload`, each of which is a text.
    pub(crate) const MEMBERS: [&str; 4] = ["address", "address-from", "items", "method"];

    /// The upload of an operation; `None` if it has none, or one that is not complete.
    pub(crate) fn read(operation: &Value) -> Option<Self> {
        let text = |member: &str| operation[UPLOAD][member].as_str().map(str::to_owned);
        Some(Self {
            method: text("method")?,
            items: text("items")?,
            address_from: text("address-from")?,
            address: text("address")?,
        })
    }
}
