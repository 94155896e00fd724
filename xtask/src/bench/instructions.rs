//! Instructions, counted by callgrind: unlike time, they hardly depend on the machine or on what else runs on it.

use std::{collections::BTreeMap, fs, process::Command};

use anyhow::{Context, Result, bail};

use super::{
    cases::{CASES, CLIENTS, PEER},
    limits::Ratio,
    programs::{Programs, output},
};
use crate::workspace::root;

/// Instructions of one repetition, by case and client.
pub struct Instructions(pub BTreeMap<(&'static str, &'static str), u64>);

pub fn measure(programs: &Programs) -> Result<Instructions> {
    let mut counts = BTreeMap::new();
    for case in CASES {
        for client in CLIENTS {
            counts.insert((case, client), count(programs, case, client)?);
        }
    }
    Ok(Instructions(counts))
}

fn count(programs: &Programs, case: &str, client: &str) -> Result<u64> {
    let times = match case {
        "small" => 200,
        "hundred" => 20,
        _ => 1,
    };
    let file = root().join("target/callgrind.out");
    let program = programs.command("repeat");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind", "--toggle-collect=*speed*run*measured*"]);
    valgrind.arg(format!("--callgrind-out-file={}", file.display())).arg(program.get_program());
    output(valgrind.args([client, case, &times.to_string(), &programs.base_url]))?;
    let text = fs::read_to_string(&file)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
    let total: u64 = total.context("callgrind wrote no total")?.trim().parse()?;
    if total == 0 {
        bail!("callgrind counted nothing of {client}: it did not find the function `measured`");
    }
    Ok(total / times)
}

impl Instructions {
    pub fn ratios(&self) -> Vec<Ratio> {
        let ratio = |case: &'static str| {
            let value = *self.0.get(&(case, "connector"))? as f64 / *self.0.get(&(case, PEER))? as f64;
            Some(Ratio { name: format!("instructions.{case}"), value })
        };
        CASES.into_iter().filter_map(ratio).collect()
    }
}
