//! What a dependant pays for a build, by feature: the program of `benches/build-cost`.

use std::{fmt::Write, process::Command};

use anyhow::{Context, Result};

use super::{limits::Ratio, programs::output, results::Results};
use crate::workspace::root;

/// The configuration that has a limit.
const DEFAULT: &str = "default (";

struct Cost<'a> {
    name: &'a str,
    cpu_seconds: f64,
    crates: u64,
    ratio: f64,
}

pub fn measure(results: &mut Results) -> Result<()> {
    let arguments = ["run", "--quiet", "--package", "build-cost", "--", "--tabs"];
    let printed = output(Command::new(env!("CARGO")).args(arguments).current_dir(root()))?;
    let (costs, incremental) = read(&printed)?;
    results.section(table(&costs, incremental)?);
    let default = costs.iter().find(|cost| cost.name.starts_with(DEFAULT));
    let value = default.context("`build-cost` did not build the default")?.ratio;
    results.ratios.push(Ratio { name: "build.default".to_owned(), value });
    Ok(())
}

/// The configurations, and the seconds of the incremental build.
fn read(printed: &str) -> Result<(Vec<Cost<'_>>, f64)> {
    let (costs, incremental) = printed.trim_end().rsplit_once('\n').context("`build-cost` wrote too little")?;
    Ok((costs.lines().map(cost).collect::<Result<_>>()?, incremental.parse().context(incremental.to_owned())?))
}

fn cost(line: &str) -> Result<Cost<'_>> {
    let fields = <[&str; 4]>::try_from(line.split('\t').collect::<Vec<_>>()).ok();
    let [name, cpu_seconds, crates, ratio] = fields.with_context(|| format!("`build-cost` wrote {line:?}"))?;
    Ok(Cost { name, cpu_seconds: cpu_seconds.parse()?, crates: crates.parse()?, ratio: ratio.parse()? })
}

fn table(costs: &[Cost<'_>], incremental: f64) -> Result<String> {
    let mut text = format!(
        "## Build of a dependant\n\nThe library from scratch, in the `dev` profile. The ratio is that to a client that \
         was generated in advance and has no TLS.\nOne build each. After a change of the document, an incremental build \
         took {incremental:.1} seconds.\n\n| features | CPU s | crates | ratio |\n|---|---:|---:|---:|\n"
    );
    for Cost { name, cpu_seconds, crates, ratio } in costs {
        writeln!(text, "| {name} | {cpu_seconds:.1} | {crates} | {ratio:.2} |")?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_build_cost_prints_becomes_a_table() {
        let (costs, incremental) = read("no TLS\t81.5\t150\t1.50\ndefault (rustls)\t100.0\t170\t1.84\n0.9\n").unwrap();
        let table = table(&costs, incremental).unwrap();
        assert!(table.contains("took 0.9 seconds"), "{table}");
        assert!(
            table.ends_with("| no TLS | 81.5 | 150 | 1.50 |\n| default (rustls) | 100.0 | 170 | 1.84 |\n"),
            "{table}"
        );
    }

    #[test]
    fn a_line_with_something_else_is_an_error() {
        assert!(read("no TLS\t81.5\n0.9\n").is_err());
        assert!(read("0.9").is_err());
    }
}
