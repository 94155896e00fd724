//! Programs that serve until their input ends.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result};

/// A process that is running; it ends with the value.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = BufReader::new(child.stdout.take().context("a server has no output")?);
        Ok(Self { input: child.stdin.take(), child, output })
    }

    /// The next line that it prints; `None` if it has ended.
    pub fn line(&mut self) -> Result<Option<String>> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.strip_suffix('\n').map(str::to_owned))
    }

    /// Whether it could read the line.
    pub fn tell(&mut self, line: &str) -> bool {
        self.input.as_mut().is_some_and(|input| writeln!(input, "{line}").is_ok())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.input.take();
        let _ = self.child.wait();
    }
}
