//! Sizes in any order: one a line, with the header `bytes` or none; or `bytes,count`, with that header.

use super::counted::{self, Counted};
use super::{Reader, rows};
use crate::VALUES_MAX;
use crate::error::{Fault, Place};
use roundtrip_wire::size_profile::SizeBucket;
use std::collections::BTreeMap;

pub(super) const READER: Reader = Reader {
    slug: "sizes-csv",
    title: "sizes, one a line (CSV)",
    detect: |glance| {
        let mut lines = glance.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
        match lines.peek() {
            None => false,
            Some(first) if rows::is(first, &SIZE) || rows::is(first, &SIZE_AND_COUNT) => true,
            Some(_) => lines.all(|line| line.bytes().all(|byte| byte.is_ascii_digit())),
        }
    },
    read,
};

const SIZE: [&str; 1] = ["bytes"];
const SIZE_AND_COUNT: [&str; 2] = ["bytes", "count"];

fn read(text: &str, counted: &mut Counted) -> Result<(), Fault> {
    let mut lines = rows::lines(text).peekable();
    let header = lines.peek().map(|&(_, line)| line);
    let has_counts = header.is_some_and(|header| rows::is(header, &SIZE_AND_COUNT));
    if has_counts || header.is_some_and(|header| rows::is(header, &SIZE)) {
        lines.next();
    }
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for (place, line) in lines {
        let [bytes, count] = if has_counts {
            rows::numbers(line, SIZE_AND_COUNT, &place)?
        } else {
            let [bytes] = rows::numbers(line, SIZE, &place)?;
            [bytes, 1]
        };
        if counts.len() == VALUES_MAX && !counts.contains_key(&bytes) {
            return Err(place.fault(format!("expected at most {VALUES_MAX} different sizes")));
        }
        let sum = counts.entry(bytes).or_default();
        *sum = sum.saturating_add(count);
        // Here, where the line is known.
        counted::check(None, SizeBucket { from_bytes: bytes, to_bytes: bytes, count: *sum }, &place)?;
    }
    for (bytes, count) in counts {
        counted.add(SizeBucket { from_bytes: bytes, to_bytes: bytes, count }, &Place::default())?;
    }
    Ok(())
}
