//! CPU time of each client beside reqwest, in slices that alternate. Prints a line for each: what, client, the median
//! and the quartiles of its ratio to reqwest, and how many rounds counted.

use std::{
    io::{Write, stdout},
    time::Duration,
};

use anyhow::{Result, ensure};
use clap::Parser;
use cpu_time::ProcessTime;
use futures_util::future::try_join_all;
use speed::arms::{Arm, Connector, Hyper, Progenitor, Reqwest};
use tokio::runtime::{Builder, Runtime};

#[derive(Parser)]
struct Options {
    /// Address of the program `serve`
    base_url: String,
    #[arg(long, default_value_t = 60)]
    rounds: usize,
}

/// A number of calls of which so many are in flight at once, each with so many records.
struct Load {
    name: &'static str,
    calls: usize,
    in_flight: usize,
    records: usize,
}

const LOADS: [Load; 3] = [
    Load { name: "one call after another", calls: 640, in_flight: 1, records: 1 },
    Load { name: "64 calls in flight", calls: 640, in_flight: 64, records: 1 },
    Load { name: "10,000 records", calls: 3, in_flight: 1, records: 10_000 },
];

/// A round counts if the same client, measured twice in it, differs by no more than this.
const TOLERANCE: f64 = 0.05;

trait Slice {
    fn cpu(&self, runtime: &Runtime, load: &Load) -> Result<Duration>;
}

impl<A: Arm> Slice for A {
    fn cpu(&self, runtime: &Runtime, load: &Load) -> Result<Duration> {
        let mut inputs = Vec::new();
        for _ in 0..load.in_flight {
            let calls = (0..load.calls / load.in_flight).map(|_| (0..load.records).map(A::record).collect());
            inputs.push(calls.collect::<Result<Vec<Vec<_>>>>()?);
        }
        let begun = ProcessTime::now();
        runtime.block_on(try_join_all(inputs.into_iter().map(|calls| push(self, calls))))?;
        Ok(begun.elapsed())
    }
}

async fn push<A: Arm>(arm: &A, calls: Vec<Vec<A::Record>>) -> Result<()> {
    for mut records in calls {
        match (records.len(), records.pop()) {
            (1, Some(record)) => arm.push_income(record).await?,
            (_, last) => {
                records.extend(last);
                arm.push_many(records).await?;
            }
        }
    }
    Ok(())
}

fn main() -> Result<()> {
    let options = Options::parse();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let url = options.base_url.as_str();
    let reqwest: Box<dyn Slice> = Box::new(Reqwest::new(url)?);
    let again: (&str, Box<dyn Slice>) = ("reqwest again", Box::new(Reqwest::new(url)?));
    let others: [(&str, Box<dyn Slice>); 4] = [
        again,
        ("hyper", Box::new(Hyper::new(url)?)),
        ("progenitor", Box::new(Progenitor::new(url)?)),
        ("connector", Box::new(Connector::new(url)?)),
    ];
    for load in &LOADS {
        let mut ratios = vec![Vec::new(); others.len()];
        for round in 0..options.rounds {
            let mut order: Vec<_> = (0..others.len()).collect();
            let peers = order.len();
            order.rotate_left(round % peers);
            let first = reqwest.cpu(&runtime, load)?.as_secs_f64();
            let mut measured = vec![0.0; peers];
            for other in order {
                measured[other] = others[other].1.cpu(&runtime, load)?.as_secs_f64() / first;
            }
            if (measured[0] - 1.0).abs() <= TOLERANCE {
                ratios.iter_mut().zip(measured).for_each(|(ratios, ratio)| ratios.push(ratio));
            }
        }
        for ((name, _), mut ratios) in others.iter().zip(ratios) {
            ensure!(!ratios.is_empty(), "reqwest differed from itself in every round; is the machine busy?");
            ratios.sort_by(f64::total_cmp);
            let at = |quarter: usize| ratios[(ratios.len() - 1) * quarter / 4];
            let rounds = ratios.len();
            writeln!(stdout(), "{}\t{name}\t{:.3}\t{:.3}\t{:.3}\t{rounds}", load.name, at(2), at(1), at(3))?;
        }
    }
    Ok(())
}
