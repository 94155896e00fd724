//! `bdc-sandbox`: the sandbox as a program.

use std::{
    error::Error,
    fmt::Write as _,
    io::{self, IsTerminal as _, Write as _},
    net::SocketAddr,
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

mod logging;

use business_data_connector_sandbox::{Clock, DEMO_BUSINESS, DEMO_HEADER_KEY, Fault, Replies, Sandbox, SandboxBuilder};
use clap::{Parser, ValueEnum};
use logging::LogQueue;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// A sandbox of the Business Data Connector Service, for development and tests. It has the business `demo-business`.
#[derive(Parser)]
#[command(name = "bdc-sandbox", version, after_long_help = faults())]
struct Options {
    /// The address to listen on; port 0 selects a free port
    #[arg(long, default_value = "127.0.0.1:4010")]
    listen: SocketAddr,
    /// An API key to accept [default without --credentials: demo-apikey]
    #[arg(long, env = "BDC_APIKEY", hide_env_values = true)]
    apikey: Option<String>,
    /// The application identifier that belongs to --apikey [default without --credentials: demo-appid]
    #[arg(long, env = "BDC_APPID", hide_env_values = true)]
    appid: Option<String>,
    /// The header key to accept
    #[arg(long, env = "BDC_HEADER_KEY", hide_env_values = true, default_value = DEMO_HEADER_KEY)]
    header_key: String,
    /// The address under which clients reach the sandbox, such as that of a reverse proxy, for upload addresses
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// A further host name to accept in requests; repeatable [default: IP addresses and localhost only]
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// An origin whose web pages may send requests and read the replies; repeatable [default: none]
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,
    /// A file of further credentials: an API key and an application identifier on each line
    #[arg(long)]
    credentials: Option<PathBuf>,
    /// Also call webhooks on other machines; http:// only
    #[arg(long)]
    allow_remote_callbacks: bool,
    /// The SQLite file to store everything in [default: in memory]
    #[arg(long)]
    data: Option<PathBuf>,
    /// What replies hold: nothing, as specified, or JSON, as observed in deployed services
    #[arg(long, value_enum, default_value = "specified")]
    replies: ReplyContent,
    /// Refuse unknown keys instead of logging them, and data without what deployed services were observed to require
    #[arg(long)]
    strict: bool,
    /// How fast the waits between delivery attempts of a callback pass, such as 100x
    #[arg(long, default_value = "1x")]
    clock: Clock,
    /// The size of the largest body to accept, in bytes
    #[arg(long, default_value_t = SandboxBuilder::DEFAULT_BODY_LIMIT)]
    body_limit: usize,
    /// How many connections are served at the same time; further ones wait
    #[arg(long, default_value_t = SandboxBuilder::DEFAULT_CONNECTIONS)]
    connections: usize,
    /// How long the head of a request may take, how long its body, and how long a reply may wait for its reader
    #[arg(long, default_value_t = SandboxBuilder::DEFAULT_READ_TIMEOUT.into())]
    read_time: humantime::Duration,
    /// How many of the last callbacks are kept once they are delivered or discarded
    #[arg(long, value_name = "COUNT", default_value_t = SandboxBuilder::DEFAULT_KEEP_CALLBACKS)]
    keep_callbacks: u64,
    /// How long an upload address and its file are kept after the address has expired
    #[arg(long, value_name = "TIME", default_value_t = SandboxBuilder::DEFAULT_KEEP_UPLOADS.into())]
    keep_uploads: humantime::Duration,
}

#[derive(Clone, Copy, ValueEnum)]
enum ReplyContent {
    Specified,
    Observed,
}

/// A value that is not empty. An empty one is not set: compose files write `${BDC_APIKEY:-}`.
fn given(value: Option<String>) -> Option<String> {
    value.filter(|value| !value.is_empty())
}

/// The list of faults, for `--help`.
fn faults() -> String {
    let width = Fault::SYNTAX.iter().map(|(syntax, _)| syntax.len()).max().unwrap_or_default();
    let mut text =
        "Faults, which a request asks for in its notes (sandbox:latency=500) or in the header X-Sandbox-Fault:\n"
            .to_owned();
    for (syntax, effect) in Fault::SYNTAX {
        // Writing to a String does not fail.
        let _ = writeln!(text, "  {syntax:width$}  {effect}");
    }
    text
}

#[tokio::main]
async fn main() -> ExitCode {
    let log = match LogQueue::start(io::stderr()) {
        Ok(log) => log,
        Err(error) => return failed(&error.to_string()),
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_writer(log.clone())
        .with_ansi(io::stderr().is_terminal())
        .with_env_filter(filter)
        .init();
    let result = run(Options::parse()).await;
    log.flush(Duration::from_secs(1));
    result.map_or_else(|error| failed(&error.to_string()), |()| ExitCode::SUCCESS)
}

fn failed(problem: &str) -> ExitCode {
    // Without a reader, the exit code says it alone.
    let _ = writeln!(io::stderr(), "bdc-sandbox: {problem}");
    ExitCode::FAILURE
}

async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let mut signals = Signals::catch()?;
    let mut sandbox = Sandbox::builder();
    if let Some(file) = options.data {
        sandbox = sandbox.data(file);
    }
    match (given(options.apikey), given(options.appid)) {
        (Some(apikey), Some(appid)) => sandbox = sandbox.credentials(apikey, appid),
        (None, None) => {}
        (Some(_), None) => return Err("--apikey needs --appid; set both, or neither".into()),
        (None, Some(_)) => return Err("--appid needs --apikey; set both, or neither".into()),
    }
    if let Some(key) = given(Some(options.header_key)) {
        sandbox = sandbox.header_key(key);
    }
    if let Some(url) = given(options.public_url) {
        sandbox = sandbox.public_url(&url)?;
    }
    for name in options.allow_host {
        sandbox = sandbox.allow_host(&name)?;
    }
    for origin in options.cors {
        sandbox = sandbox.cors(&origin)?;
    }
    if let Some(file) = options.credentials {
        sandbox = sandbox.credentials_file(file)?;
    }
    let sandbox = sandbox
        .listen(options.listen)
        .allow_remote_callbacks(options.allow_remote_callbacks)
        .strict(options.strict)
        .clock(options.clock)
        .body_limit(options.body_limit)
        .connections(options.connections)
        .read_timeout(*options.read_time)
        .replies(match options.replies {
            ReplyContent::Specified => Replies::Specified,
            ReplyContent::Observed => Replies::Observed,
        })
        .keep_callbacks(options.keep_callbacks)
        .keep_uploads(*options.keep_uploads)
        .start()
        .await?;
    let mut stdout = io::stdout();
    // Nobody has to read the address.
    let _ = writeln!(stdout, "listening on {} (business {DEMO_BUSINESS}, page at {0}/_sandbox/)", sandbox.base_url());
    let _ = stdout.flush();
    signals.next().await?;
    // Accepted requests are finished first; a second signal does not wait for them.
    tokio::select! {
        stopped = sandbox.stop() => Ok(stopped?),
        again = signals.next() => Ok(again?),
    }
}

/// The signals that end the program: Ctrl-C, and what service managers send.
struct Signals {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
}

impl Signals {
    /// Catches the signals from now on.
    fn catch() -> io::Result<Self> {
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
