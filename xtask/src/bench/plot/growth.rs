//! CPU time and peak memory against the number of records, side by side.

use std::path::Path;

use anyhow::Result;
use plotters::{
    coord::Shift,
    prelude::{
        BLACK, ChartBuilder, Circle, DrawingArea, IntoDrawingArea, IntoLogRange, PathElement, Polygon, RGBColor,
        Rectangle, SVGBackend, Text, WHITE,
    },
    style::{Color, IntoFont, ShapeStyle, TextStyle},
};

use super::style::{BLUE, GREY, ORANGE, SKY, WIDTH};
use crate::{bench::growth::Growth, workspace::root};

/// In pixels.
const CHART: i32 = 320;
const TOP: i32 = 40;
/// A line of the legend.
const LINE: i32 = 22;
const MARK: i32 = 5;

/// Each series has a colour and a mark of its own, so that nobody has to see every colour.
const COLOURS: [RGBColor; 4] = [BLUE, ORANGE, SKY, GREY];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Point = (u64, f64, u64);

/// One of the two figures of a point.
struct Figure {
    title: &'static str,
    of: fn(&Point) -> f64,
}

const FIGURES: [Figure; 2] = [
    Figure { title: "CPU seconds", of: |point| point.1 },
    Figure { title: "peak memory in MB", of: |point| point.2 as f64 / 1e6 },
];

/// Draws them, if there is anything to draw.
pub fn draw(of: &str, all: &[Growth]) -> Result<()> {
    if all.iter().any(|growth| !growth.points.is_empty()) {
        let path = format!("benches/growth-{of}.svg");
        draw_to(&root().join(&path), of, all)?;
        println!("wrote {path}");
    }
    Ok(())
}

fn draw_to(path: &Path, of: &str, all: &[Growth]) -> Result<()> {
    let legend = i32::try_from(all.len().div_ceil(2))? * LINE + TOP;
    let area = SVGBackend::new(path, (WIDTH, u32::try_from(legend + CHART)?)).into_drawing_area();
    area.fill(&WHITE)?;
    area.draw(&Text::new(
        format!("CPU time and peak memory of the {of} by the number of records, on logarithmic scales"),
        (10, 10),
        font(19),
    ))?;
    for (series, growth) in all.iter().enumerate() {
        let at = (16 + i32::try_from(series % 2)? * 380, TOP + 8 + i32::try_from(series / 2)? * LINE);
        mark(&area, series, at)?;
        area.draw(&Text::new(growth.name.as_str(), (at.0 + 14, at.1 - 8), font(16)))?;
    }
    let (_, charts) = area.split_vertically(legend);
    for (figure, part) in FIGURES.iter().zip(charts.split_evenly((1, FIGURES.len()))) {
        chart(&area, &part, figure, all)?;
    }
    area.present()?;
    Ok(())
}

fn chart(area: &Area<'_>, part: &Area<'_>, figure: &Figure, all: &[Growth]) -> Result<()> {
    let points = || all.iter().flat_map(|growth| &growth.points);
    let across = decades(points().map(|point| point.0 as f64));
    let up = decades(points().map(figure.of));
    let mut chart = ChartBuilder::on(part)
        .caption(figure.title, font(17))
        .margin_right(36)
        .x_label_area_size(28)
        .y_label_area_size(66)
        // The least label is drawn only if it is above the end of the axis.
        .build_cartesian_2d((across.0 * 0.999..across.1).log_scale(), (up.0 * 0.999..up.1).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(RGBColor(215, 215, 215))
        .label_style(font(16))
        .x_label_formatter(&|value| label(*value))
        .y_label_formatter(&|value| label(*value))
        .draw()?;
    for (series, growth) in all.iter().enumerate() {
        let position = |point: &Point| chart.plotting_area().map_coordinate(&(point.0 as f64, (figure.of)(point)));
        let line: Vec<_> = growth.points.iter().map(position).collect();
        for at in &line {
            mark(area, series, *at)?;
        }
        area.draw(&PathElement::new(line, colour(series).stroke_width(2)))?;
    }
    Ok(())
}

/// The powers of ten around the values.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) = values
        .filter(|value| *value > 0.0)
        .fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
    if least > most {
        return (1.0, 10.0);
    }
    let (low, high) = (least.log10().floor() as i32, most.log10().ceil() as i32);
    (10_f64.powi(low), 10_f64.powi(high.max(low + 1)))
}

/// A label of an axis, if there is room for it: those that begin with 1, 2 or 5.
fn label(value: f64) -> String {
    let exponent = (value * 1.001).log10().floor();
    let first = (value / 10_f64.powf(exponent)).round() as u8;
    if matches!(first, 1 | 2 | 5) { number(value) } else { String::new() }
}

/// With commas between thousands.
fn number(value: f64) -> String {
    if value < 1.0 {
        return format!("{}", (value * 1e6).round() / 1e6);
    }
    let digits = value.round().to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn colour(series: usize) -> RGBColor {
    COLOURS[series % COLOURS.len()]
}

fn font(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}

/// A circle, a square, a triangle or a ring.
fn mark(area: &Area<'_>, series: usize, (x, y): (i32, i32)) -> Result<()> {
    let filled = ShapeStyle::from(colour(series)).filled();
    match series % COLOURS.len() {
        0 => area.draw(&Circle::new((x, y), MARK, filled))?,
        1 => area.draw(&Rectangle::new([(x - MARK, y - MARK), (x + MARK, y + MARK)], filled))?,
        2 => area
            .draw(&Polygon::new(vec![(x, y - MARK - 1), (x + MARK + 1, y + MARK), (x - MARK - 1, y + MARK)], filled))?,
        _ => area.draw(&Circle::new((x, y), MARK, colour(series).stroke_width(2)))?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(name: &str, first: f64, memory: u64) -> Growth {
        let point = |records: u64| (records, first * records as f64 / 1e4, memory);
        Growth { name: name.to_owned(), points: [10_000, 100_000, 1_000_000].map(point).to_vec() }
    }

    #[test]
    fn a_picture_names_each_series_and_each_power_of_ten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("growth.svg");
        draw_to(&path, "outbox", &[growth("adding", 0.2, 13_000_000), growth("sending", 0.3, 18_000_000)]).unwrap();
        let picture = std::fs::read_to_string(path).unwrap();
        for text in ["adding", "sending", "CPU seconds", "peak memory in MB", "1,000,000", "0.1", "100"] {
            assert!(picture.contains(&format!(">\n{text}\n<")), "{text}");
        }
    }

    #[test]
    fn an_axis_goes_from_a_power_of_ten_to_another() {
        assert_eq!(decades([0.2, 25.0].into_iter()), (0.1, 100.0));
        assert_eq!(decades([10.0, 10.0].into_iter()), (10.0, 100.0));
        assert_eq!(decades([].into_iter()), (1.0, 10.0));
    }

    #[test]
    fn labels_that_would_overlap_are_left_out() {
        let labels = [0.1, 0.2, 3.0, 10.0, 20.0, 50.0, 90.0, 100.0].map(label);
        assert_eq!(labels, ["0.1", "0.2", "", "10", "20", "50", "", "100"]);
    }

    #[test]
    fn large_numbers_have_commas() {
        assert_eq!([0.1, 10.0, 1_000.0, 1_000_000.0].map(number), ["0.1", "10", "1,000", "1,000,000"]);
    }
}
