//! Redirects are not followed, so credentials are never sent to another host.

mod support;

use axum::{body::Body, http::Response};
use support::{MockServer, TestResult, builder, samples};

async fn redirecting(status: u16, to: &str) -> std::io::Result<MockServer> {
    let to = format!("{to}/elsewhere");
    MockServer::start(move |_| {
        let to = to.clone();
        async move {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = axum::http::StatusCode::from_u16(status).unwrap_or_default();
            if let Ok(to) = to.parse() {
                response.headers_mut().insert("location", to);
            }
            response
        }
    })
    .await
}

#[tokio::test]
async fn the_target_of_a_redirect_receives_nothing() -> TestResult {
    let target = MockServer::accepting().await?;
    for status in [301, 302, 303, 307, 308] {
        let service = redirecting(status, &target.url).await?;
        let connector = builder(&service.url).build()?;
        for sample in samples()? {
            let error = sample.call(&connector).await.err().ok_or("a redirect is not a success")?;
            assert_eq!(error.status().map(|got| got.as_u16()), Some(status));
        }
    }
    assert_eq!(target.seen().len(), 0);
    Ok(())
}

#[tokio::test]
async fn redirects_are_not_followed_even_if_the_client_is_configured_to() -> TestResult {
    let target = MockServer::accepting().await?;
    for to in [target.url.clone(), String::new()] {
        for status in [302, 303, 307] {
            let service = redirecting(status, &to).await?;
            let follow = |client: reqwest::ClientBuilder| client.redirect(reqwest::redirect::Policy::limited(5));
            let connector = builder(&service.url).configure_client(follow).build()?;
            let error = connector.push_reset("u").await.err().ok_or("a redirect is not a success")?;
            assert_eq!(error.status().map(|got| got.as_u16()), Some(status));
            assert_eq!(service.seen().len(), 1);
        }
    }
    assert_eq!(target.seen().len(), 0);
    Ok(())
}
