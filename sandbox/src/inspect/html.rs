//! Pages, with headers that let only their own scripts run.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};

/// A page of which only the scripts and styles in it are applied, and which talks to the sandbox only.
pub(super) fn page(html: &str) -> Response {
    let Ok(nonce) = nonce() else {
        return (StatusCode::INTERNAL_SERVER_ERROR, "the system provides no random numbers").into_response();
    };
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; \
         frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    );
    let html = html.replace("<script>", &format!("<script nonce=\"{nonce}\">"));
    match HeaderValue::try_from(policy) {
        Ok(policy) => ([(header::CONTENT_SECURITY_POLICY, policy)], Html(html)).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A number that no other page can know, under which a browser runs the scripts of this reply.
fn nonce() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
