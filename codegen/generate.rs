//! Runs progenitor on the prepared document.

use std::error::Error;

use business_data_connector_document::DECIMAL;
use openapiv3::OpenAPI;
use progenitor::{GenerationSettings, Generator, HooksMode, InterfaceStyle, TagStyle, TypeImpl};
use quote::quote;
use serde_json::Value;

/// The client and types that progenitor generates.
pub(crate) fn client(prepared: &Value) -> Result<syn::File, Box<dyn Error>> {
    let openapi: OpenAPI =
        serde_json::from_value(prepared.clone()).map_err(|e| format!("document: is not valid OpenAPI 3.0: {e}"))?;
    let mut settings = GenerationSettings::default();
    settings
        .with_interface(InterfaceStyle::Positional)
        .with_tag(TagStyle::Merged)
        .with_hooks(HooksMode::Expected)
        .with_inner_type(quote!(std::sync::Arc<crate::attempt::Attempt>))
        .with_derive("PartialEq")
        .with_replacement(DECIMAL, "crate::Decimal", [TypeImpl::Display, TypeImpl::FromStr].into_iter());
    let tokens = Generator::new(&settings).generate_tokens(&openapi)?;
    Ok(syn::parse2(tokens)?)
}
