//! The default TLS trusts whom the platform trusts, and nobody else.

#![cfg(feature = "rustls")]

mod support;

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use business_data_connector::RetryPolicy;
use support::{TestResult, builder};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};

/// An https service, what got through to it, and its certificate, which nobody but itself has signed.
async fn service() -> Result<(String, Arc<Counts>, String), Box<dyn Error>> {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der())?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)?;
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("https://localhost:{}", listener.local_addr()?.port());
    let counts = Arc::<Counts>::default();
    let counted = counts.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.connections.fetch_add(1, Ordering::SeqCst);
            if let Ok(mut stream) = acceptor.accept(stream).await {
                let mut bytes = [0; 4096];
                let read = stream.read(&mut bytes).await.unwrap_or(0);
                counted.bytes.fetch_add(read, Ordering::SeqCst);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await;
                let _ = stream.shutdown().await;
            }
        }
    });
    Ok((url, counts, certified.cert.pem()))
}

#[derive(Default)]
struct Counts {
    connections: AtomicUsize,
    bytes: AtomicUsize,
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_stops_the_request_before_it_is_sent() -> TestResult {
    let (url, counts, _) = service().await?;
    let error =
        builder(&url).retry_policy(RetryPolicy::never()).build()?.push_reset("u").await.err().ok_or("it succeeded")?;
    assert!(error.is_never_sent(), "{error:?}");
    let mut causes = Vec::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        causes.push(error.to_string());
        cause = error.source();
    }
    assert!(causes.iter().any(|cause| cause.contains("certificate")), "{causes:?}");
    assert_eq!(counts.bytes.load(Ordering::SeqCst), 0);
    Ok(())
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_not_retried() -> TestResult {
    let (url, counts, _) = service().await?;
    let error = builder(&url)
        .retry_policy(RetryPolicy::new().max_attempts(3))
        .build()?
        .push_reset("u")
        .await
        .err()
        .ok_or("it succeeded")?;
    assert!(error.is_never_sent(), "{error:?}");
    assert_eq!((counts.connections.load(Ordering::SeqCst), counts.bytes.load(Ordering::SeqCst)), (1, 0));
    Ok(())
}

/// What Linux trusts is told by `SSL_CERT_FILE`, which only a process of its own can be given.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_certificate_of_a_known_authority_is_trusted() -> TestResult {
    let (url, counts, certificate) = service().await?;
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), certificate)?;
    let mut child = std::process::Command::new(std::env::current_exe()?);
    child.args(["--exact", "in_a_process_that_trusts_the_authority", "--ignored"]);
    child.env("SSL_CERT_FILE", file.path()).env("BDC_TEST_URL", url);
    let output = tokio::task::spawn_blocking(move || child.output()).await??;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(counts.bytes.load(Ordering::SeqCst) > 0);
    Ok(())
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "run by the test before it"]
async fn in_a_process_that_trusts_the_authority() -> TestResult {
    builder(&std::env::var("BDC_TEST_URL")?).build()?.push_reset("u").await?;
    Ok(())
}
