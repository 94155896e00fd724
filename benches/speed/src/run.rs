//! One repetition of a case.

use std::hint::black_box;

use anyhow::Result;
use tokio::runtime::Runtime;

use crate::{arms::Arm, case::Case};

/// What a repetition consumes. It is made before the measurement begins.
pub enum Input<R> {
    /// Records to push, or to write as JSON text.
    Records(Vec<R>),
    /// Records to read.
    Text(Vec<u8>),
}

/// Makes the input of one repetition.
pub fn input<A: Arm>(case: Case) -> Result<Input<A::Record>> {
    let records = (0..case.records()).map(A::record).collect::<Result<Vec<_>>>()?;
    Ok(match case {
        Case::Read => Input::Text(serde_json::to_vec(&records)?),
        _ => Input::Records(records),
    })
}

/// Runs a case once, and drops what it was given. A function of its own, so that callgrind can count what is inside it.
#[inline(never)]
pub fn measured<A: Arm>(runtime: &Runtime, arm: &A, case: Case, input: Input<A::Record>) -> Result<()> {
    match (case, input) {
        (_, Input::Text(text)) => {
            let records: Vec<A::Record> = serde_json::from_slice(&text)?;
            black_box(&records);
        }
        (Case::Write, Input::Records(records)) => {
            black_box(serde_json::to_vec(&records)?);
        }
        (Case::Small, Input::Records(records)) => {
            for record in records {
                runtime.block_on(arm.push_income(record))?;
            }
        }
        (_, Input::Records(records)) => runtime.block_on(arm.push_many(records))?,
    }
    Ok(())
}

/// Runs `work` with the arm of a name.
#[macro_export]
macro_rules! with_arm {
    ($name:expr, $work:ident($($argument:expr),*)) => {
        match $name {
            "hyper" => $work::<$crate::arms::Hyper>($($argument),*),
            "reqwest" => $work::<$crate::arms::Reqwest>($($argument),*),
            "progenitor" => $work::<$crate::arms::Progenitor>($($argument),*),
            "connector" => $work::<$crate::arms::Connector>($($argument),*),
            other => anyhow::bail!("there is no client `{other}`; there are hyper, reqwest, progenitor and connector"),
        }
    };
}
