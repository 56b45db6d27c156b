//! Bins of a `HistogramSet`, and where they end.

use super::WHOLE_MAX;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// More than any histogram has: the default is about a hundred.
const BINS_MAX: usize = 100_000;

/// Where bins end: the first end, then for each slice of bins the last of its ends.
#[derive(Debug, Default)]
pub(super) struct Boundaries(Vec<Slice>);

/// A number, or a list of the kind of slice, its last end, and how many bins there are.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a boundary, or a slice of three numbers: its kind, its end, how many bins"
)]
enum Slice {
    Boundary(f64),
    Bins(u8, f64, usize),
}

impl<'de> Deserialize<'de> for Boundaries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::json::List::<Slice, BINS_MAX>::deserialize(deserializer).map(|list| Self(list.0))
    }
}

impl Boundaries {
    /// All ends, in ascending order. There is a bin below the first, and one from the last on.
    pub(super) fn ends(&self) -> Result<Vec<f64>, String> {
        let mut ends: Vec<f64> = Vec::new();
        for slice in &self.0 {
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
            return Err("expected boundaries, since not all samples are listed, found none".into());
        }
        if !ends.is_sorted_by(|one, next| one < next) {
            return Err("expected boundaries in ascending order".into());
        }
        Ok(ends)
    }
}

/// The first whole number from a boundary on. Boundaries are computed: what is a whole number but for the last digits
/// is one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^53")]
pub(super) fn first_whole(boundary: f64) -> u64 {
    let nearest = boundary.round();
    let whole = if (boundary - nearest).abs() <= nearest.abs() * 1e-9 { nearest } else { boundary.ceil() };
    whole.clamp(0.0, WHOLE_MAX) as u64
}

/// The bins that are listed, by their numbers, and how many samples are in each.
#[derive(Debug, Default)]
pub(super) struct Bins(pub(super) Vec<(usize, u64)>);

/// A list that begins with how many samples there are; what follows tells of single samples.
struct Bin(u64);

impl<'de> Deserialize<'de> for Bin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BinVisitor;
        impl<'de> Visitor<'de> for BinVisitor {
            type Value = Bin;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list that begins with a count")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Bin, A::Error> {
                let count = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Bin(count))
            }
        }
        deserializer.deserialize_seq(BinVisitor)
    }
}

impl<'de> Deserialize<'de> for Bins {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BinsVisitor;
        impl<'de> Visitor<'de> for BinsVisitor {
            type Value = Bins;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of bins, or an object of them by their numbers")
            }

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
                        .map_err(|_| A::Error::custom("expected the number of a bin as name"))?;
                    push(&mut bins, index, count)?;
                }
                // Python writes them in order, JavaScript does for numbers, others need not.
                bins.sort_unstable();
                Ok(Bins(bins))
            }
        }
        deserializer.deserialize_any(BinsVisitor)
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
    fn a_computed_boundary_is_the_whole_number_that_it_nearly_is() {
        assert_eq!(
            [64.000_000_000_000_01, 63.999_999_999_999_99, 64.1, 64.0, -3.0].map(first_whole),
            [64, 64, 65, 64, 0]
        );
    }

    #[test]
    fn slices_are_parted_evenly_by_difference_or_by_ratio() {
        let ends = |slices| Boundaries(slices).ends().unwrap();
        assert_eq!(ends(vec![Slice::Boundary(0.0), Slice::Bins(0, 30.0, 3)]), [0.0, 10.0, 20.0, 30.0]);
        let ends = ends(vec![Slice::Boundary(1.0), Slice::Bins(1, 4096.0, 4), Slice::Boundary(5000.0)]);
        assert_eq!(ends.into_iter().map(first_whole).collect::<Vec<_>>(), [1, 8, 64, 512, 4096, 5000]);
    }
}
