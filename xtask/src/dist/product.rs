//! What `dist` makes.

/// A file that is published.
pub struct Product {
    pub name: String,
    pub bytes: Vec<u8>,
}
