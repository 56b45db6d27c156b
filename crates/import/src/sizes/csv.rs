//! Sizes in any order: one per line, with or without the header `bytes`; or `bytes,count`, with that header. Columns may be
//! separated by `,`, `;` or tabs, and quoted.

use super::{Counted, Reader, check_bucket, csv_lines, csv_numbers, is_header};
use crate::VALUES_MAX;
use crate::fault::{Fault, Place};
use roundtrip_wire::size_profile::SizeBucket;
use std::collections::BTreeMap;

pub(super) const SIZES: Reader = Reader {
    slug: "sizes-csv",
    title: "sizes, one per line (CSV)",
    detect: |probe| {
        let mut lines = probe.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
        match lines.peek() {
            None => false,
            Some(first) if is_header(first, &SIZE) || is_header(first, &SIZE_AND_COUNT) => true,
            Some(_) => lines.all(|line| line.bytes().all(|byte| byte.is_ascii_digit())),
        }
    },
    read,
};

const SIZE: [&str; 1] = ["bytes"];
const SIZE_AND_COUNT: [&str; 2] = ["bytes", "count"];

fn read(text: &str, counted: &mut Counted) -> Result<(), Fault> {
    let mut lines = csv_lines(text).peekable();
    let header = lines.peek().map(|&(_, line)| line);
    let has_counts = header.is_some_and(|header| is_header(header, &SIZE_AND_COUNT));
    if has_counts || header.is_some_and(|header| is_header(header, &SIZE)) {
        lines.next();
    }
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for (place, line) in lines {
        let [bytes, count] = if has_counts {
            csv_numbers(line, SIZE_AND_COUNT, &place)?
        } else {
            let [bytes] = csv_numbers(line, SIZE, &place)?;
            [bytes, 1]
        };
        if counts.len() == VALUES_MAX && !counts.contains_key(&bytes) {
            return Err(place.fault(format!("expected at most {VALUES_MAX} different sizes")));
        }
        let sum = counts.entry(bytes).or_default();
        *sum = sum.saturating_add(count);
        // Checked here, where the line is known.
        check_bucket(None, SizeBucket { from_bytes: bytes, to_bytes: bytes, count: *sum }, &place)?;
    }
    for (bytes, count) in counts {
        counted.add(SizeBucket { from_bytes: bytes, to_bytes: bytes, count }, &Place::default())?;
    }
    Ok(())
}

// Buckets as CSV, one per line: `bucket_min_bytes,count`, where each bucket ends where the next begins, or
// `from_bytes,to_bytes,count`, both included. The header decides.
//
// In the first form, the last line only ends the bucket before it. It has no end, so it must have no
// messages.

pub(super) const BUCKETS: Reader = Reader {
    slug: "buckets-csv",
    title: "buckets, one per line (CSV)",
    detect: |probe| {
        let first = probe.lines().find(|line| !line.trim().is_empty());
        first.is_some_and(|line| is_header(line, &BEGINNINGS) || is_header(line, &RANGES))
    },
    read: read_buckets,
};

const BEGINNINGS: [&str; 2] = ["bucket_min_bytes", "count"];
const RANGES: [&str; 3] = ["from_bytes", "to_bytes", "count"];

fn read_buckets(text: &str, counted: &mut Counted) -> Result<(), Fault> {
    let mut lines = csv_lines(text);
    match lines.next() {
        Some((_, header)) if is_header(header, &BEGINNINGS) => read_beginnings(lines, counted),
        Some((_, header)) if is_header(header, &RANGES) => read_ranges(lines, counted),
        first => {
            let place = first.map_or_else(|| Place::line(1), |(place, _)| place);
            Err(place.fault(format!("expected the header {} or {}", BEGINNINGS.join(","), RANGES.join(","))))
        }
    }
}

fn read_beginnings<'a>(
    lines: impl Iterator<Item = (Place, &'a str)>,
    counted: &mut Counted,
) -> Result<(), Fault> {
    let mut open: Option<(Place, u64, u64)> = None;
    for (place, line) in lines {
        let [next_bytes, next_count] = csv_numbers(line, BEGINNINGS, &place)?;
        if let Some((begun, from_bytes, count)) = open {
            if next_bytes <= from_bytes {
                return Err(place.with_member(BEGINNINGS[0]).fault(format!(
                    "expected more than {from_bytes}, the start of the previous bucket, found {next_bytes}"
                )));
            }
            counted.add(SizeBucket { from_bytes, to_bytes: next_bytes - 1, count }, &begun)?;
        }
        open = Some((place, next_bytes, next_count));
    }
    match open {
        Some((place, _, count)) if count > 0 => Err(place.with_member(BEGINNINGS[1]).fault(format!(
            "expected a count of 0, because the last line only ends the previous bucket, found {count}"
        ))),
        _ => Ok(()),
    }
}

fn read_ranges<'a>(
    lines: impl Iterator<Item = (Place, &'a str)>,
    counted: &mut Counted,
) -> Result<(), Fault> {
    for (place, line) in lines {
        let [from_bytes, to_bytes, count] = csv_numbers(line, RANGES, &place)?;
        counted.add(SizeBucket { from_bytes, to_bytes, count }, &place)?;
    }
    Ok(())
}
