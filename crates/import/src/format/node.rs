//! `benchmark/compare.js` of Node: CSV with the columns `binary`, `filename`, `configuration`, `rate`, `time`.
//!
//! Each row is one repetition, a process of its own. Its rate, in operations a second, becomes the time of 1,000
//! operations; the column `time` is how long all of it took, and is left out. The binary is the variant.
//!
//! The rows are read here and not by a library for CSV: Node writes a space between a comma and a quotation mark, by
//! which libraries take the marks for text and part what is in them.

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
        // Files of several runs that were put together have the header again.
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
        return Err(place.clone().fault(format!("expected 5 fields, found {found}")));
    };
    let at_rate = || place.clone().of_member("rate");
    let per_second: f64 =
        rate.parse().map_err(|_| at_rate().fault(format!("expected a number, found `{}`", cut(rate, 40))))?;
    let time = Scale::of_thousand(1e9).rate(per_second).map_err(|problem| at_rate().fault(problem))?;
    let name = format!("{filename} {configuration}");
    let entry = Entry { variant: Some(binary.clone()), ..Entry::new(name.trim_end(), 1_000) };
    collector.samples(&entry, vec![time], place)
}

/// The fields of a line, at most one more than there should be. Blanks around a field are not of it; within marks, two
/// marks are one. What is wrong is a mark that is not closed; its column is given.
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
        // Between the closing mark and the comma there are only blanks; anything else is of no field.
        match after.find(',') {
            Some(comma) if fields.len() <= COLUMNS.len() => rest = &after[comma + 1..],
            _ => return Ok(fields),
        }
    }
}

/// What is before the closing mark, and what comes after it.
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
    fn marks_hold_commas_and_marks() {
        let found = fields(r#""old", "a.js", "x=""1, 2"" y=3" , 17.5, 0.2"#).unwrap();
        assert_eq!(found, ["old", "a.js", "x=\"1, 2\" y=3", "17.5", "0.2"]);
        assert_eq!(fields(r#"a,"b"#), Err(3));
        assert_eq!(fields("").unwrap(), [""]);
        assert_eq!(fields("a,").unwrap(), ["a", ""]);
    }
}
