//! [`Badge`]: a label and what is said of it, drawn side by side.
//!
//! A picture does not know the fonts of whoever looks. The width of each text is computed from the widths of one font, and the
//! browser is told to fit the text into it, whichever font it has.

use quick_xml::escape::escape;

/// What is drawn.
#[derive(Debug)]
pub(crate) struct Badge<'a> {
    /// Of what.
    pub(crate) label: &'a str,
    /// How it is.
    pub(crate) message: &'a str,
    /// Whether that is good.
    pub(crate) tone: Tone,
}

/// Whether what is said is good. Colours alone say nothing: the words do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// All is well.
    Good,
    /// Somebody should look.
    Bad,
    /// A figure, which is neither.
    Plain,
    /// Nothing is known.
    Unknown,
}

/// The height of a badge, and what stands at both sides of a text, in pixels.
const HEIGHT: usize = 20;
const PADDING: usize = 6;
const FONT_PX: usize = 11;
/// A badge stands in a line of text: longer ones are cut, in characters.
const TEXT_MAX: usize = 80;

impl Tone {
    /// Each is told from the others, and from the label, by people who do not see red or green, and carries white letters with
    /// a contrast of 4.5 or more.
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
    /// The picture.
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

/// What can stand in a picture: XML has no place for control characters.
fn shown(text: &str) -> String {
    let text: Vec<char> =
        text.chars().filter(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')).collect();
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

/// The width of a character of the font `DejaVu Sans`, which has those of Verdana nearly, in thousandths of its size.
fn width(character: char) -> usize {
    let place = u32::from(character).checked_sub(0x20).and_then(|place| usize::try_from(place).ok());
    place.and_then(|place| WIDTHS.get(place)).map_or(WIDTH_OF_OTHERS, |width| usize::from(*width))
}

/// As wide as `m`: what is wider is pressed together a little.
const WIDTH_OF_OTHERS: usize = 974;
/// From the space to the tilde.
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
    fn a_text_is_as_wide_as_its_letters() {
        assert_eq!(width_px(""), 0);
        assert_eq!((width_px("i"), width_px("W")), (4, 11));
        // 15 letters, measured with the font itself: 80.7 px.
        assert_eq!(width_px("no regressions"), 81);
        assert!(width_px("18.2 µs") > width_px("18.2 s"));
    }

    #[test]
    fn a_badge_is_well_formed_whatever_it_says() {
        let badge = Badge { label: "<a> & \"b\"\u{1}", message: &"x".repeat(500), tone: Tone::Bad };
        let svg = badge.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
        let said = title.text().unwrap();
        assert!(said.starts_with("<a> & \"b\": xxx") && said.ends_with('…'), "{said}");
        assert_eq!(document.root_element().attribute("aria-label"), title.text());
        let number =
            |node: roxmltree::Node<'_, '_>, name| node.attribute(name).unwrap().parse::<usize>().unwrap();
        let texts: Vec<_> = document.descendants().filter(|node| node.has_tag_name("text")).collect();
        let end = number(texts[1], "x") + number(texts[1], "textLength") + PADDING;
        assert_eq!(end, number(document.root_element(), "width"));
    }
}
