//! `HdrHistogram` V2: a log (`.hlog`) of bytes, or single histograms in base64, one per line.
//!
//! All histograms are added up, so a log may have at most one tag. A bin becomes a bucket.

use super::{Counted, Reader, csv_lines};
use crate::VALUES_MAX;
use crate::fault::{Fault, Place, cut};
use crate::format::hdr_log::{self, Interval};
use crate::hdr::{Bin, Inflater};
use roundtrip_wire::size_profile::SizeBucket;
use std::collections::BTreeMap;

pub(super) const READER: Reader = Reader {
    slug: "hdr",
    title: "HdrHistogram V2 of bytes (.hlog or base64)",
    detect: |probe| {
        let first = probe.lines().find(|line| !line.trim().is_empty());
        // The base64 prefix of the encodings.
        first.is_some_and(|line| line.starts_with("HIST") && !line.contains(','))
            || hdr_log::is_hdr_log(probe)
    },
    read,
};

fn read(text: &str, counted: &mut Counted) -> Result<(), Fault> {
    let mut bins: BTreeMap<(u64, u64), (u64, Place)> = BTreeMap::new();
    let mut inflater = Inflater::new(text.len());
    let mut known_tag = None;
    for (place, line) in
        csv_lines(text).filter(|(_, line)| !line.starts_with('#') && !hdr_log::is_header(line))
    {
        let interval = Interval::parse(line);
        if let Some(tag) = interval.as_ref().map(|interval| interval.tag) {
            let known = *known_tag.get_or_insert(tag);
            if known != tag {
                let name = |tag: Option<&str>| cut(tag.unwrap_or("untagged"), 40);
                return Err(place.fault(format!(
                    "expected histograms of one tag, {}, found {}. Remove the lines of the other tag.",
                    name(known),
                    name(tag)
                )));
            }
        }
        let histogram = interval.map_or(line, |interval| interval.histogram);
        let mut is_full = false;
        inflater.bins(histogram, &place, |Bin { low, high, count }| {
            is_full |= bins.len() == VALUES_MAX;
            if !is_full {
                let (sum, _) = bins.entry((low, high)).or_insert_with(|| (0, place.clone()));
                *sum = sum.saturating_add(count);
            }
        })?;
        if is_full {
            return Err(place.fault(format!("expected at most {VALUES_MAX} different bins")));
        }
    }
    for ((from_bytes, to_bytes), (count, place)) in bins {
        counted.add(SizeBucket { from_bytes, to_bytes, count }, &place)?;
    }
    Ok(())
}
