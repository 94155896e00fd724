//! Programs that are run: third-party tools, and the sandbox.

pub mod chromium;
pub mod hadolint;
pub mod node;
pub mod python;
pub mod redocly;
pub mod reference;
pub mod sandbox;
pub mod schemathesis;
pub mod spectral;
