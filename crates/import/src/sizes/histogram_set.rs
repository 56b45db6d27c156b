//! `HistogramSet` of Chromium (Catapult), of sizes: one histogram in `sizeInBytes`, however much of it is better.
//!
//! Where all of its samples are listed these are the sizes. Otherwise its bins are buckets: those of whole bytes that
//! lie within, as far as the stated smallest and largest sample reach; of the first and the last bin, which have no
//! other end, these are the end.

use super::Reader;
use super::counted::Counted;
use crate::error::{Fault, Place};
use crate::format::histogram_set::{ELEMENTS_MAX, Running, is_histogram_set};
use crate::json::{self, List, Loose};
use crate::{VALUES_MAX, text};
use bins::{Bins, Boundaries};
use roundtrip_wire::size_profile::SizeBucket;
use serde::Deserialize;
use std::collections::BTreeMap;

mod bins;

pub(super) const READER: Reader =
    Reader { slug: "histogram-set", title: "Chromium HistogramSet (JSON)", detect: is_histogram_set, read };

const UNITS: [&str; 3] = ["sizeInBytes", "sizeInBytes_smallerIsBetter", "sizeInBytes_biggerIsBetter"];
/// Whole numbers up to here are exact: 2^53.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "an object")]
struct Element {
    name: Option<String>,
    unit: Option<String>,
    bin_boundaries: Boundaries,
    all_bins: Bins,
    sample_values: List<Loose, VALUES_MAX>,
    running: List<Loose, 7>,
}

fn read(text: &str, counted: &mut Counted) -> Result<(), Fault> {
    let elements: List<Element, ELEMENTS_MAX> = json::read(text)?;
    let named = |element: &Element| text::cut(element.name.as_deref().unwrap_or_default(), 60);
    let histograms = elements.0.iter().enumerate().filter_map(|(index, element)| {
        element.name.as_ref()?;
        Some((index, element, element.unit.as_deref()?))
    });
    let (sizes, others): (Vec<_>, Vec<_>) = histograms.partition(|(_, _, unit)| UNITS.contains(unit));
    let others = super::names(
        others.iter().map(|(_, other, unit)| format!("{} in {}", named(other), text::cut(unit, 40))),
    );
    let sizes: Vec<_> = sizes.into_iter().filter(|(_, element, _)| element.has_messages()).collect();
    match sizes[..] {
        [(index, element, _)] => {
            if !others.is_empty() {
                counted.warn(&format!("left out, their unit is not sizeInBytes: {others}"));
            }
            element.hand_over(&format!("[{index}]"), counted)
        }
        [] if others.is_empty() => {
            Err(Place::default().fault("expected a histogram in sizeInBytes with messages, found none"))
        }
        [] => Err(Place::default().fault(format!("expected a histogram in sizeInBytes, found {others}"))),
        _ => Err(Place::default().fault(format!(
            "expected one histogram in sizeInBytes, found {}: {}",
            sizes.len(),
            super::names(sizes.iter().map(|(_, element, _)| named(element)))
        ))),
    }
}

impl Element {
    fn has_messages(&self) -> bool {
        !self.sample_values.0.is_empty() || self.all_bins.0.iter().any(|&(_, count)| count > 0)
    }

    fn hand_over(&self, path: &str, counted: &mut Counted) -> Result<(), Fault> {
        let running = Running::of(&self.running.0);
        let samples = &self.sample_values.0;
        let is_all = running
            .as_ref()
            .map_or(self.all_bins.0.is_empty(), |running| running.count == samples.len() as f64);
        if is_all {
            hand_over_samples(samples, path, counted)
        } else {
            self.hand_over_bins(running.as_ref(), path, counted)
        }
    }

    fn hand_over_bins(
        &self,
        running: Option<&Running>,
        path: &str,
        counted: &mut Counted,
    ) -> Result<(), Fault> {
        let at = |member: &str| Place::member(format!("{path}.{member}"));
        counted.state_count(running.map(|running| running.count));
        let ends = self.bin_boundaries.ends().map_err(|problem| at("binBoundaries").fault(problem))?;
        let extreme = |figure: Option<f64>| {
            figure.map(size).transpose().map_err(|problem| at("running").fault(problem))
        };
        let min_bytes = extreme(running.and_then(|running| running.min))?;
        let max_bytes = extreme(running.and_then(|running| running.max))?;
        for &(index, count) in self.all_bins.0.iter().filter(|&&(_, count)| count > 0) {
            let place = at(&format!("allBins[{index}]"));
            if index > ends.len() {
                return Err(
                    place.fault(format!("expected one of {} bins, which have boundaries", ends.len() + 1))
                );
            }
            // The first bin is of all below the boundaries, the last of all above.
            let low = index.checked_sub(1).map(|before| bins::first_whole(ends[before])).max(min_bytes);
            let next = ends.get(index).map(|&end| bins::first_whole(end));
            let next = next.into_iter().chain(max_bytes.map(|max| max + 1)).min();
            let (Some(from_bytes), Some(next_bytes)) = (low, next) else {
                let expected =
                    "expected the smallest and the largest sample in running, for a bin without an end";
                return Err(place.fault(expected));
            };
            if next_bytes <= from_bytes {
                let expected =
                    "expected whole bytes within the bin and between the smallest and the largest sample";
                return Err(place.fault(format!("{expected}, found none")));
            }
            let to_bytes = next_bytes - 1;
            counted.add(SizeBucket { from_bytes, to_bytes, count }, &place)?;
        }
        Ok(())
    }
}

fn hand_over_samples(samples: &[Loose], path: &str, counted: &mut Counted) -> Result<(), Fault> {
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for (index, sample) in samples.iter().enumerate() {
        let bytes = sample.number().ok_or_else(|| "expected a number of bytes".to_owned()).and_then(size);
        let bytes =
            bytes.map_err(|problem| Place::member(format!("{path}.sampleValues[{index}]")).fault(problem))?;
        *counts.entry(bytes).or_default() += 1;
    }
    let place = Place::member(format!("{path}.sampleValues"));
    for (bytes, count) in counts {
        counted.add(SizeBucket { from_bytes: bytes, to_bytes: bytes, count }, &place)?;
    }
    Ok(())
}

/// A number as a size.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^53, and whole")]
fn size(number: f64) -> Result<u64, String> {
    if (0.0..=WHOLE_MAX).contains(&number) && number.fract() == 0.0 {
        return Ok(number as u64);
    }
    Err(format!("expected a whole number of bytes that is not negative, found {number:?}"))
}
