//! [`Badge`]: a label and a message, as SVG.
//!
//! The width of each text is computed for one font. `textLength` makes browsers fit the text into it with any font.

use quick_xml::escape::escape;

/// The texts and colour of a badge.
#[derive(Debug)]
pub(crate) struct Badge<'a> {
    /// The label, on the left.
    pub(crate) label: &'a str,
    /// The message, on the right.
    pub(crate) message: &'a str,
    pub(crate) tone: Tone,
}

/// The tone, which selects the colour. The text has the full meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Good.
    Good,
    /// Needs attention.
    Bad,
    /// A neutral value.
    Plain,
    /// Unknown.
    Unknown,
}

/// The height of a badge, and the padding on both sides of a text, in pixels.
const HEIGHT: usize = 20;
const PADDING: usize = 6;
const FONT_PX: usize = 11;
/// The maximum length in characters. Longer texts are cut.
const TEXT_MAX: usize = 80;

impl Tone {
    /// The colours are distinguishable for colour-blind readers, and have a contrast of at least 4.5 with white text.
    fn colour(self) -> &'static str {
        match self {
            Self::Good => "#00658f",
            Self::Bad => "#b34700",
            Self::Plain => "#3d5a80",
            Self::Unknown => "#6b6b6b",
        }
    }
}

impl Badge<'_> {
    /// Renders the badge as SVG.
    pub(crate) fn svg(&self) -> String {
        let (label, message) = (shown(self.label), shown(self.message));
        let [label_width, message_width] = [&label, &message].map(|text| width_px(text));
        let (left, right) = (label_width + 2 * PADDING, message_width + 2 * PADDING);
        let (label, message, colour) = (escape(&label), escape(&message), self.tone.colour());
        let width = left + right;
        let from = left + PADDING;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{HEIGHT}\" role=\"img\" \
             aria-label=\"{label}: {message}\"><title>{label}: {message}</title>\
             <clipPath id=\"r\"><rect width=\"{width}\" height=\"{HEIGHT}\" rx=\"3\"/></clipPath>\
             <g clip-path=\"url(#r)\"><rect width=\"{left}\" height=\"{HEIGHT}\" fill=\"#333\"/>\
             <rect x=\"{left}\" width=\"{right}\" height=\"{HEIGHT}\" fill=\"{colour}\"/></g>\
             <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,Geneva,sans-serif\" font-size=\"{FONT_PX}\">\
             <text x=\"{PADDING}\" y=\"14\" textLength=\"{label_width}\">{label}</text>\
             <text x=\"{from}\" y=\"14\" textLength=\"{message_width}\">{message}</text></g></svg>\n"
        )
    }
}

/// A text without the characters that XML does not allow.
pub(crate) fn xml_text(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')).collect()
}

fn shown(text: &str) -> String {
    let text: Vec<char> = xml_text(text).chars().collect();
    if text.len() <= TEXT_MAX {
        return text.into_iter().collect();
    }
    text[..TEXT_MAX - 1].iter().chain(&['…']).collect()
}

/// The width of a text, rounded up to whole pixels.
fn width_px(text: &str) -> usize {
    let thousandths: usize = text.chars().map(width).sum();
    (thousandths * FONT_PX).div_ceil(1_000)
}

/// The width of a character of the font `DejaVu Sans`, in thousandths of its size. Verdana is almost as wide.
fn width(character: char) -> usize {
    let place = u32::from(character).checked_sub(0x20).and_then(|place| usize::try_from(place).ok());
    place.and_then(|place| WIDTHS.get(place)).map_or(WIDTH_OF_OTHERS, |width| usize::from(*width))
}

/// The width of other characters: that of `m`. Wider ones are compressed a little.
const WIDTH_OF_OTHERS: usize = 974;
/// The widths from the space to the tilde.
#[rustfmt::skip]
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_width_matches_the_font() {
        assert_eq!(width_px(""), 0);
        assert_eq!((width_px("i"), width_px("W")), (4, 11));
        // 15 letters, measured with the font itself: 80.7 px.
        assert_eq!(width_px("no regressions"), 81);
        assert!(width_px("18.2 µs") > width_px("18.2 s"));
    }

    #[test]
    fn badge_is_well_formed_for_any_text() {
        let badge = Badge { label: "<a> & \"b\"\u{1}", message: &"x".repeat(500), tone: Tone::Bad };
        let svg = badge.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
        let text = title.text().unwrap();
        assert!(text.starts_with("<a> & \"b\": xxx") && text.ends_with('…'), "{text}");
        assert_eq!(document.root_element().attribute("aria-label"), title.text());
        let number =
            |node: roxmltree::Node<'_, '_>, name| node.attribute(name).unwrap().parse::<usize>().unwrap();
        let texts: Vec<_> = document.descendants().filter(|node| node.has_tag_name("text")).collect();
        let end = number(texts[1], "x") + number(texts[1], "textLength") + PADDING;
        assert_eq!(end, number(document.root_element(), "width"));
    }
}
