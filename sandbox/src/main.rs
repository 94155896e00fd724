//! `bdc-sandbox`: the sandbox as a program.

use std::{io, io::Write as _, net::SocketAddr, process::ExitCode};

use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, Sandbox};
use clap::Parser;
use tracing_subscriber::EnvFilter;

/// The Business Data Connector Service on one machine, for development and tests. It knows the business `demo-business`.
#[derive(Parser)]
#[command(name = "bdc-sandbox", version)]
struct Options {
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:4010")]
    listen: SocketAddr,
    /// The API key that is accepted.
    #[arg(long, env = "BDC_APIKEY", hide_env_values = true, default_value = DEMO_APIKEY)]
    apikey: String,
    /// The application identifier that is accepted.
    #[arg(long, env = "BDC_APPID", hide_env_values = true, default_value = DEMO_APPID)]
    appid: String,
    /// The header key that is accepted.
    #[arg(long, env = "BDC_HEADER_KEY", hide_env_values = true, default_value = DEMO_HEADER_KEY)]
    header_key: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().with_writer(io::stderr).with_env_filter(filter).init();
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bdc-sandbox: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> io::Result<()> {
    let listen = options.listen;
    let sandbox = Sandbox::builder()
        .listen(listen)
        .credentials(options.apikey, options.appid)
        .header_key(options.header_key)
        .start()
        .await
        .map_err(|e| io::Error::new(e.kind(), format!("cannot listen on {listen}: {e}")))?;
    println!("listening on {} (business {DEMO_BUSINESS})", sandbox.base_url());
    io::stdout().flush()?;
    tokio::signal::ctrl_c().await?;
    // What was taken is answered first; a second Ctrl-C does not wait for it.
    tokio::select! {
        stopped = sandbox.stop() => stopped,
        interrupted = tokio::signal::ctrl_c() => interrupted,
    }
}
