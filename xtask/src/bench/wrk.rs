//! The load: wrk, which keeps 64 connections busy.

use std::process::Command;

use anyhow::{Context, Result, bail};

use super::programs::output;
use crate::workspace::root;

/// What is left out without it, and how to have it.
pub const MISSING: &str = "wrk is not installed; on Debian: apt-get install wrk";

const SCRIPT: &str = "benches/sandbox-load/push.lua";

/// What a server has answered.
#[derive(Debug, PartialEq)]
pub struct Answered {
    pub requests: u64,
    pub per_second: f64,
}

/// How many connections there are, and so how many requests may be under way at the end.
pub const CONNECTIONS: u64 = 64;

/// Pushes records to a server for some seconds; an error if it refuses one.
pub fn push(url: &str, seconds: u32) -> Result<Answered> {
    let mut wrk = Command::new("wrk");
    // A reply may take long on a machine that is busy.
    wrk.args(["--threads=1", "--timeout=30s"])
        .arg(format!("--connections={CONNECTIONS}"))
        .arg(format!("--duration={seconds}s"));
    parse(&output(wrk.arg("--script").arg(root().join(SCRIPT)).arg(url))?)
}

fn parse(text: &str) -> Result<Answered> {
    for problem in ["Non-2xx", "Socket errors"] {
        if let Some(line) = text.lines().find(|line| line.trim_start().starts_with(problem)) {
            bail!("not every push was answered 200: {}", line.trim());
        }
    }
    let requests = text.lines().find_map(|line| line.split_once(" requests in ")?.0.trim().parse().ok());
    let per_second = text.lines().find_map(|line| line.strip_prefix("Requests/sec:")?.trim().parse().ok());
    let answered = requests.zip(per_second).with_context(|| format!("wrk wrote something else:\n{text}"))?;
    Ok(Answered { requests: answered.0, per_second: answered.1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
Running 8s test @ http://127.0.0.1:4012
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     4.05ms    1.02ms  27.31ms   92.11%
    Req/Sec    15.83k   812.01    17.02k    85.00%
  126041 requests in 8.01s, 13.22MB read
Requests/sec:  15740.52
Transfer/sec:      1.65MB
";

    #[test]
    fn the_number_of_answers_and_their_rate_are_read() {
        assert_eq!(parse(OUTPUT).unwrap(), Answered { requests: 126_041, per_second: 15_740.52 });
    }

    #[test]
    fn a_push_that_was_refused_or_not_answered_is_an_error() {
        for line in
            ["  Non-2xx or 3xx responses: 3", "  Socket errors: connect 0, read 2, write 0, timeout 0", "Requests"]
        {
            let text = OUTPUT.replace("Requests/sec", line);
            assert!(parse(&text).is_err(), "{line}");
        }
    }
}
