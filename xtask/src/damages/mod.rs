//! Whether a mistake in the document can go unnoticed: each of its lines is damaged, in several ways, and each damage
//! must be refused, change a generated file, or be listed in `accepted` with the reason why it may pass.

mod accepted;
mod damage;
mod lines;

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};

use anyhow::{Result, anyhow, bail};
use business_data_connector_document::{Document, contract::Contract};
use serde_json::Value;

use crate::{
    artefacts::{self, Artefacts, parsed},
    workspace::{DOCUMENT, read},
};
use damage::Damage;
use lines::Line;

/// What became of a damage.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    Refused,
    /// A generated file differs that is not a copy of the document.
    Seen,
    /// It passes, for this reason.
    Listed(usize),
    /// It passes, and nothing says why.
    Passed,
}

/// Damages the document, and returns the counts as lines.
pub fn run() -> Result<Vec<String>> {
    let begun = Instant::now();
    let text = read(DOCUMENT)?;
    let text: Vec<_> = text.lines().collect();
    let lines = lines::read(&text);
    let original = Original::new(&text)?;
    let tried: Vec<_> = (0..lines.len())
        .filter(|number| lines[*number].has_content)
        .flat_map(|number| damage::ALL.map(|damage| (number, damage)))
        .collect();
    let fates = fates(&tried, &text, &lines, &original);
    report(&fates, &text, &lines, begun)
}

fn fates(tried: &[(usize, Damage)], text: &[&str], lines: &[Line], original: &Original) -> Vec<(usize, Damage, Fate)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut fates = Vec::new();
        while let Some((number, damage)) = tried.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(damaged) = damage.done_to(text, lines, *number) {
                fates.push((*number, *damage, original.fate(&damaged, *damage, &lines[*number])));
            }
        }
        fates
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut fates: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    fates.sort_by_key(|(number, damage, _)| (*number, *damage));
    fates
}

fn report(fates: &[(usize, Damage, Fate)], text: &[&str], lines: &[Line], begun: Instant) -> Result<Vec<String>> {
    let mut counts: BTreeMap<Damage, [usize; 3]> = BTreeMap::new();
    let (mut listed, mut passed) = (vec![0_usize; accepted::ALL.len()], Vec::new());
    for (number, damage, fate) in fates {
        let counts = counts.entry(*damage).or_default();
        match fate {
            Fate::Refused => counts[0] += 1,
            Fate::Seen => counts[1] += 1,
            Fate::Listed(index) => {
                counts[2] += 1;
                listed[*index] += 1;
            }
            Fate::Passed => passed.push(format!(
                "{DOCUMENT}:{}: {damage}: {} passes: {}",
                number + 1,
                lines[*number].location,
                text[*number].trim()
            )),
        }
    }
    for (accepted, count) in accepted::ALL.iter().zip(&listed) {
        println!("{count:>6} listed: {}", accepted.reason);
        if *count == 0 {
            passed.push(format!("nothing is accepted any more because {}; remove it", accepted.reason));
        }
    }
    for (damage, [refused, seen, listed]) in &counts {
        println!("{damage}: {refused} refused, {seen} seen in an artefact, {listed} listed");
    }
    let sum = |index: usize| counts.values().map(|counts| counts[index]).sum::<usize>();
    let (refused, seen, listed) = (sum(0), sum(1), sum(2));
    let line = format!(
        "damages of the document: {} tried, {refused} refused, {seen} seen in an artefact, {listed} listed, {} s",
        fates.len(),
        begun.elapsed().as_secs()
    );
    if passed.is_empty() {
        return Ok(vec![line]);
    }
    bail!("{}\n{line}, {} neither", passed.join("\n"), passed.len())
}

/// What the undamaged document generates.
struct Original {
    document: Document,
    schemas: Option<Value>,
    contract: Contract,
    artefacts: Artefacts,
}

impl Original {
    fn new(text: &[&str]) -> Result<Self> {
        let text = text.join("\n");
        let document = parsed(&text).map_err(|violations| anyhow!("{}", violations.in_file(DOCUMENT)))?;
        let contract = Contract::parse(&text)?;
        let (schemas, artefacts) = (document.requests_schema(), own(&document)?);
        Ok(Self { document, schemas, contract, artefacts })
    }

    fn fate(&self, text: &str, damage: Damage, line: &Line) -> Fate {
        let Ok(document) = parsed(text) else { return Fate::Refused };
        let listed = || accepted::reason(damage, &line.location).map_or(Fate::Passed, Fate::Listed);
        if document.as_value() == self.document.as_value() {
            return listed();
        }
        // Fast, and enough for most.
        if document.requests_schema() != self.schemas
            || Contract::parse(text).is_ok_and(|contract| contract != self.contract)
        {
            return Fate::Seen;
        }
        match own(&document) {
            Ok(artefacts) if artefacts == self.artefacts => listed(),
            _ => Fate::Seen,
        }
    }
}

/// The generated files that are not copies of the document, in which every change is seen.
fn own(document: &Document) -> Result<Artefacts> {
    let mut artefacts = artefacts::of(document)?;
    artefacts.retain(|path, _| !artefacts::COPIES.contains(&path.as_str()));
    Ok(artefacts)
}
