//! The results as pictures, for the README.

mod growth;
mod instructions;
mod style;

use anyhow::Result;

use super::results::Results;

/// Draws what was measured.
pub fn draw(results: &Results) -> Result<()> {
    if let Some(instructions) = &results.instructions {
        instructions::draw(instructions)?;
    }
    results.growth.iter().try_for_each(|(of, growth)| growth::draw(of, growth))
}
