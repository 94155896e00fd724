//! How many records leave in a second, as a ratio to the bare connector that sends the same batches in the same round.

use std::fmt::Write;

use anyhow::{Context, Result};

use super::{
    process::command,
    run::{Figures, Run},
};
use crate::{
    bench::{limits::Ratio, results::Results, server::Server, spread::Spread},
    command::leave_out,
};

const RECORDS: u64 = 50_000;
const ROUNDS: usize = 5;

/// How long the reply to a batch takes, in milliseconds: at once, and as a service across a network.
pub const LATENCIES: [u64; 2] = [0, 20];

/// A PostgreSQL server.
struct Cluster {
    server: Server,
    version: String,
    databases: usize,
}

impl Cluster {
    /// `None` if PostgreSQL is not installed.
    fn start() -> Result<Option<Self>> {
        let mut cluster =
            Self { server: Server::start(&mut command(&["cluster"]))?, version: String::new(), databases: 0 };
        Ok(cluster.database()?.is_some().then_some(cluster))
    }

    /// A new database: how to connect to it.
    fn database(&mut self) -> Result<Option<String>> {
        self.databases += 1;
        if !self.server.tell(&format!("run_{}", self.databases)) {
            return Ok(None);
        }
        let line = self.server.line()?.unwrap_or_default();
        let Some((version, address)) = line.split_once('\t') else { return Ok(None) };
        self.version = version.to_owned();
        Ok(Some(address.to_owned()))
    }
}

/// What the rounds measured with one store.
struct Arm {
    store: &'static str,
    rounds: Vec<Round>,
}

struct Round {
    bare: Figures,
    outbox: Figures,
}

impl Arm {
    /// How many records a second leave through the outbox, of those that leave without it.
    fn ratio(&self) -> Option<Spread> {
        Spread::of(self.rounds.iter().map(|round| round.bare.seconds / round.outbox.seconds))
    }

    fn row(&self, latency: u64) -> Option<String> {
        let of = |figure: &dyn Fn(&Round) -> f64| Spread::of(self.rounds.iter().map(figure));
        let each_second = |figures: &Figures| RECORDS as f64 / figures.seconds;
        let cpu = |figures: &Figures| figures.cpu_seconds * 10_000.0 / RECORDS as f64;
        Some(format!(
            "| {latency} ms | {} | {:.0} | {:.0} | {:.2} | {:.3} | {:.3} |\n",
            self.store,
            of(&|round| each_second(&round.bare))?,
            of(&|round| each_second(&round.outbox))?,
            self.ratio()?,
            of(&|round| cpu(&round.bare))?,
            of(&|round| cpu(&round.outbox))?,
        ))
    }
}

pub fn measure(results: &mut Results) -> Result<()> {
    let mut cluster = Cluster::start()?;
    let mut text = format!(
        "## Outbox: throughput\n\n{RECORDS} records of eight businesses leave in batches of 100, to a sandbox in a \
         process of its own. `bare` is the connector\nalone, with the same batches and an inbox that stores the same \
         callbacks; the time is that to the last answer. The ratio is\nthe share of its records a second that leave \
         through the outbox. CPU seconds are those of the process up to the last callback,\nper 10,000 records; the \
         PostgreSQL server has its own. Medians of {ROUNDS} rounds.\n\n\
         | replies take | store | bare, records a second | outbox, records a second | ratio | bare, CPU s | outbox, CPU s \
         |\n|---:|---|---:|---:|---:|---:|---:|\n"
    );
    for latency in LATENCIES {
        for arm in rounds(latency, cluster.as_mut())? {
            text += &arm.row(latency).context("there was no round")?;
            if let Some(ratio) = arm.ratio() {
                let name = format!("outbox.{}-{latency}-ms", arm.store.to_lowercase());
                results.ratios.push(Ratio { name, value: 1.0 / ratio.median });
            }
        }
    }
    match cluster {
        Some(cluster) => results.versions.push(format!("PostgreSQL {}", cluster.version)),
        None => {
            writeln!(text, "\nPostgreSQL is left out: it is not installed.")?;
            leave_out("the outbox in PostgreSQL: it is not installed; on Debian: apt-get install postgresql")?;
        }
    }
    results.section(text);
    Ok(())
}

fn rounds(latency: u64, mut cluster: Option<&mut Cluster>) -> Result<Vec<Arm>> {
    let arm = |store| Arm { store, rounds: Vec::new() };
    let mut arms = vec![arm("SQLite")];
    arms.extend(cluster.is_some().then(|| arm("PostgreSQL")));
    for _ in 0..ROUNDS {
        let bare = Run::start(latency)?.bare(RECORDS)?;
        for arm in &mut arms {
            let database = match &mut cluster {
                Some(cluster) if arm.store == "PostgreSQL" => cluster.database()?,
                _ => None,
            };
            let run = Run::start(latency)?;
            run.enqueue(RECORDS, database.as_deref())?;
            arm.rounds.push(Round { bare, outbox: run.send(database.as_deref())? });
        }
    }
    Ok(arms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_that_of_each_round_and_not_that_of_the_medians() {
        let figures = |seconds| Figures { seconds, cpu_seconds: 1.0, peak: 1 };
        let round = |bare, outbox| Round { bare: figures(bare), outbox: figures(outbox) };
        let arm = Arm { store: "SQLite", rounds: vec![round(1.0, 2.0), round(3.0, 5.0), round(2.0, 2.5)] };
        assert_eq!(arm.ratio(), Spread::of([0.5, 0.6, 0.8]));
        assert_eq!(
            arm.row(20).unwrap(),
            "| 20 ms | SQLite | 25000 (16667 to 50000) | 20000 (10000 to 25000) | 0.60 (0.50 to 0.80) | 0.200 | 0.200 |\n"
        );
    }
}
