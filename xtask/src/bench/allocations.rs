//! How often a call allocates, and how much memory it needs at its peak.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use super::{
    cases::{CASES, CLIENTS, PEER},
    limits::Ratio,
    programs::Programs,
};

/// Allocations of one repetition, and the bytes at its peak, by case and client.
pub struct Allocations(pub BTreeMap<(&'static str, &'static str), (u64, u64)>);

pub fn measure(programs: &Programs) -> Result<Allocations> {
    let mut counts = BTreeMap::new();
    for case in CASES {
        for client in CLIENTS {
            let line = programs.output("allocate", &[client, case])?;
            let mut numbers = line.split_whitespace().map(str::parse::<u64>);
            let mut next = || Ok::<_, anyhow::Error>(numbers.next().context("`allocate` wrote too little")??);
            let (blocks, _, peak) = (next()?, next()?, next()?);
            counts.insert((case, client), (blocks, peak));
        }
    }
    Ok(Allocations(counts))
}

impl Allocations {
    pub fn ratios(&self) -> Vec<Ratio> {
        let mut ratios = Vec::new();
        for case in CASES {
            if let (Some(own), Some(peer)) = (self.0.get(&(case, "connector")), self.0.get(&(case, PEER))) {
                ratios.push(Ratio { name: format!("allocations.{case}"), value: own.0 as f64 / peer.0 as f64 });
                ratios.push(Ratio { name: format!("peak.{case}"), value: own.1 as f64 / peer.1 as f64 });
            }
        }
        ratios
    }
}
