//! What every sandbox starts with, so that a first call needs no set-up.

/// The API key that is accepted unless other credentials are configured.
pub const DEMO_APIKEY: &str = "demo-apikey";
/// The application identifier that belongs to [`DEMO_APIKEY`].
pub const DEMO_APPID: &str = "demo-appid";
/// The header key that is accepted unless another is configured.
pub const DEMO_HEADER_KEY: &str = "demo-header-key";
/// The `uid` of the business that exists from the start, and again after a reset of the sandbox.
pub const DEMO_BUSINESS: &str = "demo-business";
