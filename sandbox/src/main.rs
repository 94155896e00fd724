//! `bdc-sandbox`: the sandbox as a program.

use std::{
    io::{self, IsTerminal as _, Write as _},
    net::SocketAddr,
    path::PathBuf,
    process::ExitCode,
};

use business_data_connector_sandbox::{Clock, DEMO_BUSINESS, DEMO_HEADER_KEY, Replies, Sandbox};
use clap::{Parser, ValueEnum};
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// The Business Data Connector Service on one machine, for development and tests. It knows the business `demo-business`.
#[derive(Parser)]
#[command(name = "bdc-sandbox", version)]
struct Options {
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:4010")]
    listen: SocketAddr,
    /// An API key that is accepted; without it and --credentials, demo-apikey.
    #[arg(long, env = "BDC_APIKEY", hide_env_values = true, requires = "appid")]
    apikey: Option<String>,
    /// The application identifier that belongs to it; without, demo-appid.
    #[arg(long, env = "BDC_APPID", hide_env_values = true, requires = "apikey")]
    appid: Option<String>,
    /// The header key that is accepted.
    #[arg(long, env = "BDC_HEADER_KEY", hide_env_values = true, default_value = DEMO_HEADER_KEY)]
    header_key: String,
    /// A file with more pairs: an API key and an application identifier on each line.
    #[arg(long)]
    credentials: Option<PathBuf>,
    /// Call webhooks on other machines too; http:// only.
    #[arg(long)]
    allow_remote_callbacks: bool,
    /// The file to keep everything in; without, it is kept in memory.
    #[arg(long)]
    data: Option<PathBuf>,
    /// What answers carry: nothing, as specified, or JSON, as observed in deployed services.
    #[arg(long, value_enum, default_value = "specified")]
    replies: Answers,
    /// Refuse keys that the interface does not know, instead of logging them, and what deployed services were seen to refuse.
    #[arg(long)]
    strict: bool,
    /// How fast the waits between attempts at a callback go, such as 100x.
    #[arg(long, default_value = "1x")]
    clock: Clock,
    /// The size of a body, in bytes, over which it is refused.
    #[arg(long, default_value_t = 16 * 1024 * 1024)]
    body_limit: usize,
    /// How many connections are served at once; more wait.
    #[arg(long, default_value_t = 512)]
    connections: usize,
    /// How long the head of a request may take, how long its body, and how long an answer may wait for its reader.
    #[arg(long, default_value = "30s")]
    read_time: humantime::Duration,
}

#[derive(Clone, Copy, ValueEnum)]
enum Answers {
    Specified,
    Observed,
}

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_env_filter(filter)
        .init();
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bdc-sandbox: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> io::Result<()> {
    let mut signals = Signals::caught()?;
    let listen = options.listen;
    let mut sandbox = Sandbox::builder();
    if let Some(file) = options.data {
        sandbox = sandbox.data(file);
    }
    if let (Some(apikey), Some(appid)) = (options.apikey, options.appid) {
        sandbox = sandbox.credentials(apikey, appid);
    }
    if let Some(file) = options.credentials {
        let named = format!("the credentials in {}", file.display());
        sandbox = sandbox.credentials_in(file).map_err(|e| io::Error::new(e.kind(), format!("{named}: {e}")))?;
    }
    let sandbox = sandbox
        .listen(listen)
        .allow_remote_callbacks(options.allow_remote_callbacks)
        .strict(options.strict)
        .clock(options.clock)
        .body_limit(options.body_limit)
        .connections(options.connections)
        .read_time(*options.read_time)
        .replies(match options.replies {
            Answers::Specified => Replies::Specified,
            Answers::Observed => Replies::Observed,
        })
        .header_key(options.header_key)
        .start()
        .await
        .map_err(|e| io::Error::new(e.kind(), format!("cannot start on {listen}: {e}")))?;
    println!("listening on {} (business {DEMO_BUSINESS}, page at {0}/_sandbox/)", sandbox.base_url());
    io::stdout().flush()?;
    signals.next().await?;
    // What was taken is finished first; a second signal does not wait for it.
    tokio::select! {
        stopped = sandbox.stop() => stopped,
        again = signals.next() => again,
    }
}

/// What ends the program: Ctrl-C, or what a service manager sends. They are caught from the time that this is made.
struct Signals {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
}

impl Signals {
    fn caught() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt())?,
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> io::Result<()> {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => Ok(()),
            _ = self.terminate.recv() => Ok(()),
        }
        #[cfg(not(unix))]
        tokio::signal::ctrl_c().await
    }
}
