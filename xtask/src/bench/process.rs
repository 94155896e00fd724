//! What processes use, as Linux counts it.

use std::{collections::BTreeMap, fs};

use anyhow::{Context, Result};

/// Parts of a second in which the kernel counts CPU time.
const TICKS: f64 = 100.0;

/// CPU seconds of a process and its descendants since they began.
pub fn cpu(id: u32) -> Result<f64> {
    let mut processes = BTreeMap::new();
    for entry in fs::read_dir("/proc")? {
        let Ok(number) = entry?.file_name().to_string_lossy().parse::<u32>() else { continue };
        // It may have ended meanwhile.
        let Ok(text) = fs::read_to_string(format!("/proc/{number}/stat")) else { continue };
        processes.insert(number, Stat::parse(&text).with_context(|| format!("/proc/{number}/stat: {text}"))?);
    }
    Ok(ticks(id, &processes) as f64 / TICKS)
}

/// CPU seconds of the children of this process that have ended and were waited for, and of theirs.
pub fn cpu_of_ended_children() -> Result<f64> {
    let text = fs::read_to_string("/proc/self/stat")?;
    Ok(Stat::parse(&text).context("/proc/self/stat")?.of_ended_children as f64 / TICKS)
}

/// The most memory that a process had, in bytes.
pub fn peak_memory(id: u32) -> Result<u64> {
    let path = format!("/proc/{id}/status");
    high_water_mark(&fs::read_to_string(&path).with_context(|| path.clone())?).context(path)
}

fn high_water_mark(status: &str) -> Option<u64> {
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"))?;
    Some(kilobytes.parse::<u64>().ok()? * 1024)
}

/// Some of the fields in `/proc/ID/stat`; the times are in ticks.
#[derive(Debug, PartialEq)]
struct Stat {
    parent: u32,
    own: u64,
    of_ended_children: u64,
}

impl Stat {
    fn parse(text: &str) -> Option<Self> {
        // The second field is the name of the program in parentheses, which may have any character. The third is next.
        let fields: Vec<_> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        Some(Self {
            parent: field(4)?.try_into().ok()?,
            own: field(14)? + field(15)?,
            of_ended_children: field(16)? + field(17)?,
        })
    }
}

/// The ticks of a process and its descendants.
fn ticks(id: u32, processes: &BTreeMap<u32, Stat>) -> u64 {
    let own = processes.get(&id).map_or(0, |stat| stat.own + stat.of_ended_children);
    let children = processes.iter().filter(|(_, stat)| stat.parent == id);
    own + children.map(|(child, _)| ticks(*child, processes)).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(parent: u32, own: u64, of_ended_children: u64) -> Stat {
        Stat { parent, own, of_ended_children }
    }

    #[test]
    fn the_name_of_a_program_may_have_spaces_and_parentheses() {
        let text = "41 (a) b (c)) S 7 41 41 0 -1 4194560 100 200 0 0 11 22 33 44 20 0 1 0 500 1000 10 18446744073709\n";
        assert_eq!(Stat::parse(text), Some(stat(7, 33, 77)));
        assert_eq!(Stat::parse("41 (a) S 7"), None);
    }

    #[test]
    fn the_time_of_a_process_includes_that_of_its_descendants_whether_they_have_ended_or_not() {
        let processes = [(1, stat(0, 1_000, 0)), (2, stat(1, 1, 10)), (3, stat(2, 100, 0)), (4, stat(3, 20, 0))];
        assert_eq!(ticks(2, &processes.into()), 131);
    }

    #[test]
    fn memory_is_read_in_bytes() {
        let status = "Name:\tVmHWM: 1 kB\nVmPeak:\t  900 kB\nVmHWM:\t     200 kB\nVmRSS:\t     100 kB\nThreads:\t3\n";
        assert_eq!(high_water_mark(status), Some(204_800));
        assert_eq!(high_water_mark("VmRSS:\t 100 kB\n"), None);
    }

    #[test]
    fn a_process_knows_its_own_time_and_memory() {
        let id = std::process::id();
        assert!(cpu(id).unwrap() >= cpu_of_ended_children().unwrap());
        assert!(peak_memory(id).unwrap() > 0);
    }
}
