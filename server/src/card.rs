//! [`Card`]: the picture of a page in link previews (Open Graph), as PNG.

use crate::badge::xml_text;
use anyhow::{Context, Result};
use quick_xml::escape::escape;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use roundtrip_domain::units::NO_BREAK;
use std::fmt::Write;
use std::sync::LazyLock;

/// The size that chats expect, in pixels.
pub(crate) const WIDTH: u32 = 1200;
pub(crate) const HEIGHT: u32 = 630;

/// The space at the left and right.
const MARGIN: f64 = 64.0;
/// The characters of the headline that fit into a line at this font size, and the number of lines.
const HEADLINE_PX: usize = 52;
const LINE_CHARACTERS: usize = 40;
const LINES_MAX: usize = 3;
/// The characters of a detail that fit into a line.
const DETAIL_CHARACTERS: usize = 80;
/// The area of the trend: top, bottom, and the right end, which leaves space for the values.
const TREND_TOP: f64 = 350.0;
const TREND_BOTTOM: f64 = 560.0;
const TREND_RIGHT: f64 = 1010.0;

/// The light colours of `web/src/styles/tokens.css`.
const GROUND: &str = "#fbfbfa";
const INK: &str = "#16181b";
const MUTED: &str = "#63696f";
const LINE: &str = "#0072b2";
const CHANGED: &str = "#d55e00";

/// Inter with Latin letters. Others are left out: a preview is an extract.
static FONTS: LazyLock<Options<'static>> = LazyLock::new(|| {
    let mut options = Options { font_family: "Inter".into(), ..Options::default() };
    for font in
        [&include_bytes!("../fonts/inter-regular.ttf")[..], include_bytes!("../fonts/inter-semibold.ttf")]
    {
        options.fontdb_mut().load_font_data(font.to_vec());
    }
    options
});

/// The texts and the trend of a card.
#[derive(Debug, PartialEq)]
pub(crate) struct Card {
    pub(crate) project: String,
    pub(crate) headline: String,
    pub(crate) detail: String,
    pub(crate) trend: Option<Trend>,
}

/// The line of a series.
#[derive(Debug, PartialEq)]
pub(crate) struct Trend {
    /// The values of successive points, and whether each belongs to the new level.
    pub(crate) points: Vec<(f64, bool)>,
    /// The names of the least, the largest and the last value.
    pub(crate) labels: [String; 3],
}

impl Card {
    /// Draws the card.
    ///
    /// # Errors
    /// The drawing is invalid, which is a defect.
    pub(crate) fn png(&self) -> Result<Vec<u8>> {
        let tree = Tree::from_str(&self.svg(), &FONTS).context("a preview's drawing is invalid")?;
        let mut pixels = Pixmap::new(WIDTH, HEIGHT).context("a preview has no pixels")?;
        resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
        pixels.encode_png().context("cannot encode a preview")
    }

    fn svg(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\">\
             <rect width=\"100%\" height=\"100%\" fill=\"{GROUND}\"/>\
             <g transform=\"translate({MARGIN} 52) scale(2.4)\" fill=\"none\" stroke=\"{LINE}\" stroke-width=\"1.6\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\">\
             <path d=\"M2 5.5h11M10.5 3L13 5.5 10.5 8M14 10.5H3M5.5 8L3 10.5 5.5 13\"/></g>"
        );
        text(&mut svg, MARGIN + 56.0, 82.0, &Style { px: 30, weight: 600, colour: INK }, "Roundtrip");
        text(&mut svg, MARGIN + 230.0, 82.0, &Style { px: 30, weight: 400, colour: MUTED }, &self.project);
        let lines = wrapped(&self.headline, LINE_CHARACTERS, LINES_MAX);
        let mut y = 175.0;
        for line in &lines {
            text(&mut svg, MARGIN, y, &Style { px: HEADLINE_PX, weight: 600, colour: INK }, line);
            y += 64.0;
        }
        let detail = wrapped(&self.detail, DETAIL_CHARACTERS, 1).concat();
        text(&mut svg, MARGIN, y - 8.0, &Style { px: 26, weight: 400, colour: MUTED }, &detail);
        if let Some(trend) = &self.trend {
            trend.draw(&mut svg);
        }
        svg.push_str("</svg>");
        svg
    }
}

impl Trend {
    fn draw(&self, svg: &mut String) {
        let values = self.points.iter().map(|(value, _)| *value);
        let (least, largest) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let Some((last, last_is_new)) = self.points.last() else { return };
        let range = if largest > least { largest - least } else { 1.0 };
        let y = |value: f64| TREND_BOTTOM - (value - least) / range * (TREND_BOTTOM - TREND_TOP);
        #[expect(clippy::cast_precision_loss, reason = "a line has few points")]
        let x = |place: usize| {
            let steps = (self.points.len() - 1).max(1);
            MARGIN + place as f64 / steps as f64 * (TREND_RIGHT - MARGIN)
        };
        for (is_new, colour) in [(false, LINE), (true, CHANGED)] {
            // The new level begins at the last point of the old one, so that the step is visible.
            let of_line = |place: usize, is_point_new: bool| {
                is_point_new == is_new
                    || (is_new && self.points.get(place + 1).is_some_and(|(_, next)| *next))
            };
            let mut line = String::new();
            for (place, (value, is_point_new)) in self.points.iter().enumerate() {
                if of_line(place, *is_point_new) {
                    let _ = write!(line, "{:.1},{:.1} ", x(place), y(*value));
                }
            }
            let _ = write!(
                svg,
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"4\" stroke-linejoin=\"round\" \
                 points=\"{line}\"/>"
            );
        }
        let colour = if *last_is_new { CHANGED } else { LINE };
        let end = (x(self.points.len() - 1), y(*last));
        let _ = write!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"8\" fill=\"{colour}\"/>", end.0, end.1);
        let [least_name, largest_name, last_name] = &self.labels;
        let muted = Style { px: 22, weight: 400, colour: MUTED };
        // The ends' names would cover that of the last value if they were close.
        for (value, name) in [(least, least_name), (largest, largest_name)] {
            if (y(value) - end.1).abs() > 40.0 {
                text(svg, TREND_RIGHT + 24.0, y(value) + 8.0, &muted, name);
            }
        }
        text(svg, TREND_RIGHT + 24.0, end.1 + 10.0, &Style { px: 30, weight: 600, colour: INK }, last_name);
    }
}

struct Style {
    px: usize,
    weight: u32,
    colour: &'static str,
}

fn text(svg: &mut String, x: f64, y: f64, Style { px, weight, colour }: &Style, text: &str) {
    // The fonts have no narrow space.
    let plain = xml_text(&text.replace(NO_BREAK, " "));
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" font-family=\"Inter\" font-size=\"{px}\" font-weight=\"{weight}\" \
         fill=\"{colour}\">{}</text>",
        escape(&plain)
    );
}

/// Breaks a text at spaces, and ends a longer one with an ellipsis.
fn wrapped(text: &str, characters_max: usize, lines_max: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let word: String = word.chars().take(characters_max).collect();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= characters_max => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    if lines.len() > lines_max {
        lines.truncate(lines_max);
        if let Some(last) = lines.last_mut() {
            let kept: String = last.chars().take(characters_max - 1).collect();
            *last = format!("{}…", kept.trim_end());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(trend: Option<Trend>) -> Card {
        let headline = "ring-futex roundtrip 64 B is 20 % slower on lab-linux-1".to_owned();
        Card { project: "<libfoo> & sons".into(), headline, detail: "Since \u{ffff}20b11bc".into(), trend }
    }

    #[test]
    fn draws_text_and_both_levels() {
        let levels = [(100.0, false), (101.0, false), (120.0, true), (121.0, true)];
        let labels = ["100 ns", "121 ns", "121 ns"].map(str::to_owned);
        let card = card(Some(Trend { points: levels.to_vec(), labels }));
        let pixels = Pixmap::decode_png(&card.png().unwrap()).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (WIDTH, HEIGHT));
        let has = |red: u8, green: u8, blue: u8, rows: std::ops::Range<usize>| {
            let width = WIDTH as usize;
            let pixels = &pixels.pixels()[rows.start * width..rows.end * width];
            pixels.iter().any(|pixel| (pixel.red(), pixel.green(), pixel.blue()) == (red, green, blue))
        };
        assert!(has(0x16, 0x18, 0x1b, 130..180), "the headline is drawn with the font");
        assert!(has(0x00, 0x72, 0xb2, 540..570), "the old level");
        assert!(has(0xd5, 0x5e, 0x00, 340..370), "the new level");
    }

    #[test]
    fn draws_flat_and_empty_lines() {
        for points in [vec![], vec![(5.0, false)], vec![(5.0, false); 3]] {
            let labels = ["5 ns", "5 ns", "5 ns"].map(str::to_owned);
            card(Some(Trend { points, labels })).png().unwrap();
        }
        card(None).png().unwrap();
    }

    #[test]
    fn wraps_at_spaces_and_cuts_the_rest() {
        assert_eq!(wrapped("one two three", 7, 3), ["one two", "three"]);
        assert_eq!(wrapped("one two three four", 7, 2), ["one two", "three…"]);
        assert_eq!(wrapped("abcdefghij", 4, 1), ["abcd"]);
    }
}
