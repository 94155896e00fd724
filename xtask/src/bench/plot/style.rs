//! What the pictures share. The colours are told apart by people who do not see every colour.

use plotters::prelude::RGBColor;

/// In pixels.
pub const WIDTH: u32 = 760;

pub const BLUE: RGBColor = RGBColor(0, 90, 140);
pub const SKY: RGBColor = RGBColor(86, 180, 233);
pub const ORANGE: RGBColor = RGBColor(230, 159, 0);
pub const GREY: RGBColor = RGBColor(130, 130, 130);
