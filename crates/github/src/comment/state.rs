//! [`State`]: the overall result of a report.

use super::{ComparedSeries, LegState, PullRequestReport, Verdict};

/// The overall result of a report: the first of these that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A machine is still measuring.
    Waiting,
    /// A machine has no results.
    Incomplete,
    /// Some series are slower and some faster.
    Mixed,
    /// Something is slower.
    Regressed,
    /// Something is faster.
    Improved,
    /// Nothing was measured, because base and head run the same programs.
    Identical,
    /// No series was comparable.
    NotComparable,
    /// Some series are inconclusive; the others did not change.
    Inconclusive,
    /// Nothing changed.
    NoChange,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) slower: usize,
    pub(super) faster: usize,
    pub(super) unchanged: usize,
    pub(super) inconclusive: usize,
    pub(super) not_comparable: usize,
}

impl Counts {
    pub(super) fn all(&self) -> usize {
        self.slower + self.faster + self.unchanged + self.inconclusive + self.not_comparable
    }
}

impl PullRequestReport {
    /// The overall result.
    pub fn state(&self) -> State {
        if self.is_waiting() {
            State::Waiting
        } else if self.is_incomplete() {
            State::Incomplete
        } else {
            self.state_of_rows()
        }
    }

    /// The result over the measured series, regardless of missing machines.
    pub(super) fn state_of_rows(&self) -> State {
        let counts = self.counts();
        match (counts.slower > 0, counts.faster > 0) {
            (true, true) => State::Mixed,
            (true, false) => State::Regressed,
            (false, true) => State::Improved,
            _ if self.rows.is_empty() && self.is_identical() => State::Identical,
            // Also when there are no rows.
            _ if counts.not_comparable == counts.all() => State::NotComparable,
            _ if counts.inconclusive > 0 => State::Inconclusive,
            _ => State::NoChange,
        }
    }

    /// Whether a machine is still measuring. There is no conclusion until all have finished.
    pub fn is_waiting(&self) -> bool {
        self.legs.iter().any(|leg| leg.state == LegState::Waiting)
    }

    /// Whether all machines found the same programs.
    fn is_identical(&self) -> bool {
        !self.legs.is_empty() && self.legs.iter().all(|leg| leg.state == LegState::Identical)
    }

    pub(super) fn is_incomplete(&self) -> bool {
        self.legs.iter().any(|leg| matches!(leg.state, LegState::Failed | LegState::Offline))
    }

    /// Whether to comment, which notifies all subscribers: something changed, or a machine has no results.
    pub fn worth_a_comment(&self) -> bool {
        matches!(self.state(), State::Incomplete | State::Mixed | State::Regressed | State::Improved)
    }

    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for row in &self.rows {
            *match row.verdict {
                Verdict::Regressed => &mut counts.slower,
                Verdict::Improved => &mut counts.faster,
                Verdict::NoChange => &mut counts.unchanged,
                Verdict::Inconclusive => &mut counts.inconclusive,
                Verdict::NotComparable => &mut counts.not_comparable,
            } += 1;
        }
        counts
    }

    /// The smallest and largest change that the unchanged series can detect.
    pub(super) fn detectable_changes(&self) -> Option<[f64; 2]> {
        let unchanged = self.rows.iter().filter(|row| row.verdict == Verdict::NoChange);
        let all = || unchanged.clone().filter_map(|row| row.detectable_change);
        all().reduce(f64::min).zip(all().reduce(f64::max)).map(<[f64; 2]>::from)
    }

    /// Whether all series are on machines that moved too much for verdicts.
    pub(super) fn machines_changed(&self) -> bool {
        let changed = |machine: &str| self.movements.get(machine).is_some_and(|moved| !moved.comparable);
        !self.rows.is_empty() && self.rows.iter().all(|row| changed(&row.machine))
    }

    /// The changed series: slower before faster, largest certain change first.
    pub(super) fn changed(&self) -> Vec<&ComparedSeries> {
        let is_changed =
            |row: &&ComparedSeries| matches!(row.verdict, Verdict::Regressed | Verdict::Improved);
        let mut changed: Vec<&ComparedSeries> = self.rows.iter().filter(is_changed).collect();
        changed.sort_by(|left, right| {
            let slower_first =
                (left.verdict != Verdict::Regressed).cmp(&(right.verdict != Verdict::Regressed));
            let names = |row: &ComparedSeries| {
                (row.transport.clone(), row.message_bytes, row.case.clone(), row.machine.clone())
            };
            slower_first
                .then_with(|| right.certain_change().total_cmp(&left.certain_change()))
                .then_with(|| names(left).cmp(&names(right)))
        });
        changed
    }
}

impl ComparedSeries {
    /// The smallest change within its interval.
    fn certain_change(&self) -> f64 {
        let least =
            |(low, high): (f64, f64)| if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) };
        self.interval.map_or_else(|| self.change.unwrap_or(0.0).abs(), least)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{leg, report, row};
    use super::*;

    #[test]
    fn the_most_important_result_decides_the_state() {
        use Verdict::{Improved, Inconclusive, NoChange, NotComparable, Regressed};
        let state = |verdicts: &[Verdict]| report(verdicts).state();
        assert_eq!(state(&[NoChange, Regressed, Inconclusive]), State::Regressed);
        assert_eq!(state(&[NoChange, Improved, NotComparable]), State::Improved);
        assert_eq!(state(&[Regressed, Improved]), State::Mixed);
        assert_eq!(state(&[NoChange, Inconclusive]), State::Inconclusive);
        assert_eq!(state(&[NoChange, NotComparable]), State::NoChange);
        assert_eq!(state(&[NotComparable, NotComparable]), State::NotComparable);
        assert_eq!(state(&[]), State::NotComparable);
        let mut incomplete = report(&[Regressed]);
        incomplete.legs.push(leg("lab-2", LegState::Offline));
        assert_eq!(incomplete.state(), State::Incomplete);
        incomplete.legs.push(leg("lab-3", LegState::Waiting));
        assert_eq!(incomplete.state(), State::Waiting);
    }

    #[test]
    fn identical_programs_need_no_comment() {
        let mut identical = report(&[]);
        identical.legs = vec![leg("lab-1", LegState::Identical), leg("lab-2", LegState::Identical)];
        assert_eq!(identical.state(), State::Identical);
        assert!(!identical.worth_a_comment());
        identical.rows.push(row(Verdict::Regressed));
        identical.legs.push(leg("lab-3", LegState::Measured));
        assert_eq!(identical.state(), State::Regressed);
    }

    #[test]
    fn comments_only_on_changes_or_missing_results() {
        use Verdict::{Improved, Inconclusive, NoChange, NotComparable, Regressed};
        for verdict in [Regressed, Improved] {
            assert!(report(&[NoChange, verdict]).worth_a_comment());
        }
        for verdict in [NoChange, Inconclusive, NotComparable] {
            let mut quiet = report(&[verdict]);
            assert!(!quiet.worth_a_comment(), "{verdict:?}");
            quiet.legs.push(leg("lab-2", LegState::Failed));
            assert!(quiet.worth_a_comment(), "{verdict:?}");
        }
    }

    #[test]
    fn the_surest_and_largest_changes_come_first_and_slower_before_faster() {
        let mut report = report(&[]);
        let changes =
            [(0.05, (0.04, 0.06)), (0.30, (0.01, 0.59)), (-0.40, (-0.41, -0.39)), (0.10, (0.09, 0.11))];
        for (change, interval) in changes {
            let verdict = if change > 0.0 { Verdict::Regressed } else { Verdict::Improved };
            report.rows.push(ComparedSeries {
                change: Some(change),
                interval: Some(interval),
                ..row(verdict)
            });
        }
        let order: Vec<f64> = report.changed().iter().map(|row| row.change.unwrap()).collect();
        assert_eq!(order, [0.10, 0.05, 0.30, -0.40]);
    }
}
