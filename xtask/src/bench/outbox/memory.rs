//! Peak memory, CPU time and throughput from ten thousand to a million records, in a file.

use std::fmt::Write;

use anyhow::{Context, Result};

use super::{
    run::{Figures, Run},
    throughput::LATENCIES,
};
use crate::bench::{growth::Growth, limits::Ratio, results::Results, spread::Spread};

/// Numbers of records, and how often each is run.
const SIZES: [(u64, usize); 3] = [(10_000, 3), (100_000, 3), (1_000_000, 1)];

/// What is measured at each size.
struct Work {
    name: String,
    /// In `benches/limits.toml`, if its peak may not grow.
    limited: Option<&'static str>,
    /// In the order of `SIZES`.
    sizes: Vec<(u64, Vec<Figures>)>,
}

impl Work {
    fn new(name: String, limited: Option<&'static str>) -> Self {
        Self { name, limited, sizes: SIZES.iter().map(|(records, _)| (*records, Vec::new())).collect() }
    }

    fn rows(&self) -> Option<String> {
        let mut text = String::new();
        let first = peak(&self.sizes.first()?.1)?;
        for (records, runs) in &self.sizes {
            let of = |figure: &dyn Fn(&Figures) -> f64| Spread::of(runs.iter().map(figure));
            let records = *records as f64;
            let _ = writeln!(
                text,
                "| {} | {records} | {} | {:.0} | {:.3} | {:.1} | {:.2} |",
                self.name,
                runs.len(),
                of(&|figures| records / figures.seconds)?,
                of(&|figures| figures.cpu_seconds * 10_000.0 / records)?,
                of(&|figures| figures.peak as f64 / 1e6)?,
                peak(runs)? / first,
            );
        }
        Some(text)
    }

    /// The highest of the peaks, of that with the fewest records.
    fn ratio(&self) -> Option<Ratio> {
        let peaks: Vec<_> = self.sizes.iter().filter_map(|(_, runs)| peak(runs)).collect();
        let most = peaks.iter().copied().fold(0.0, f64::max);
        Some(Ratio { name: format!("memory.{}", self.limited?), value: most / peaks.first()? })
    }

    fn growth(&self) -> Growth {
        let point = |(records, runs): &(u64, Vec<Figures>)| {
            let cpu = Spread::of(runs.iter().map(|figures| figures.cpu_seconds))?.median;
            Some((*records, cpu, peak(runs)? as u64))
        };
        Growth { name: format!("outbox: {}", self.name), points: self.sizes.iter().filter_map(point).collect() }
    }
}

/// The median of the peaks.
fn peak(runs: &[Figures]) -> Option<f64> {
    Some(Spread::of(runs.iter().map(|figures| figures.peak as f64))?.median)
}

pub fn measure(results: &mut Results) -> Result<()> {
    let mut adding = Work::new("adding".to_owned(), Some("adding"));
    let mut sending = LATENCIES.map(|latency| {
        let limited = (latency == 0).then_some("sending");
        Work::new(format!("sending, replies take {latency} ms"), limited)
    });
    for (at, (records, rounds)) in SIZES.into_iter().enumerate() {
        for _ in 0..rounds {
            for (latency, work) in LATENCIES.into_iter().zip(&mut sending) {
                let run = Run::start(latency)?;
                adding.sizes[at].1.push(run.enqueue(records, None)?);
                work.sizes[at].1.push(run.send(None)?);
            }
        }
    }
    results.section(table([&adding, &sending[0], &sending[1]])?);
    results.ratios.extend([&adding, &sending[0]].iter().filter_map(|work| work.ratio()));
    results.growth.push(("outbox", [&adding, &sending[0]].map(Work::growth).into()));
    Ok(())
}

fn table(works: [&Work; 3]) -> Result<String> {
    let mut text = String::from(
        "## Outbox: memory and time by the number of records\n\nIn a SQLite file. `adding` is `enqueue_all`, `sending` a \
         worker from its start to the last callback; each in a process\nof its own. CPU seconds are per 10,000 records, \
         the peak is that of the whole process in MB, and the last column is the\npeak beside that with 10,000 records.\
         \n\n| work | records | runs | records a second | CPU s | peak in MB | of the first |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
    );
    for work in works {
        text += &work.rows().context("there was no run")?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(peaks: [u64; 3]) -> Work {
        let mut work = Work::new("adding".to_owned(), Some("adding"));
        for ((_, runs), peak) in work.sizes.iter_mut().zip(peaks) {
            runs.push(Figures { seconds: 2.0, cpu_seconds: 0.5, peak });
        }
        work
    }

    #[test]
    fn the_highest_peak_counts_beside_that_with_the_fewest_records() {
        let ratio = work([10_000_000, 12_000_000, 11_000_000]).ratio().unwrap();
        assert_eq!((ratio.name.as_str(), ratio.value), ("memory.adding", 1.2));
    }

    #[test]
    fn a_row_has_each_figure_per_record() {
        let rows = work([10_000_000, 12_000_000, 11_000_000]).rows().unwrap();
        assert_eq!(rows.lines().nth(1).unwrap(), "| adding | 100000 | 1 | 50000 | 0.050 | 12.0 | 1.20 |");
    }

    #[test]
    fn what_grows_is_the_median_of_the_runs() {
        let growth = work([10_000_000, 12_000_000, 11_000_000]).growth();
        assert_eq!(growth.points[2], (1_000_000, 0.5, 11_000_000));
    }
}
