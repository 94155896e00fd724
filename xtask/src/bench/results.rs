//! What was measured, and `benches/RESULTS.md`.

use std::fs;

use anyhow::Result;

use super::{
    growth::Growth,
    instructions::Instructions,
    limits::Ratio,
    programs::{output_of, version},
};
use crate::workspace::root;

const PATH: &str = "benches/RESULTS.md";

pub struct Results {
    sections: Vec<String>,
    /// What is running beside the measurements, before they begin.
    load: String,
    /// Of the programs that were used.
    pub versions: Vec<String>,
    /// What may not exceed its limit.
    pub ratios: Vec<Ratio>,
    /// For the pictures; growth by what it is of.
    pub instructions: Option<Instructions>,
    pub growth: Vec<(&'static str, Vec<Growth>)>,
}

impl Results {
    pub fn new() -> Self {
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Self {
            sections: Vec::new(),
            load: load.split(' ').next().unwrap_or("unknown").to_owned(),
            versions: vec![version("rustc")],
            ratios: Vec::new(),
            instructions: None,
            growth: Vec::new(),
        }
    }

    /// Adds a part, which begins with its title, and prints it.
    pub fn section(&mut self, text: String) {
        println!("\n{text}");
        self.sections.push(text);
    }

    /// Writes the file.
    pub fn write(&self) -> Result<()> {
        fs::write(root().join(PATH), self.text())?;
        println!("wrote {PATH}");
        Ok(())
    }

    fn text(&self) -> String {
        let Self { load, versions, sections, .. } = self;
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        format!(
            "# Results\n\nWritten by `cargo xtask bench`. Ratios compare what was measured in turn on the same machine. \
             A spread in brackets goes\nfrom the least to the most, unless it says otherwise.\n\n\
             | | |\n|---|---|\n| date | {} |\n| machine | {}, {}, load {load} before |\n| versions | {} |\n\n{}",
            output_of("date", &["--iso-8601"]),
            machine(&cpu, &memory),
            output_of("uname", &["-sr"]),
            versions.join(", "),
            sections.join("\n"),
        )
    }
}

/// The processor, its cores and the memory, of what Linux says about them.
fn machine(cpu: &str, memory: &str) -> String {
    let value = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix(':'));
        line.map(|value| value.trim().to_owned())
    };
    let model = value(cpu, "model name").unwrap_or_else(|| "unknown".to_owned());
    let cores = cpu.lines().filter(|line| line.starts_with("processor")).count();
    let kibibytes = value(memory, "MemTotal").and_then(|size| size.trim_end_matches("kB").trim().parse().ok());
    let gibibytes = (kibibytes.unwrap_or(0.0) / f64::from(1 << 20)).round();
    format!("{model}, {cores} cores, {gibibytes} GiB")
}

#[cfg(test)]
mod tests {
    use super::machine;

    #[test]
    fn the_machine_is_read_from_what_linux_says() {
        let cpu = "processor\t: 0\nmodel name\t: A processor\n\nprocessor\t: 1\nmodel name\t: A processor\n";
        let memory = "MemTotal:       24636120 kB\nMemFree:         1000000 kB\n";
        assert_eq!(machine(cpu, memory), "A processor, 2 cores, 23 GiB");
        assert_eq!(machine("", ""), "unknown, 0 cores, 0 GiB");
    }
}
