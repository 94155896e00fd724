//! The comparison with clients written by hand.

use anyhow::Result;
use plotters::{
    prelude::{BLACK, IntoDrawingArea, RGBColor, Rectangle, SVGBackend, Text, WHITE},
    style::{Color, IntoFont},
};

use super::style::{BLUE, GREY, ORANGE, SKY, WIDTH};
use crate::{
    bench::{
        cases::{CASES, CLIENTS, PEER},
        instructions::Instructions,
    },
    workspace::root,
};

const PATH: &str = "benches/instructions.svg";

/// In pixels.
const LEFT: i32 = 130;
const TOP: i32 = 60;
const BAR: i32 = 14;
const GROUP: i32 = 74;
/// Of a ratio of 1.
const UNIT: f64 = 480.0;

/// In the order of [`CLIENTS`].
const COLOURS: [RGBColor; 4] = [GREY, SKY, ORANGE, BLUE];

/// Draws the instructions of each client as ratios to the peer.
pub fn draw(instructions: &Instructions) -> Result<()> {
    let path = root().join(PATH);
    let rows = i32::try_from(CASES.len())?;
    let size = (WIDTH, u32::try_from(TOP + rows * GROUP)?);
    let area = SVGBackend::new(&path, size).into_drawing_area();
    let font = || ("sans-serif", 16).into_font();
    area.fill(&WHITE)?;
    let title = format!("Instructions for the same work, as a ratio to {PEER} by hand (less is better)");
    area.draw(&Text::new(title, (10, 10), ("sans-serif", 19).into_font()))?;
    for ((client, colour), x) in CLIENTS.iter().zip(COLOURS).zip((LEFT..).step_by(120)) {
        area.draw(&Rectangle::new([(x, 36), (x + 10, 46)], colour.filled()))?;
        area.draw(&Text::new(*client, (x + 15, 35), font()))?;
    }
    for (case, group) in CASES.into_iter().zip((TOP..).step_by(usize::try_from(GROUP)?)) {
        area.draw(&Text::new(label(case), (10, group + 22), font()))?;
        for ((client, colour), y) in CLIENTS.into_iter().zip(COLOURS).zip((group..).step_by(usize::try_from(BAR + 1)?))
        {
            let count = |client| instructions.0.get(&(case, client)).copied().unwrap_or_default() as f64;
            let ratio = count(client) / count(PEER);
            let end = LEFT + (ratio * UNIT).round() as i32;
            area.draw(&Rectangle::new([(LEFT, y), (end, y + BAR)], colour.filled()))?;
            area.draw(&Text::new(format!("{ratio:.2}"), (end + 5, y), font().color(&BLACK)))?;
        }
    }
    area.present()?;
    println!("wrote {PATH}");
    Ok(())
}

fn label(case: &str) -> &str {
    match case {
        "small" => "1 record",
        "hundred" => "100 records",
        "bulk" => "10,000 records",
        "write" => "writing JSON",
        "read" => "reading JSON",
        other => other,
    }
}
