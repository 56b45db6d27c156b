//! Text for a person at a terminal: colour where it is wanted, and lines that fit.

use clap::builder::styling::Style;
use comfy_table::{ContentArrangement, Table, presets};
use std::io::{self, IsTerminal};

/// Columns of text.
pub(crate) const WIDTH: u16 = 80;

/// Whether standard output may be coloured: a terminal that can, and nobody who objects (<https://no-color.org>).
pub(crate) fn is_coloured() -> bool {
    let objects = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    io::stdout().is_terminal() && !objects && !dumb
}

/// A text in a style, if coloured.
pub(crate) fn styled(text: &str, style: Style, coloured: bool) -> String {
    if coloured { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// A text in lines of at most [`WIDTH`], all indented by so many columns.
pub(crate) fn paragraph(text: &str, indent: u16) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(WIDTH).add_row([text]);
    if let Some(column) = table.column_mut(0) {
        column.set_padding((indent, 0));
    }
    table.trim_fmt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_broken_between_words_and_indented() {
        let text = paragraph(&"word ".repeat(40), 4);
        assert!(text.lines().count() > 1);
        for line in text.lines() {
            assert!(line.starts_with("    word") && line.ends_with("word"), "{line:?}");
            assert!(line.len() <= usize::from(WIDTH), "{line:?}");
        }
    }
}
