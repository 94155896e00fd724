use std::{
    error::Error,
    sync::{Arc, Mutex, PoisonError},
};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ALL_VERSIONS, ProtocolVersion, RootCertStore, ServerConfig, SupportedProtocolVersion,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer},
        server::WebPkiClientVerifier,
    },
};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Signs certificates. No platform trusts it.
pub struct Authority {
    certificate: rcgen::Certificate,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub fn new(name: &str) -> Fallible<Self> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate()?;
        Ok(Self { certificate: params.self_signed(&key)?, issuer: Issuer::new(params, key) })
    }

    pub fn pem(&self) -> String {
        self.certificate.pem()
    }

    /// A certificate for a host or a client, and its key, both as PEM.
    pub fn identity(&self, name: &str) -> Fallible<String> {
        let (certificate, key) = self.sign(name)?;
        Ok(certificate.pem() + &key.serialize_pem())
    }

    fn sign(&self, name: &str) -> Fallible<(rcgen::Certificate, KeyPair)> {
        let key = KeyPair::generate()?;
        Ok((CertificateParams::new([name.to_owned()])?.signed_by(&key, &self.issuer)?, key))
    }
}

/// A connection as the server saw it.
#[derive(Clone, Default)]
pub struct Connection {
    /// Unless the handshake failed.
    pub version: Option<ProtocolVersion>,
    pub server_name: Option<String>,
    /// How many bytes of a request arrived.
    pub bytes: usize,
}

/// An https service at `localhost` that answers 200 to everything.
pub struct TlsServer {
    pub url: String,
    pub authority: Authority,
    connections: Arc<Mutex<Vec<Connection>>>,
}

impl TlsServer {
    pub async fn start() -> Fallible<Self> {
        Self::serve(ALL_VERSIONS, false).await
    }

    pub async fn with_version(version: &'static SupportedProtocolVersion) -> Fallible<Self> {
        Self::serve(&[version], false).await
    }

    /// Requires a client certificate that its authority signed.
    pub async fn with_client_certificates() -> Fallible<Self> {
        Self::serve(ALL_VERSIONS, true).await
    }

    async fn serve(versions: &[&'static SupportedProtocolVersion], client_certificates: bool) -> Fallible<Self> {
        let authority = Authority::new("the service")?;
        let (certificate, key) = authority.sign("localhost")?;
        let provider = Arc::new(ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider.clone()).with_protocol_versions(versions)?;
        let config = if client_certificates {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from(authority.certificate.der().to_vec()))?;
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build()?;
            config.with_client_cert_verifier(verifier)
        } else {
            config.with_no_client_auth()
        };
        let key = PrivateKeyDer::try_from(key.serialize_der())?;
        let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(vec![certificate.der().clone()], key)?));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("https://localhost:{}", listener.local_addr()?.port());
        let connections = Arc::<Mutex<Vec<Connection>>>::default();
        let kept = connections.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(Connection::default());
                let connection = answer(&acceptor, stream).await;
                if let Some(last) = kept.lock().unwrap_or_else(PoisonError::into_inner).last_mut() {
                    *last = connection;
                }
            }
        });
        Ok(Self { url, authority, connections })
    }

    pub fn connections(&self) -> Vec<Connection> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many bytes of requests arrived.
    pub fn bytes(&self) -> usize {
        self.connections().iter().map(|connection| connection.bytes).sum()
    }
}

async fn answer(acceptor: &TlsAcceptor, stream: TcpStream) -> Connection {
    let Ok(mut stream) = acceptor.accept(stream).await else { return Connection::default() };
    let session = stream.get_ref().1;
    let (version, server_name) = (session.protocol_version(), session.server_name().map(ToOwned::to_owned));
    let mut request = [0; 4096];
    let bytes = stream.read(&mut request).await.unwrap_or(0);
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await;
    let _ = stream.shutdown().await;
    Connection { version, server_name, bytes }
}
