//! The default TLS does shake hands, and trusts nobody unknown.

#![cfg(feature = "rustls")]

mod support;

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use support::{Outcome, builder};
use tokio::{io::AsyncReadExt, net::TcpListener};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};

/// An https service whose certificate nobody has signed, and what got through to it.
async fn unknown_authority() -> Result<(String, Arc<Counts>), Box<dyn Error>> {
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
                let mut bytes = Vec::new();
                let _ = stream.read_to_end(&mut bytes).await;
                counted.bytes.fetch_add(bytes.len(), Ordering::SeqCst);
            }
        }
    });
    Ok((url, counts))
}

#[derive(Default)]
struct Counts {
    connections: AtomicUsize,
    bytes: AtomicUsize,
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_stops_the_request_before_it_leaves() -> Outcome {
    let (url, counts) = unknown_authority().await?;
    let error = builder(&url).attempts(1).build()?.push_reset("u").await.err().ok_or("it succeeded")?;
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
async fn a_write_is_repeated_while_it_never_left() -> Outcome {
    let (url, counts) = unknown_authority().await?;
    let error = builder(&url).attempts(3).build()?.push_reset("u").await.err().ok_or("it succeeded")?;
    assert!(error.is_never_sent(), "{error:?}");
    assert_eq!((counts.connections.load(Ordering::SeqCst), counts.bytes.load(Ordering::SeqCst)), (3, 0));
    Ok(())
}
