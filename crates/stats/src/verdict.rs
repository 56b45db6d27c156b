//! Is head slower than base? One rule for a comparison of many rows: what it takes to say that a row changed, or that it
//! did not, looking a few times while repetitions come in.
//!
//! Times are compared as ratios, by their logarithms: above 0 head is slower. Of pairs only that is needed.

use crate::adjust::benjamini_hochberg;
use crate::shift::{self, Shift};
use crate::{mann_whitney, wilcoxon};

/// What is said of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Head is slower.
    Regressed,
    /// Head is faster.
    Improved,
    /// Whatever difference there is, it is too small to matter.
    NoChange,
    /// What was measured does not tell.
    Inconclusive,
}

/// When a verdict is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The share of false ones among the rows that are said to have changed; where no row did, the probability that any
    /// is said to. It covers all rows and all looks.
    pub false_share: f64,
    /// A change below this share of the base's time is none, however sure it is.
    pub least: f64,
    /// A row whose interval is within this share of the base's time has not changed.
    pub matters: f64,
    /// How many pairs a row has when it is looked at, ascending. After the last look it is inconclusive.
    pub looks: Vec<usize>,
}

/// The confidence of the intervals that are shown and that say that nothing has changed.
const CONFIDENCE: f64 = 0.95;

impl Default for Rule {
    /// One false change in a hundred comparisons; 1 % is the least change and 3 % what matters; up to 60 pairs, each look
    /// at a fifth or a quarter more than the one before. Equal rows can be told to be equal from eight pairs on, and a row
    /// that changed from twelve on: ten that all agree still have a p of 2 %, for all looks.
    fn default() -> Self {
        Self {
            false_share: 0.01,
            least: 0.01,
            matters: 0.03,
            looks: vec![8, 10, 12, 15, 18, 22, 27, 33, 40, 49, 60],
        }
    }
}

/// What is known of one row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// The logarithm of head's times by base's.
    pub shift: Option<Shift>,
    /// How probable so uneven ranks are without a change, whenever the row was looked at; 1 before the first look.
    pub p: f64,
    /// The same, for all rows together.
    pub p_adjusted: f64,
    /// What is said of it; `None` while more pairs are wanted.
    pub verdict: Option<Verdict>,
}

/// A comparison of paired rows that is looked at while it grows.
#[derive(Clone, Debug)]
pub struct Growing {
    rule: Rule,
    rows: Vec<Row>,
    /// Of each row, the looks that are over.
    looked: Vec<usize>,
}

impl Growing {
    /// Of so many rows, none of which has a pair yet.
    pub fn new(rule: Rule, rows: usize) -> Self {
        let row = Row { p: 1.0, p_adjusted: 1.0, ..Row::default() };
        Self { rule, rows: vec![row; rows], looked: vec![0; rows] }
    }

    /// What is known, row by row.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether this row wants more pairs.
    pub fn wants_more(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|row| row.verdict.is_none())
    }

    /// Looks at every row that has reached its next look; `ratios` are the logarithms of head's times by base's, of all
    /// pairs of each row.
    ///
    /// Every look could find by chance what is not there: a row's probability is the smallest of its looks, times the
    /// number of looks that there may be (Bonferroni), so that it may be asked after each.
    pub fn look<R: AsRef<[f64]>>(&mut self, ratios: &[R]) {
        let mut reached = Vec::new();
        for (index, ratios) in ratios.iter().map(AsRef::as_ref).enumerate().take(self.rows.len()) {
            let due = self.rule.looks.get(self.looked[index]);
            if self.wants_more(index) && due.is_some_and(|&due| ratios.len() >= due) {
                self.looked[index] += 1;
                let row = &mut self.rows[index];
                let (p, shift) = paired(ratios);
                row.p = row.p.min(p * self.rule.looks.len() as f64);
                row.shift = shift;
                reached.push(index);
            }
        }
        adjust(&mut self.rows);
        for index in reached {
            let is_last = self.looked[index] == self.rule.looks.len();
            let row = &mut self.rows[index];
            row.verdict = self.rule.judge(row).or(is_last.then_some(Verdict::Inconclusive));
        }
    }

    /// Gives up a row that gets no more pairs.
    pub fn give_up(&mut self, row: usize) {
        if let Some(row) = self.rows.get_mut(row) {
            row.verdict = row.verdict.or(Some(Verdict::Inconclusive));
        }
    }
}

/// Compares rows that are complete and not paired: base's and head's times of each.
pub fn unpaired(rule: &Rule, sides: &[(Vec<f64>, Vec<f64>)]) -> Vec<Row> {
    judged(rule, sides.iter().map(|(base, head)| tested(base, head)).collect())
}

/// What is known of a row of a complete comparison before the others are: all but its verdict.
pub(crate) fn tested(base: &[f64], head: &[f64]) -> Row {
    let [base, head] = [base, head].map(|side| side.iter().map(|time| time.ln()).collect::<Vec<_>>());
    let p = mann_whitney::rank_sum(&base, &head).map_or(1.0, |test| test.p_two_sided);
    Row { p, shift: shift::unpaired(&base, &head, CONFIDENCE), ..Row::default() }
}

/// Gives each row of a complete comparison its verdict.
pub(crate) fn judged(rule: &Rule, mut rows: Vec<Row>) -> Vec<Row> {
    adjust(&mut rows);
    for row in &mut rows {
        row.verdict = rule.judge(row).or(Some(Verdict::Inconclusive));
    }
    rows
}

fn paired(ratios: &[f64]) -> (f64, Option<Shift>) {
    let pairs: Vec<(f64, f64)> = ratios.iter().map(|&ratio| (ratio, 0.0)).collect();
    let p = wilcoxon::signed_rank(&pairs).map_or(1.0, |test| test.p_two_sided);
    (p, shift::paired(ratios, CONFIDENCE))
}

fn adjust(rows: &mut [Row]) {
    let p: Vec<f64> = rows.iter().map(|row| row.p.min(1.0)).collect();
    for (row, (p, adjusted)) in rows.iter_mut().zip(p.iter().zip(benjamini_hochberg(&p))) {
        (row.p, row.p_adjusted) = (*p, adjusted);
    }
}

impl Rule {
    fn judge(&self, row: &Row) -> Option<Verdict> {
        let Shift { estimate, interval } = row.shift?;
        let matters = self.matters.ln_1p();
        if row.p_adjusted <= self.false_share {
            let least = self.least.ln_1p();
            Some(match estimate {
                slower if slower >= least => Verdict::Regressed,
                faster if faster <= -least => Verdict::Improved,
                _ => Verdict::NoChange,
            })
        } else if interval.is_some_and(|[low, high]| -matters < low && high < matters) {
            Some(Verdict::NoChange)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pairs whose head is slower by this factor, with a deterministic jitter of about this share.
    fn pairs(count: u64, factor: f64, jitter: f64, seed: u64) -> Vec<(f64, f64)> {
        let mut state = seed;
        let mut noise = || {
            // splitmix64 (Steele, Lea and Flood 2014); the sum of four is nearly normal.
            let mut one = || {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = state;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                (z ^ (z >> 31)) as f64 / u64::MAX as f64 - 0.5
            };
            jitter * (one() + one() + one() + one()) * 3.0_f64.sqrt()
        };
        (0..count).map(|_| (1_000.0 * noise().exp(), 1_000.0 * factor * noise().exp())).collect()
    }

    /// What is said when so many pairs of each row are there.
    fn look(growing: &mut Growing, rows: &[Vec<(f64, f64)>], count: usize) {
        let ratios = |row: &Vec<(f64, f64)>| {
            row.iter().take(count).map(|(base, head)| (head / base).ln()).collect::<Vec<_>>()
        };
        growing.look(&rows.iter().map(ratios).collect::<Vec<_>>());
    }

    fn grow(rule: &Rule, rows: &[Vec<(f64, f64)>]) -> Growing {
        let mut growing = Growing::new(rule.clone(), rows.len());
        for count in 1..=60 {
            look(&mut growing, rows, count);
        }
        growing
    }

    fn verdicts(growing: &Growing) -> Vec<Option<Verdict>> {
        growing.rows().iter().map(|row| row.verdict).collect()
    }

    #[test]
    fn a_slower_a_faster_and_an_equal_row_are_told_apart() {
        let rows = [pairs(60, 1.10, 0.02, 1), pairs(60, 0.90, 0.02, 2), pairs(60, 1.0, 0.02, 3)];
        let growing = grow(&Rule::default(), &rows);
        let expected = [Verdict::Regressed, Verdict::Improved, Verdict::NoChange].map(Some);
        assert_eq!(verdicts(&growing), expected);
        let shift = growing.rows()[0].shift.unwrap();
        assert!((shift.estimate.exp() - 1.10).abs() < 0.02, "{shift:?}");
    }

    #[test]
    fn what_is_decided_wants_no_more_and_what_is_too_noisy_ends_at_the_cap() {
        let rows = [pairs(60, 1.0, 0.005, 4), pairs(60, 1.02, 0.5, 5)];
        let mut growing = Growing::new(Rule::default(), 2);
        assert!(growing.wants_more(0) && growing.wants_more(1));
        look(&mut growing, &rows, 8);
        assert!(!growing.wants_more(0) && growing.wants_more(1), "{growing:?}");
        assert_eq!(verdicts(&grow(&Rule::default(), &rows))[1], Some(Verdict::Inconclusive));
    }

    #[test]
    fn a_sure_but_tiny_change_is_no_change() {
        let rows = [pairs(60, 1.006, 0.0005, 6)];
        let growing = grow(&Rule { matters: 0.000_1, ..Rule::default() }, &rows);
        assert_eq!(verdicts(&growing), [Some(Verdict::NoChange)]);
        assert!(growing.rows()[0].p_adjusted <= 0.01);
    }

    #[test]
    fn a_row_is_judged_with_all_others() {
        // One row that would be significant alone is not beside thirty that are not.
        let alone = [pairs(12, 1.04, 0.02, 7)];
        let rule = Rule { looks: vec![12], ..Rule::default() };
        let found = grow(&rule, &alone).rows()[0];
        let mut many = alone.to_vec();
        many.extend((0..30).map(|seed| pairs(12, 1.0, 0.02, 100 + seed)));
        let among = grow(&rule, &many).rows()[0];
        assert_eq!(found.p, among.p);
        assert!(among.p_adjusted > 5.0 * found.p_adjusted, "{found:?} {among:?}");
    }

    #[test]
    fn files_that_are_not_paired_are_judged_by_the_same_rule() {
        let side = |factor: f64, seed| -> Vec<f64> {
            pairs(20, factor, 0.02, seed).into_iter().map(|(_, head)| head).collect()
        };
        let sides = [(side(1.0, 8), side(1.10, 9)), (side(1.0, 10), side(1.0, 11)), (vec![1.0], vec![2.0])];
        let rows = unpaired(&Rule::default(), &sides);
        let verdicts: Vec<_> = rows.iter().filter_map(|row| row.verdict).collect();
        assert_eq!(verdicts, [Verdict::Regressed, Verdict::NoChange, Verdict::Inconclusive]);
    }

    /// What the rule promises, where it can be computed: 2,000 comparisons of a side with itself.
    #[test]
    fn a_side_compared_with_itself_is_rarely_said_to_have_changed() {
        let changed = (0..2_000).filter(|&seed| {
            let row = pairs(60, 1.0, 0.08, 1_000 + seed);
            let verdict = grow(&Rule::default(), &[row]).rows()[0].verdict;
            matches!(verdict, Some(Verdict::Regressed | Verdict::Improved))
        });
        // At 1 % more than 33 of 2,000 have a probability of less than one in a thousand.
        let changed = changed.count();
        assert!(changed <= 33, "{changed} of 2,000");
    }

    proptest! {
        #[test]
        fn exchanging_the_sides_exchanges_the_verdict(factor in 0.9..1.1_f64, jitter in 0.0..0.1_f64, seed: u64) {
            let there = vec![pairs(60, factor, jitter, seed)];
            let back = vec![there[0].iter().map(|&(base, head)| (head, base)).collect::<Vec<_>>()];
            let mirrored = verdicts(&grow(&Rule::default(), &back)).into_iter().map(|verdict| {
                verdict.map(|verdict| match verdict {
                    Verdict::Regressed => Verdict::Improved,
                    Verdict::Improved => Verdict::Regressed,
                    same => same,
                })
            });
            prop_assert_eq!(verdicts(&grow(&Rule::default(), &there)), mirrored.collect::<Vec<_>>());
        }
    }
}
