//! Uploads the settlement file.

use axum::http::{Method, Request, header::CONTENT_TYPE};
use business_data_connector::types::SettlementEntry;
use http_body_util::Full;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};

/// Uploads the entries to a presigned URL. Error messages leave the URL out, since its query may grant access.
pub async fn put(url: &str, entries: &[SettlementEntry]) -> Result<(), String> {
    let body = serde_json::to_vec(entries).map_err(|e| e.to_string())?;
    let request = Request::builder().method(Method::PUT).uri(url).header(CONTENT_TYPE, "application/json");
    let request =
        request.body(Full::<axum::body::Bytes>::from(body)).map_err(|e| format!("the upload URL is not valid: {e}"))?;
    let client = Client::builder(TokioExecutor::new()).build_http();
    let response =
        client.request(request).await.map_err(|e| format!("the settlement file could not be uploaded: {e}"))?;
    match response.status() {
        status if status.is_success() => Ok(()),
        status => Err(format!("the settlement file could not be uploaded: the server answered {status}")),
    }
}
