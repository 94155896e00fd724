//! A redirect carries no credential to another host.

mod support;

use axum::{body::Body, http::Response};
use support::{Outcome, Service, builder, samples};

async fn redirecting(status: u16, to: &str) -> std::io::Result<Service> {
    let to = format!("{to}/elsewhere");
    Service::start(move |_| {
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
async fn the_target_of_a_redirect_sees_nothing() -> Outcome {
    let target = Service::agreeable().await?;
    for status in [301, 302, 303, 307, 308] {
        let service = redirecting(status, &target.url).await?;
        let connector = builder(&service.url).build()?;
        for sample in samples()? {
            let error = sample.call(&connector).await.err().ok_or("a redirect is no success")?;
            assert_eq!(error.status().map(|got| got.as_u16()), Some(status));
        }
    }
    assert_eq!(target.seen().len(), 0);
    Ok(())
}

#[cfg(feature = "rustls")]
#[tokio::test]
async fn even_a_client_that_follows_redirects_never_sends_the_body_again_nor_reports_success() -> Outcome {
    // What users do who bring a client of their own; the provider is the application's to choose.
    let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
    let target = Service::agreeable().await?;
    for status in [302, 307] {
        let service = redirecting(status, &target.url).await?;
        let connector = builder(&service.url).client(reqwest::Client::new()).build()?;
        let error = connector.push_reset("u").await.err().ok_or("a redirect is no success")?;
        assert_eq!(error.is_outcome_unknown(), status == 302, "{error:?}");
    }
    assert!(target.seen().iter().all(|seen| seen.body.is_empty()));
    Ok(())
}
