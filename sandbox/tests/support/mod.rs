//! What several tests need.

use axum::Router;
use tokio::net::TcpListener;

/// Serves this on a free port, as a receiver of callbacks, and gives its address.
pub async fn served(router: Router) -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async { axum::serve(listener, router).await });
    Ok(url)
}
