//! `HistogramSet` of Chromium (Catapult) with sizes: one histogram in `sizeInBytes`, with any direction of
//! improvement.
//!
//! If the histogram lists all of its samples, they are the sizes. Otherwise its bins become buckets of whole
//! bytes. The stated smallest and largest sample limit them, and end the first and the last bin, which have
//! no outer end.

use super::{Counted, Reader, names};
use crate::VALUES_MAX;
use crate::fault::{Fault, Place, cut};
use crate::format::histogram_set::{ELEMENTS_MAX, Running, is_histogram_set};
use crate::json::{self, List, Loose, visited};
use roundtrip_wire::size_profile::SizeBucket;
use serde::Deserialize;
use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess};
use std::collections::BTreeMap;

pub(super) const READER: Reader =
    Reader { slug: "histogram-set", title: "Chromium HistogramSet (JSON)", detect: is_histogram_set, read };

const UNITS: [&str; 3] = ["sizeInBytes", "sizeInBytes_smallerIsBetter", "sizeInBytes_biggerIsBetter"];
/// Floats are exact for whole numbers up to here: 2^53.
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
    let named = |element: &Element| cut(element.name.as_deref().unwrap_or_default(), 60);
    let histograms = elements.0.iter().enumerate().filter_map(|(index, element)| {
        element.name.as_ref()?;
        Some((index, element, element.unit.as_deref()?))
    });
    let (sizes, others): (Vec<_>, Vec<_>) = histograms.partition(|(_, _, unit)| UNITS.contains(unit));
    let others =
        names(others.iter().map(|(_, other, unit)| format!("{} in {}", named(other), cut(unit, 40))));
    let sizes: Vec<_> = sizes.into_iter().filter(|(_, element, _)| element.has_messages()).collect();
    match sizes[..] {
        [(index, element, _)] => {
            if !others.is_empty() {
                counted.warn(&format!("skipped, unit is not sizeInBytes: {others}"));
            }
            element.add_to(&format!("[{index}]"), counted)
        }
        [] if others.is_empty() => {
            Err(Place::default().fault("expected a histogram in sizeInBytes with messages, found none"))
        }
        [] => Err(Place::default().fault(format!("expected a histogram in sizeInBytes, found {others}"))),
        _ => Err(Place::default().fault(format!(
            "expected one histogram in sizeInBytes, found {}: {}",
            sizes.len(),
            names(sizes.iter().map(|(_, element, _)| named(element)))
        ))),
    }
}

impl Element {
    fn has_messages(&self) -> bool {
        !self.sample_values.0.is_empty() || self.all_bins.0.iter().any(|&(_, count)| count > 0)
    }

    fn add_to(&self, path: &str, counted: &mut Counted) -> Result<(), Fault> {
        let running = Running::from_figures(&self.running.0);
        let samples = &self.sample_values.0;
        let is_all = running
            .as_ref()
            .map_or(self.all_bins.0.is_empty(), |running| running.count == samples.len() as f64);
        if is_all {
            add_samples(samples, path, counted)
        } else {
            self.add_bins(running.as_ref(), path, counted)
        }
    }

    fn add_bins(&self, running: Option<&Running>, path: &str, counted: &mut Counted) -> Result<(), Fault> {
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
                return Err(place.fault(format!("expected a bin number from 0 to {}", ends.len())));
            }
            // The first bin holds all values below the boundaries, the last all above.
            let low = index.checked_sub(1).map(|before| first_whole(ends[before])).max(min_bytes);
            let next = ends.get(index).map(|&end| first_whole(end));
            let next = next.into_iter().chain(max_bytes.map(|max| max + 1)).min();
            let (Some(from_bytes), Some(next_bytes)) = (low, next) else {
                let expected = "a bin without an end needs the smallest and largest sample in `running`";
                return Err(place.fault(expected));
            };
            if next_bytes <= from_bytes {
                let expected = "expected whole bytes within the bin, between the smallest and largest sample";
                return Err(place.fault(format!("{expected}, found none")));
            }
            let to_bytes = next_bytes - 1;
            counted.add(SizeBucket { from_bytes, to_bytes, count }, &place)?;
        }
        Ok(())
    }
}

fn add_samples(samples: &[Loose], path: &str, counted: &mut Counted) -> Result<(), Fault> {
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

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^53, and whole")]
fn size(number: f64) -> Result<u64, String> {
    if (0.0..=WHOLE_MAX).contains(&number) && number.fract() == 0.0 {
        return Ok(number as u64);
    }
    Err(format!("expected a whole number of bytes of 0 or more, found {number:?}"))
}

// The bins of a `HistogramSet` and their boundaries.

/// The most bins of a histogram. The default is about a hundred.
const BINS_MAX: usize = 100_000;

/// Boundaries: the first one, then slices of bins with their last boundary.
#[derive(Default, Deserialize)]
struct Boundaries(List<Slice, BINS_MAX>);

/// A number, or a list of the kind of slice, its last boundary and the number of bins.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a boundary, or a slice of three numbers: kind, end, number of bins")]
enum Slice {
    Boundary(f64),
    Bins(u8, f64, usize),
}

impl Boundaries {
    /// All boundaries, in ascending order. One bin is below the first, and one above the last.
    fn ends(&self) -> Result<Vec<f64>, String> {
        let mut ends: Vec<f64> = Vec::new();
        for slice in &self.0.0 {
            match (slice, ends.last().copied()) {
                (Slice::Boundary(end), _) => ends.push(*end),
                (Slice::Bins(..), None) => return Err("expected a number first, found a slice".into()),
                (&Slice::Bins(kind, end, many), Some(begin)) => {
                    if many == 0 || ends.len().saturating_add(many) > BINS_MAX {
                        return Err(format!("expected 1 to {BINS_MAX} bins, found {many}"));
                    }
                    let share = |bin: usize| bin as f64 / many as f64;
                    match kind {
                        0 => ends.extend((1..many).map(|bin| begin + (end - begin) * share(bin))),
                        1 if begin > 0.0 => {
                            ends.extend((1..many).map(|bin| begin * (end / begin).powf(share(bin))));
                        }
                        1 => return Err("expected an exponential slice after a boundary above 0".into()),
                        other => {
                            return Err(format!(
                                "expected a slice of kind 0, linear, or 1, exponential, found {other}"
                            ));
                        }
                    }
                    ends.push(end);
                }
            }
        }
        if ends.is_empty() {
            return Err("no boundaries: required unless all samples are listed".into());
        }
        if !ends.is_sorted_by(|one, next| one < next) {
            return Err("expected boundaries in ascending order".into());
        }
        Ok(ends)
    }
}

/// The first whole number at or above a boundary. Computed boundaries that differ from a whole number only by
/// rounding count as it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^53")]
fn first_whole(boundary: f64) -> u64 {
    let nearest = boundary.round();
    let whole = if (boundary - nearest).abs() <= nearest.abs() * 1e-9 { nearest } else { boundary.ceil() };
    whole.clamp(0.0, WHOLE_MAX) as u64
}

/// The listed bins, by index, with the number of samples in each.
#[derive(Debug, Default)]
struct Bins(Vec<(usize, u64)>);

/// A list that begins with the number of samples. The rest describes single samples.
struct Bin(u64);

visited! { Bin, "a list that begins with a count", deserialize_seq,
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Bin, A::Error> {
        let count = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Bin(count))
    }
}

visited! { Bins, "a list of bins, or an object with their numbers as keys", deserialize_any,
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Bins, A::Error> {
        let mut bins = Vec::new();
        while let Some(Bin(count)) = seq.next_element()? {
            let index = bins.len();
            push(&mut bins, index, count)?;
        }
        Ok(Bins(bins))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bins, A::Error> {
        let mut bins = Vec::new();
        while let Some((index, Bin(count))) = map.next_entry::<String, Bin>()? {
            let index = index
                .parse()
                .map_err(|_| A::Error::custom("expected a bin's number as the key"))?;
            push(&mut bins, index, count)?;
        }
        // Python and JavaScript write them in order, other writers may not.
        bins.sort_unstable();
        Ok(Bins(bins))
    }
}

fn push<E: Error>(bins: &mut Vec<(usize, u64)>, index: usize, count: u64) -> Result<(), E> {
    if bins.len() == BINS_MAX {
        return Err(E::custom(format!("expected at most {BINS_MAX} bins")));
    }
    bins.push((index, count));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_computed_boundaries() {
        assert_eq!(
            [64.000_000_000_000_01, 63.999_999_999_999_99, 64.1, 64.0, -3.0].map(first_whole),
            [64, 64, 65, 64, 0]
        );
    }

    #[test]
    fn splits_slices_linearly_or_exponentially() {
        let ends = |slices| Boundaries(List(slices)).ends().unwrap();
        assert_eq!(ends(vec![Slice::Boundary(0.0), Slice::Bins(0, 30.0, 3)]), [0.0, 10.0, 20.0, 30.0]);
        let ends = ends(vec![Slice::Boundary(1.0), Slice::Bins(1, 4096.0, 4), Slice::Boundary(5000.0)]);
        assert_eq!(ends.into_iter().map(first_whole).collect::<Vec<_>>(), [1, 8, 64, 512, 4096, 5000]);
    }
}
