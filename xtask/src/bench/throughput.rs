//! How many pushes a second the sandbox answers, beside servers that only validate.

use std::{collections::BTreeMap, fmt::Write};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{
    limits::Ratio,
    process,
    results::Results,
    servers::Server,
    spread::Spread,
    wrk::{self, Answered},
};

/// How long each server is under load in a round.
const SECONDS: u32 = 8;
const ROUNDS: usize = 3;

/// What the others are compared with.
const PEER: &str = "prism";
const IN_MEMORY: &str = "sandbox, in memory";
const DURABLE: &str = "sandbox, durable";

/// What a server did in a round.
struct Measured {
    per_second: f64,
    /// Microseconds of CPU time for each push that was answered.
    cpu: f64,
}

/// The rounds of each server, in the order of the table.
type Rounds = BTreeMap<(usize, &'static str), Vec<Measured>>;

pub fn measure(results: &mut Results) -> Result<()> {
    let mut rounds = Rounds::new();
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("sandbox.db").to_string_lossy().into_owned();
        let servers: [(&str, &dyn Fn() -> Result<Server>); 4] = [
            (PEER, &Server::prism),
            ("openapi-backend", &Server::openapi_backend),
            (IN_MEMORY, &|| Server::sandbox(&[])),
            (DURABLE, &|| Server::sandbox(&["--data", &file])),
        ];
        for (at, (name, start)) in servers.into_iter().enumerate() {
            rounds.entry((at, name)).or_default().push(round(name, &start()?).context(name)?);
        }
    }
    results.section(table(&rounds));
    let rate = |name| middle(&rounds, name, |measured| measured.per_second);
    for (name, of) in [("memory", IN_MEMORY), ("durable", DURABLE)] {
        results.ratios.push(Ratio { name: format!("sandbox.{name}"), value: rate(PEER) / rate(of) });
    }
    Ok(())
}

fn round(name: &str, server: &Server) -> Result<Measured> {
    let before = process::cpu(server.id())?;
    let Answered { requests, per_second } = wrk::push(server.url(), SECONDS)?;
    let cpu = process::cpu(server.id())? - before;
    if name == DURABLE {
        let stored = stored(server.url())?;
        // Those that were under way at the end may be stored without having been answered.
        let expected = requests..=requests + wrk::CONNECTIONS;
        ensure!(expected.contains(&stored), "{requests} pushes were answered, but {stored} records are stored");
    }
    Ok(Measured { per_second, cpu: cpu * 1e6 / requests as f64 })
}

/// How many records a sandbox has.
pub fn stored(url: &str) -> Result<u64> {
    let text = ureq::get(format!("{url}/_sandbox/businesses")).call()?.body_mut().read_to_string()?;
    let businesses: Value = serde_json::from_str(&text)?;
    let count = businesses.as_array().and_then(|businesses| businesses.first()?["records"].as_u64());
    count.with_context(|| format!("the sandbox does not say how many records it has: {text}"))
}

/// The median of the rounds of a server.
fn middle(rounds: &Rounds, name: &str, value: fn(&Measured) -> f64) -> f64 {
    let of = rounds.iter().find(|((_, other), _)| *other == name);
    let spread = Spread::of(of.into_iter().flat_map(|(_, rounds)| rounds).map(value));
    spread.map_or(f64::NAN, |spread| spread.median)
}

fn table(rounds: &Rounds) -> String {
    let peer = middle(rounds, PEER, |measured| measured.per_second);
    let mut text = format!(
        "## Sandbox under load\n\nwrk pushes records one by one over {} connections, for {SECONDS} seconds in each of \
         {ROUNDS} rounds; the same document and load\nfor all. The others validate and store nothing. The CPU time is \
         that of the server. The median of the rounds.\n\n\
         | server | pushes/s | ratio to {PEER} | CPU in µs per push |\n|---|---:|---:|---:|\n",
        wrk::CONNECTIONS
    );
    for (_, name) in rounds.keys() {
        let (rate, cpu) =
            (middle(rounds, name, |measured| measured.per_second), middle(rounds, name, |measured| measured.cpu));
        // Writing to a String does not fail.
        let _ = writeln!(text, "| {name} | {rate:.0} | {:.1} | {cpu:.0} |", rate / peer);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_median_of_the_rounds_and_its_ratio_to_prism() {
        let rounds = |rates: [f64; 3]| {
            rates.into_iter().map(|per_second| Measured { per_second, cpu: 1e6 / per_second }).collect()
        };
        let rounds =
            [((0, PEER), rounds([1_000.0, 5_000.0, 2_000.0])), ((1, DURABLE), rounds([40_000.0, 20_000.0, 25_000.0]))];
        let text = table(&rounds.into());
        assert!(text.ends_with("| prism | 2000 | 1.0 | 500 |\n| sandbox, durable | 25000 | 12.5 | 40 |\n"), "{text}");
    }
}
