//! `benchmark/compare.js` of Node: CSV with the columns `binary`, `filename`, `configuration`, `rate`,
//! `time`.
//!
//! Each row is one repetition, run in a separate process. Its rate, in operations per second, becomes the
//! time of 1,000 operations. The column `time` is the duration of the process, so it depends on settings and is left out.
//! The binary is the variant.
//!
//! A CSV library cannot read these rows: Node writes a space between a comma and a quotation mark, so
//! libraries treat the marks as text and split the quoted field.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place, cut};
use crate::time::Scale;

pub(super) const READER: Reader = Reader {
    slug: "node",
    title: "Node benchmark/compare.js (CSV)",
    detect: |probe| first_line(probe.text).is_some_and(|(_, line)| is_header(line)),
    read,
};

const COLUMNS: [&str; 5] = ["binary", "filename", "configuration", "rate", "time"];

fn first_line(text: &str) -> Option<(usize, &str)> {
    text.lines().enumerate().find(|(_, line)| !line.trim().is_empty())
}

fn is_header(line: &str) -> bool {
    fields(line).is_ok_and(|fields| fields == COLUMNS)
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let expected_header = format!("expected the columns {}", COLUMNS.join(", "));
    let Some((header, line)) = first_line(text) else {
        return Err(Place::line(1).fault(expected_header));
    };
    if !is_header(line) {
        return Err(Place::line(header + 1).fault(expected_header));
    }
    for (index, line) in text.lines().enumerate().skip(header + 1) {
        // Concatenated files of several runs repeat the header.
        if line.trim().is_empty() || is_header(line) {
            continue;
        }
        row(line, &Place::line(index + 1), collector)?;
    }
    Ok(())
}

fn row(line: &str, place: &Place, collector: &mut Collector) -> Result<(), Fault> {
    let fields = fields(line)
        .map_err(|column| Place { column: Some(column), ..place.clone() }.fault("expected a closing `\"`"))?;
    let [binary, filename, configuration, rate, _] = &fields[..] else {
        let found = if fields.len() > COLUMNS.len() { "more".to_owned() } else { fields.len().to_string() };
        return Err(place.fault(format!("expected 5 fields, found {found}")));
    };
    let at_rate = || place.with_member("rate");
    let per_second: f64 =
        rate.parse().map_err(|_| at_rate().fault(format!("expected a number, found `{}`", cut(rate, 40))))?;
    let time = Scale::per_thousand(1e9).rate(per_second).map_err(|problem| at_rate().fault(problem))?;
    let name = format!("{filename} {configuration}");
    let entry = Entry { variant: Some(binary.clone()), ..Entry::new(name.trim_end(), 1_000) };
    collector.samples(&entry, vec![time], place)
}

/// The fields of a line, at most one more than expected. Blanks around a field are removed. Within quotation
/// marks, a double mark means a single one. An unclosed mark is an error, with its column.
fn fields(line: &str) -> Result<Vec<String>, usize> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let opened = line.len() - rest.len() + 1;
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => closed(quoted).ok_or(opened)?,
            None => {
                let (field, after) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
                (field.trim_end().to_owned(), after)
            }
        };
        fields.push(field);
        // Only blanks are allowed between the closing mark and the comma.
        match after.find(',') {
            Some(comma) if fields.len() <= COLUMNS.len() => rest = &after[comma + 1..],
            _ => return Ok(fields),
        }
    }
}

/// The text before the closing mark, and the rest after it.
fn closed(quoted: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    let mut rest = quoted;
    loop {
        let (before, after) = rest.split_once('"')?;
        field.push_str(before);
        match after.strip_prefix('"') {
            Some(after) => {
                field.push('"');
                rest = after;
            }
            None => return Some((field, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unquotes_commas_and_quotation_marks() {
        let found = fields(r#""old", "a.js", "x=""1, 2"" y=3" , 17.5, 0.2"#).unwrap();
        assert_eq!(found, ["old", "a.js", "x=\"1, 2\" y=3", "17.5", "0.2"]);
        assert_eq!(fields(r#"a,"b"#), Err(3));
        assert_eq!(fields("").unwrap(), [""]);
        assert_eq!(fields("a,").unwrap(), ["a", ""]);
    }
}
