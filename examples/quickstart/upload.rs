//! Puts the settlement file where the upload address says.

use axum::http::{Method, Request, header::CONTENT_TYPE};
use business_data_connector::types::SettlementEntry;
use http_body_util::Full;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};

/// The sentences leave out the address: its query may be what gives access.
pub async fn put(url: &str, entries: &[SettlementEntry]) -> Result<(), String> {
    let body = serde_json::to_vec(entries).map_err(|e| e.to_string())?;
    let request = Request::builder().method(Method::PUT).uri(url).header(CONTENT_TYPE, "application/json");
    let request = request
        .body(Full::<axum::body::Bytes>::from(body))
        .map_err(|e| format!("the upload address is not one: {e}"))?;
    let client = Client::builder(TokioExecutor::new()).build_http();
    let answer = client.request(request).await.map_err(|e| format!("the settlement file was not uploaded: {e}"))?;
    match answer.status() {
        status if status.is_success() => Ok(()),
        status => Err(format!("the settlement file was not uploaded: {status}")),
    }
}
