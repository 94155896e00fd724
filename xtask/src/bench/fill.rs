//! How CPU time and memory of the sandbox grow with what it holds and with the callbacks that it delivers.

use anyhow::{Result, ensure};

use super::{
    growth::{Growth, HEAD},
    process,
    programs::Programs,
    servers::Server,
    throughput::stored,
};

/// What grows.
struct Line {
    name: &'static str,
    durable: bool,
    /// How many records each request has. Each request is followed by a callback.
    batch: u64,
    /// How many records there are when it is measured.
    points: &'static [u64],
}

const LINES: [Line; 4] = [
    Line { name: "records, in memory", durable: false, batch: 100, points: &[10_000, 100_000, 1_000_000] },
    Line { name: "records, durable", durable: true, batch: 100, points: &[10_000, 100_000, 1_000_000] },
    Line { name: "callbacks, in memory", durable: false, batch: 1, points: &[10_000, 100_000, 1_000_000] },
    // A tenth, which takes minutes less and shows the same.
    Line { name: "callbacks, durable", durable: true, batch: 1, points: &[1_000, 10_000, 100_000] },
];

pub fn measure(programs: &Programs) -> Result<(String, Vec<Growth>)> {
    let lines = LINES.iter().map(|line| grow(programs, line)).collect::<Result<Vec<_>>>()?;
    let mut text = "## Growth of the sandbox\n\nRecords are pushed by 100 in a request; for the callbacks, one by one. \
                    Each request has a webhook, and its callback is\ndelivered. CPU time and memory of the sandbox are those \
                    since the row before: where they grow in proportion, they are\nthe same in each row. The log of the \
                    last thousand requests, which the sandbox keeps in memory, is full after 100,000\nrecords by 100.\n\n"
        .to_owned();
    text += HEAD;
    lines.iter().for_each(|line| text += &line.rows());
    Ok((text, lines))
}

fn grow(programs: &Programs, line: &Line) -> Result<Growth> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("sandbox.db").to_string_lossy().into_owned();
    let options = ["--data", file.as_str()];
    let server = Server::sandbox(if line.durable { &options } else { &[] })?;
    let (mut points, mut from) = (Vec::new(), 0);
    for to in line.points.iter().copied() {
        let numbers = [from, to, line.batch].map(|number| number.to_string());
        programs.output_at(server.url(), "fill", &numbers.each_ref().map(String::as_str))?;
        let stored = stored(server.url())?;
        ensure!(stored == to, "{to} records were pushed, but {stored} are stored");
        points.push((to, process::cpu(server.id())?, process::peak_memory(server.id())?));
        from = to;
    }
    Ok(Growth { name: line.name.to_owned(), points })
}
