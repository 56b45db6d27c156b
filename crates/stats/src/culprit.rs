//! Ranks the commits that may have caused a change. Each series that changed gives a probability for every measured
//! commit. Unmeasured commits share the probability of the next measured one.

use std::collections::BTreeMap;

/// The evidence from one series: the measured commits at which the new level may begin, ascending, with the probability
/// of each. Commits are numbered in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The newest measured commit before all of them.
    pub after: i64,
    /// The commits and their probabilities.
    pub places: Vec<(i64, f64)>,
}

/// The probability that a series is wrong altogether, spread evenly over all commits.
const DOUBT: f64 = 0.01;

/// Returns the probability that each commit caused the change that all series show: the most probable first, then the
/// older one. Candidates are those of `commits` after the smallest `after` and up to the largest place.
///
/// Series are assumed to err independently. One wrong series does not rule out what all others show.
pub fn rank(evidence: &[Evidence], commits: &[i64]) -> Vec<(i64, f64)> {
    let possible: Vec<i64> = {
        let first = evidence.iter().map(|one| one.after).min();
        let last = evidence.iter().filter_map(|one| one.places.last().map(|place| place.0)).max();
        let Some((first, last)) = first.zip(last) else { return Vec::new() };
        commits.iter().copied().filter(|commit| *commit > first && *commit <= last).collect()
    };
    let mut logarithms: BTreeMap<i64, f64> = possible.iter().map(|&commit| (commit, 0.0)).collect();
    let even = 1.0 / possible.len().max(1) as f64;
    for one in evidence {
        let of_commit = one.spread(&possible);
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

impl Evidence {
    /// The probability of each commit. An unmeasured commit gets an equal share of the next measured one's probability.
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

    fn evidence(after: i64, places: &[(i64, f64)]) -> Evidence {
        Evidence { after, places: places.to_vec() }
    }

    #[test]
    fn unmeasured_commits_share_the_probability() {
        let ranked = rank(&[evidence(10, &[(14, 1.0)])], &[9, 10, 11, 12, 13, 14, 15]);
        let commits: Vec<i64> = ranked.iter().map(|(commit, _)| *commit).collect();
        assert_eq!(commits, [11, 12, 13, 14]);
        assert!(ranked.iter().all(|(_, probability)| (probability - 0.25).abs() < 1e-9), "{ranked:?}");
    }

    #[test]
    fn agreeing_series_raise_the_probability() {
        let one = evidence(10, &[(11, 0.3), (12, 0.6), (13, 0.1)]);
        let ranked = rank(&[one.clone(), one.clone(), one], &[11, 12, 13]);
        assert_eq!(ranked[0].0, 12);
        assert!(ranked[0].1 > 0.85, "{ranked:?}");
    }

    #[test]
    fn one_wrong_series_does_not_rule_out_the_others() {
        let right = evidence(10, &[(11, 0.05), (12, 0.95)]);
        let wrong = evidence(10, &[(11, 1.0)]);
        let ranked = rank(&[right.clone(), right.clone(), right, wrong], &[11, 12]);
        assert_eq!(ranked[0].0, 12, "{ranked:?}");
    }

    #[test]
    fn no_evidence_gives_no_suspects() {
        assert_eq!(rank(&[], &[1, 2]), []);
        assert_eq!(rank(&[evidence(5, &[])], &[1, 2]), []);
        assert_eq!(rank(&[evidence(5, &[(9, 1.0)])], &[]), []);
    }

    proptest! {
        #[test]
        fn probabilities_add_up_to_one(places in proptest::collection::btree_map(1..30_i64, 0.01..1.0_f64, 1..8)) {
            let all: f64 = places.values().sum();
            let places: Vec<(i64, f64)> = places.into_iter().map(|(place, share)| (place, share / all)).collect();
            let ranked = rank(&[evidence(0, &places)], &(1..=30).collect::<Vec<_>>());
            let sum: f64 = ranked.iter().map(|(_, probability)| probability).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9);
            prop_assert!(ranked.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        }
    }
}
