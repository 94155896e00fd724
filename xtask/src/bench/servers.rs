//! The servers that are put under load.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::{
    command,
    tools::{node, sandbox::Sandbox},
    workspace::{DOCUMENT, root},
};

/// The folder with what is not Rust, and its versions.
const FOLDER: &str = "benches/sandbox-load";

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server, which is stopped on drop.
pub enum Server {
    Sandbox(Sandbox),
    Node(Node),
}

/// A program of Node.js that listens on a port.
pub struct Node {
    process: Child,
    url: String,
}

impl Server {
    /// A sandbox that was built for release.
    pub fn sandbox(options: &[&str]) -> Result<Self> {
        let mut program = Command::new(root().join("target/release/bdc-sandbox"));
        Ok(Self::Sandbox(Sandbox::start_with(program.args(options))?))
    }

    pub fn prism() -> Result<Self> {
        let port = free_port()?;
        let prism = packages()?.join("node_modules/.bin/prism");
        let options = ["mock", "--verboseLevel", "silent", "--port", &port.to_string(), DOCUMENT];
        Node::start(Command::new("node").arg(prism).args(options), port).map(Self::Node)
    }

    pub fn openapi_backend() -> Result<Self> {
        let port = free_port()?;
        let program = packages()?.join("backend.mjs");
        Node::start(Command::new("node").arg(program).args([DOCUMENT, &port.to_string()]), port).map(Self::Node)
    }

    pub fn url(&self) -> &str {
        match self {
            Self::Sandbox(sandbox) => &sandbox.url,
            Self::Node(node) => &node.url,
        }
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        match self {
            Self::Sandbox(sandbox) => sandbox.id(),
            Self::Node(node) => node.process.id(),
        }
    }
}

/// Builds the sandbox for release.
pub fn build_sandbox() -> Result<()> {
    command::cargo(&["build", "--quiet", "--release", "--package", "business-data-connector-sandbox"])
}

/// The folder below `target/` in which the packages are installed, with our program beside them, which imports them.
fn packages() -> Result<PathBuf> {
    let folder = root().join("target/sandbox-load");
    node::install(FOLDER, &folder)?;
    let program = "backend.mjs";
    fs::copy(root().join(FOLDER).join(program), folder.join(program)).context(program)?;
    Ok(folder)
}

impl Node {
    /// Starts a program and waits until it listens.
    fn start(program: &mut Command, port: u16) -> Result<Self> {
        // Where it names production, Prism would run as several processes.
        program.current_dir(root()).env_remove("NODE_ENV").stdin(Stdio::null()).stdout(Stdio::null());
        let process = program.spawn().with_context(|| format!("cannot run {program:?}"))?;
        let mut node = Self { process, url: format!("http://127.0.0.1:{port}") };
        let begun = Instant::now();
        while TcpStream::connect(address(port)).is_err() {
            if let Some(status) = node.process.try_wait()? {
                bail!("{program:?} ended with {status}");
            }
            if begun.elapsed() > PATIENCE {
                bail!("{program:?} does not listen on its port");
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(node)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // Both fail if it has already exited.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(address(0))?.local_addr()?.port())
}

fn address(port: u16) -> SocketAddr {
    ([127, 0, 0, 1], port).into()
}
