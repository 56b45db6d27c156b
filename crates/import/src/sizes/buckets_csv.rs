//! Buckets, one a line, as CSV: `bucket_min_bytes,count`, where each ends where the next begins, or
//! `from_bytes,to_bytes,count`, both included. The header says which.
//!
//! Of the first form the last line only ends the bucket before it: its own has no end, so it has no messages either.

use super::counted::Counted;
use super::{Reader, rows};
use crate::error::{Fault, Place};
use roundtrip_wire::size_profile::SizeBucket;

pub(super) const READER: Reader = Reader {
    slug: "buckets-csv",
    title: "buckets, one a line (CSV)",
    detect: |glance| {
        let first = glance.lines().find(|line| !line.trim().is_empty());
        first.is_some_and(|line| rows::is(line, &BEGINNINGS) || rows::is(line, &RANGES))
    },
    read,
};

const BEGINNINGS: [&str; 2] = ["bucket_min_bytes", "count"];
const RANGES: [&str; 3] = ["from_bytes", "to_bytes", "count"];

fn read(text: &str, counted: &mut Counted) -> Result<(), Fault> {
    let mut lines = rows::lines(text);
    match lines.next() {
        Some((_, header)) if rows::is(header, &BEGINNINGS) => beginnings(lines, counted),
        Some((_, header)) if rows::is(header, &RANGES) => ranges(lines, counted),
        first => {
            let place = first.map_or_else(|| Place::line(1), |(place, _)| place);
            Err(place.fault(format!("expected the header {} or {}", BEGINNINGS.join(","), RANGES.join(","))))
        }
    }
}

fn beginnings<'a>(lines: impl Iterator<Item = (Place, &'a str)>, counted: &mut Counted) -> Result<(), Fault> {
    let mut open: Option<(Place, u64, u64)> = None;
    for (place, line) in lines {
        let [next_bytes, next_count] = rows::numbers(line, BEGINNINGS, &place)?;
        if let Some((begun, from_bytes, count)) = open {
            if next_bytes <= from_bytes {
                return Err(place.of_member(BEGINNINGS[0]).fault(format!(
                    "expected more than {from_bytes}, where the bucket before begins, found {next_bytes}"
                )));
            }
            counted.add(SizeBucket { from_bytes, to_bytes: next_bytes - 1, count }, &begun)?;
        }
        open = Some((place, next_bytes, next_count));
    }
    match open {
        Some((place, _, count)) if count > 0 => Err(place.of_member(BEGINNINGS[1]).fault(format!(
            "expected 0, because the last line only ends the bucket before it, found {count}: where do these end?"
        ))),
        _ => Ok(()),
    }
}

fn ranges<'a>(lines: impl Iterator<Item = (Place, &'a str)>, counted: &mut Counted) -> Result<(), Fault> {
    for (place, line) in lines {
        let [from_bytes, to_bytes, count] = rows::numbers(line, RANGES, &place)?;
        counted.add(SizeBucket { from_bytes, to_bytes, count }, &place)?;
    }
    Ok(())
}
