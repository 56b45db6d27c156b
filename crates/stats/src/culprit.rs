//! Which commit made a change? Several series that changed together each say how probable it is of every commit that was
//! measured; the commits in between, which were not, share what is said of the next one.

use std::collections::BTreeMap;

/// What one series says: at which measured commits the new level may begin, ascending, and how probably it does at each; the
/// commits are numbered in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Testimony {
    /// The newest measured commit before all of them.
    pub after: i64,
    /// The commits and their probabilities.
    pub places: Vec<(i64, f64)>,
}

/// However sure a series is, that it is wrong altogether has this probability, spread over all commits.
const DOUBT: f64 = 0.01;

/// How probably each commit made the change that all of the series show: the most probable first, then the older. Those after
/// the largest `after` and up to the largest place come into question at most, and `commits` are those that there are.
///
/// Series are taken to err independently; one that is wrong does not rule out what all others say.
pub fn rank(testimonies: &[Testimony], commits: &[i64]) -> Vec<(i64, f64)> {
    let possible: Vec<i64> = {
        let first = testimonies.iter().map(|testimony| testimony.after).min();
        let last =
            testimonies.iter().filter_map(|testimony| testimony.places.last().map(|place| place.0)).max();
        let Some((first, last)) = first.zip(last) else { return Vec::new() };
        commits.iter().copied().filter(|commit| *commit > first && *commit <= last).collect()
    };
    let mut logarithms: BTreeMap<i64, f64> = possible.iter().map(|&commit| (commit, 0.0)).collect();
    let even = 1.0 / possible.len().max(1) as f64;
    for testimony in testimonies {
        let of_commit = testimony.spread(&possible);
        for (commit, logarithm) in &mut logarithms {
            let probability = of_commit.get(commit).copied().unwrap_or(0.0);
            *logarithm += ((1.0 - DOUBT) * probability + DOUBT * even).ln();
        }
    }
    let most = logarithms.values().copied().fold(f64::NEG_INFINITY, f64::max);
    let all: f64 = logarithms.values().map(|logarithm| (logarithm - most).exp()).sum();
    let mut ranked: Vec<(i64, f64)> =
        logarithms.into_iter().map(|(commit, logarithm)| (commit, (logarithm - most).exp() / all)).collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    ranked
}

impl Testimony {
    /// What it says of each commit: one that was not measured made the change as probably as the next that was.
    fn spread(&self, commits: &[i64]) -> BTreeMap<i64, f64> {
        let mut spread = BTreeMap::new();
        let mut after = self.after;
        for &(place, probability) in &self.places {
            let between: Vec<i64> =
                commits.iter().copied().filter(|commit| *commit > after && *commit <= place).collect();
            for commit in &between {
                spread.insert(*commit, probability / between.len() as f64);
            }
            after = place;
        }
        spread
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn says(after: i64, places: &[(i64, f64)]) -> Testimony {
        Testimony { after, places: places.to_vec() }
    }

    #[test]
    fn commits_between_two_measured_ones_share_the_probability() {
        let ranked = rank(&[says(10, &[(14, 1.0)])], &[9, 10, 11, 12, 13, 14, 15]);
        let commits: Vec<i64> = ranked.iter().map(|(commit, _)| *commit).collect();
        assert_eq!(commits, [11, 12, 13, 14]);
        assert!(ranked.iter().all(|(_, probability)| (probability - 0.25).abs() < 1e-9), "{ranked:?}");
    }

    #[test]
    fn series_that_agree_make_it_surer_than_each_is() {
        let one = says(10, &[(11, 0.3), (12, 0.6), (13, 0.1)]);
        let ranked = rank(&[one.clone(), one.clone(), one], &[11, 12, 13]);
        assert_eq!(ranked[0].0, 12);
        assert!(ranked[0].1 > 0.85, "{ranked:?}");
    }

    #[test]
    fn one_series_that_is_wrong_does_not_rule_out_the_others() {
        let right = says(10, &[(11, 0.05), (12, 0.95)]);
        let wrong = says(10, &[(11, 1.0)]);
        let ranked = rank(&[right.clone(), right.clone(), right, wrong], &[11, 12]);
        assert_eq!(ranked[0].0, 12, "{ranked:?}");
    }

    #[test]
    fn who_says_nothing_names_nobody() {
        assert_eq!(rank(&[], &[1, 2]), []);
        assert_eq!(rank(&[says(5, &[])], &[1, 2]), []);
        assert_eq!(rank(&[says(5, &[(9, 1.0)])], &[]), []);
    }

    proptest! {
        #[test]
        fn probabilities_add_up_to_one(places in proptest::collection::btree_map(1..30_i64, 0.01..1.0_f64, 1..8)) {
            let all: f64 = places.values().sum();
            let places: Vec<(i64, f64)> = places.into_iter().map(|(place, share)| (place, share / all)).collect();
            let ranked = rank(&[says(0, &places)], &(1..=30).collect::<Vec<_>>());
            let sum: f64 = ranked.iter().map(|(_, probability)| probability).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9);
            prop_assert!(ranked.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        }
    }
}
