//! A connector in a web application: axum handlers share it, and map its errors to HTTP statuses of their own.
//!
//! It listens on a free port, calls itself once, and exits.
//!
//! ```sh
//! cargo run --example axum_server
//! cargo run --example axum_server -- UID    # for a business other than `demo-business`
//! ```

mod common;

use std::{process::ExitCode, time::Duration};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::{
        Request, StatusCode,
        header::{CONTENT_TYPE, RETRY_AFTER},
    },
    response::{IntoResponse, Response},
    routing::post,
};
use business_data_connector::{Connector, Error, Retry, types::IncomeRecord};
use http_body_util::{BodyExt, Full};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};

/// The application. Clones of a connector share its connections.
fn app(connector: Connector) -> Router {
    Router::new().route("/businesses/{uid}/income", post(push_income)).with_state(connector)
}

async fn push_income(
    State(connector): State<Connector>,
    Path(uid): Path<String>,
    Json(income): Json<IncomeRecord>,
) -> Result<StatusCode, Failure> {
    // A handler is dropped when its client disconnects. A call of its own task is not, so its outcome gets known.
    let call = tokio::spawn(connector.push_income(uid, income));
    match call.await {
        Ok(Ok(_)) => Ok(StatusCode::ACCEPTED),
        Ok(Err(error)) => Err(Failure::Call(error)),
        Err(error) => Err(Failure::Task(error)),
    }
}

enum Failure {
    Call(Error),
    Task(tokio::task::JoinError),
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let error = match self {
            Self::Call(error) => error,
            Self::Task(error) => {
                eprintln!("{error}");
                return StatusCode::INTERNAL_SERVER_ERROR.into_response();
            }
        };
        // `Display` shows no secret and no body, so it can be logged.
        eprintln!("{error}");
        let later = |delay: Duration| {
            // Rounded up, so that nobody comes too early.
            let seconds = delay.as_millis().div_ceil(1000).max(1).to_string();
            (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, seconds)], "try again").into_response()
        };
        match error.retry() {
            Retry::Now => later(Duration::ZERO),
            Retry::After(delay) => later(delay),
            // Not 502, 503 or 504, which clients and gateways may retry by themselves.
            Retry::CheckFirst => {
                let text = "the income may have been recorded; check before you send it again";
                (StatusCode::INTERNAL_SERVER_ERROR, text).into_response()
            }
            _ if error.is_refused() => {
                let text = error.message().unwrap_or_else(|| "the service refused the income".to_owned());
                (StatusCode::UNPROCESSABLE_ENTITY, text).into_response()
            }
            // The configuration of this application is at fault, not its client.
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "the accounting service is not available").into_response(),
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    common::exit_code(run().await)
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let uid = std::env::args().nth(1).unwrap_or_else(|| "demo-business".to_owned());
    let app = app(Connector::from_env()?);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/businesses/{uid}/income", listener.local_addr()?);
    let server = tokio::spawn(async { axum::serve(listener, app).await });

    let income = r#"{"id":"INV-4","currency":"ZAR","amount":19.99}"#;
    let request = Request::post(&url).header(CONTENT_TYPE, "application/json").body(Full::<Bytes>::from(income))?;
    let client = Client::builder(TokioExecutor::new()).build_http();
    let response = client.request(request).await?;
    let status = response.status();
    let text = String::from_utf8_lossy(&response.into_body().collect().await?.to_bytes()).into_owned();
    server.abort();

    println!("POST {url}: {status} {text}");
    match status {
        StatusCode::ACCEPTED => Ok(()),
        status => Err(format!("202 was expected, not {status}: {text}").into()),
    }
}
