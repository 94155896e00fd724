//! Receiving callbacks in an axum server of one's own: two instances behind one address, with the same key and no
//! shared state. Whichever of them gets a callback verifies it and knows which request it answers.
//!
//! ```sh
//! cargo run --example receive
//! cargo run --example receive -- UID    # for a business other than `demo-business`
//! ```
//!
//! Callbacks are received on 127.0.0.1, so the service has to be on this machine, such as the sandbox.

mod common;

use std::{
    error::Error,
    net::SocketAddr,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{Router, body::Body, extract::Request, response::Response};
use business_data_connector::{
    Connector,
    callback::{CallbackEndpoint, CallbackKey},
    inbox::{Callbacks, Inbox},
    types::{IncomeRecord, PushIncomeRequest},
};
use tokio::{net::TcpListener, time::timeout};

/// How many requests are sent.
const REQUESTS: usize = 6;

#[tokio::main]
async fn main() -> ExitCode {
    common::exit_code(run().await)
}

async fn run() -> Result<(), Box<dyn Error>> {
    let uid = std::env::args().nth(1).unwrap_or_else(|| "demo-business".to_owned());
    let connector = Connector::from_env()?;

    // In production the balancer is there already, the base URL is its public one with `https`, and the secret comes
    // from where your other secrets are.
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let public_url = format!("http://{}/callbacks", listener.local_addr()?);
    let secret = b"32 bytes that were read at start";
    let instances = [instance(&public_url, secret).await?, instance(&public_url, secret).await?];
    let addresses = [instances[0].address, instances[1].address];
    tokio::spawn(async move { axum::serve(listener, balancer(addresses)).await });

    // The requests are sent by something else: it needs the key as well, and none of the instances.
    let endpoint = CallbackEndpoint::new(&public_url, CallbackKey::new(1, secret)?)?;
    for number in 0..REQUESTS {
        let income = IncomeRecord::new().id(format!("INV-5-{number}")).amount(20);
        let mut request = PushIncomeRequest::new(&uid, income);
        let address = endpoint.attach(&mut request)?;
        connector.send(request).await?;
        println!("sent      {}", address.id());
    }

    for (number, instance) in instances.into_iter().enumerate() {
        let mut callbacks = instance.callbacks;
        for _ in 0..REQUESTS / 2 {
            let received = timeout(Duration::from_secs(10), callbacks.next()).await??;
            let (id, operation) = (received.id(), received.operation_id());
            println!("received  {id}  by instance {number}: {operation}: {}", received.message().unwrap_or("-"));
            // Write the outcome into your database here, and then:
            received.done().await?;
        }
    }
    Ok(())
}

/// An instance of the application.
struct Instance {
    address: SocketAddr,
    callbacks: Callbacks,
}

async fn instance(public_url: &str, secret: &[u8]) -> Result<Instance, Box<dyn Error>> {
    let inbox = Inbox::builder(public_url, CallbackKey::new(1, secret)?).build()?;
    // The routes of your application stand beside it.
    let application = Router::new().nest("/callbacks", inbox.router());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, application).await });
    Ok(Instance { address, callbacks: inbox.callbacks() })
}

/// Passes each request to the next instance.
fn balancer(instances: [SocketAddr; 2]) -> Router {
    let next = Arc::new(AtomicUsize::new(0));
    let client = hyper_util::client::legacy::Client::builder(hyper_util::rt::TokioExecutor::new()).build_http();
    Router::new().fallback(move |mut request: Request| {
        let instance = instances[next.fetch_add(1, Ordering::Relaxed) % instances.len()];
        let client = client.clone();
        async move {
            let path = request.uri().path();
            *request.uri_mut() = format!("http://{instance}{path}").parse().map_err(|_| "the path is not valid")?;
            let response = client.request(request).await.map_err(|_| "the instance is not there")?;
            Ok::<Response<Body>, &str>(response.map(Body::new))
        }
    })
}
