//! Programs that are run: third-party tools, and the sandbox.

pub mod chromium;
pub mod redocly;
pub mod reference;
pub mod sandbox;
pub mod schemathesis;
pub mod spectral;
