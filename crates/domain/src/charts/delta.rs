//! Compact columns for JSON. Neighbouring values are similar, and a small difference takes few characters.

use serde::Serialize;
use utoipa::ToSchema;

/// A column of whole numbers: the first one, then the difference of each to the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = json!([1000, 2, -3]))]
pub struct Deltas(Vec<i64>);

/// A column in which values may be absent: `null` for these, and for each other one the difference to the last one before
/// it that is not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = json!([1000, null, 2, -3]))]
pub struct OptionalDeltas(Vec<Option<i64>>);

/// The position at which an environment begins. It lasts until the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EnvironmentBegins {
    /// Place of the first point with it, from 0.
    pub index: usize,
    /// The identity of the machine's stable facts: points with different ones are not compared.
    pub environment_id: i64,
}

impl FromIterator<i64> for Deltas {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        Self(values.into_iter().scan(0, |before, value| Some(difference(before, value))).collect())
    }
}

impl FromIterator<Option<i64>> for OptionalDeltas {
    fn from_iter<I: IntoIterator<Item = Option<i64>>>(values: I) -> Self {
        let mut before = 0;
        Self(values.into_iter().map(|value| value.map(|value| difference(&mut before, value))).collect())
    }
}

/// The difference from the previous value, which is replaced by this one. Wraps, so that adding it always
/// restores the value.
fn difference(before: &mut i64, value: i64) -> i64 {
    value.wrapping_sub(std::mem::replace(before, value))
}

/// The environments of a column of points.
pub fn environments(environment_ids: impl IntoIterator<Item = i64>) -> Vec<EnvironmentBegins> {
    let mut begins: Vec<EnvironmentBegins> = Vec::new();
    for (index, environment_id) in environment_ids.into_iter().enumerate() {
        if begins.last().is_none_or(|last| last.environment_id != environment_id) {
            begins.push(EnvironmentBegins { index, environment_id });
        }
    }
    begins
}

/// The indices of the marked entries, from 0. Usually few or none.
pub fn marked(marks: impl IntoIterator<Item = bool>) -> Vec<usize> {
    marks.into_iter().enumerate().filter_map(|(index, is_marked)| is_marked.then_some(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn deltas_restore_the_column(values in proptest::collection::vec(any::<i64>(), 0..100)) {
            let Deltas(deltas) = values.iter().copied().collect();
            let sums = deltas.iter().scan(0_i64, |sum, delta| {
                *sum = sum.wrapping_add(*delta);
                Some(*sum)
            });
            prop_assert_eq!(sums.collect::<Vec<_>>(), values);
        }

        #[test]
        fn optional_deltas_keep_nulls(values in proptest::collection::vec(any::<Option<i64>>(), 0..100)) {
            let OptionalDeltas(deltas) = values.iter().copied().collect();
            let mut sum = 0_i64;
            let sums = deltas.iter().map(|delta| {
                delta.map(|delta| {
                    sum = sum.wrapping_add(delta);
                    sum
                })
            });
            prop_assert_eq!(sums.collect::<Vec<_>>(), values);
        }

        #[test]
        fn each_point_has_the_last_started_environment(ids in proptest::collection::vec(1..4_i64, 0..50)) {
            let begins = environments(ids.iter().copied());
            let of = |place: usize| begins.iter().rfind(|begin| begin.index <= place).map(|begin| begin.environment_id);
            prop_assert_eq!((0..ids.len()).filter_map(of).collect::<Vec<_>>(), ids);
            prop_assert!(begins.windows(2).all(|pair| pair[0].environment_id != pair[1].environment_id));
        }
    }

    #[test]
    fn marks_are_sent_as_indices() {
        assert_eq!(marked([false, true, false, true]), [1, 3]);
        assert_eq!(marked([]), [0_usize; 0]);
    }
}
