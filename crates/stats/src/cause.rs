//! Finds the cause of a change: commit or machine. The evidence comes from reference series that the commit cannot have
//! changed: canaries of the machine, transports that are not built from the repository (controls), and other machines
//! that measured the same commits (siblings).
//!
//! A reference series has measurements from both sides of a change. It moved with the change, stayed, or is
//! inconclusive. A single one may be wrong, so those of each kind are combined first, then the kinds.

use crate::{mann_whitney, percent, shift};
use std::fmt;

/// The kind of a reference series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A small benchmark of the machine itself.
    Canary,
    /// A transport on the same machine that no commit of the repository changes.
    Control,
    /// The same case on another machine.
    Sibling,
}

/// Measurements of one reference series before and after a change, in any unit, above 0.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceSeries {
    /// The kind of the reference series.
    pub kind: Kind,
    /// The display name.
    pub name: String,
    /// Values up to the last commit before the change.
    pub before: Vec<f64>,
    /// Values from the first commit after the change.
    pub after: Vec<f64>,
}

/// How a reference series behaved when the series changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// It changed significantly, in the same direction and by at least a third as much.
    Moved,
    /// It did not change, or by less than a third as much.
    Stayed,
    /// It has too few values, or they scatter too much.
    Inconclusive,
}

/// The result for one reference series.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The kind of the reference series.
    pub kind: Kind,
    /// The display name.
    pub name: String,
    /// How it behaved.
    pub behaviour: Behaviour,
    /// Its change as a share of the value before; `None` if a side has no value.
    pub change: Option<f64>,
}

/// The cause of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The commit caused it.
    Commit,
    /// The machine caused it.
    Machine,
    /// The evidence is missing or contradictory.
    Unknown,
}

/// A reference series that moved changed by at least this part of the change; one that stayed, by less.
const PART: f64 = 1.0 / 3.0;
/// Significance level for a reference series that moved.
const P_MAX: f64 = 0.01;
/// Confidence level at which a reference series that stayed changed by less than the whole change.
const CONFIDENCE: f64 = 0.95;

impl ReferenceSeries {
    /// Compares the reference series with a change of this share.
    pub fn classify(&self, change: f64) -> Observation {
        let logarithms = |values: &[f64]| -> Vec<f64> {
            values.iter().filter(|value| value.is_finite() && **value > 0.0).map(|value| value.ln()).collect()
        };
        let (before, after) = (logarithms(&self.before), logarithms(&self.after));
        let found = shift::unpaired(&before, &after, CONFIDENCE);
        let whole = change.ln_1p();
        let behaviour = found.map_or(Behaviour::Inconclusive, |found| {
            // As a part of the change: 1 is all of it, 0 is none, below 0 is the opposite direction.
            let part = |shift: f64| shift / whole;
            let p = mann_whitney::rank_sum(&before, &after).map_or(1.0, |test| test.p_two_sided);
            let is_less_than_whole =
                found.interval.is_some_and(|ends| ends.into_iter().all(|end| part(end) < 1.0));
            match part(found.estimate) {
                moved if moved >= PART && p <= P_MAX => Behaviour::Moved,
                moved if moved < PART && is_less_than_whole => Behaviour::Stayed,
                _ => Behaviour::Inconclusive,
            }
        });
        let change = found.map(|found| found.estimate.exp_m1());
        Observation { kind: self.kind, name: self.name.clone(), behaviour, change }
    }
}

impl Cause {
    /// Combines all observations. A machine's canaries count as moved if any of them moved, because each measures a
    /// different part of it. Controls and siblings count by majority of those that are conclusive. Canaries that stayed
    /// weigh half as much as a control or another machine.
    pub fn of(observations: &[Observation]) -> Self {
        let count = |kind: Kind, behaviour: Behaviour| {
            observations
                .iter()
                .filter(|observation| observation.kind == kind && observation.behaviour == behaviour)
                .count()
        };
        let [canary_moved, control_moved, sibling_moved] =
            [Kind::Canary, Kind::Control, Kind::Sibling].map(|kind| count(kind, Behaviour::Moved));
        let [canary_stayed, control_stayed, sibling_stayed] =
            [Kind::Canary, Kind::Control, Kind::Sibling].map(|kind| count(kind, Behaviour::Stayed));
        // Above 0 means the machine, below 0 the commit.
        let canaries = if canary_moved > 0 { 2 } else { -i32::from(canary_stayed > 0) };
        let controls = 2 * majority(control_moved, control_stayed);
        let siblings = -2 * majority(sibling_moved, sibling_stayed);
        match canaries + controls + siblings {
            1.. => Self::Machine,
            ..=-1 => Self::Commit,
            0 => Self::Unknown,
        }
    }

    /// The name used in the API, the database and the UI.
    pub fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Machine => "machine",
            Self::Unknown => "unknown",
        }
    }
}

/// Returns 1 if `first` is larger, -1 if `second` is larger, 0 if they are equal.
fn majority(first: usize, second: usize) -> i32 {
    match first.cmp(&second) {
        std::cmp::Ordering::Greater => 1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Less => -1,
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Canary => "canary",
            Self::Control => "control",
            Self::Sibling => "same case on",
        })
    }
}

impl fmt::Display for Observation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, .. } = self;
        match (self.behaviour, self.change) {
            (Behaviour::Moved, Some(change)) => {
                write!(formatter, "{kind} {name} also changed: {}", percent::signed(change))
            }
            (Behaviour::Stayed, Some(change)) => {
                write!(formatter, "{kind} {name} did not follow: {}", percent::signed(change))
            }
            _ => write!(formatter, "{kind} {name}: inconclusive, too few or too noisy results"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `count` values near a level, within 2 % of it.
    fn about(level: f64, count: u32) -> Vec<f64> {
        (0..count).map(|nth| level * (1.0 + 0.002 * f64::from(nth * 7 % 11))).collect()
    }

    fn reference(kind: Kind, before: f64, after: f64) -> ReferenceSeries {
        ReferenceSeries { kind, name: "wake".into(), before: about(before, 12), after: about(after, 8) }
    }

    fn observation(kind: Kind, behaviour: Behaviour) -> Observation {
        Observation { kind, name: "x".into(), behaviour, change: Some(0.0) }
    }

    #[test]
    fn moved_means_at_least_a_third_of_the_change() {
        let classify =
            |before, after, change| reference(Kind::Canary, before, after).classify(change).behaviour;
        assert_eq!(classify(100.0, 110.0, 0.10), Behaviour::Moved);
        assert_eq!(classify(100.0, 104.0, 0.10), Behaviour::Moved);
        assert_eq!(classify(100.0, 102.0, 0.10), Behaviour::Stayed);
        assert_eq!(classify(100.0, 90.0, 0.10), Behaviour::Stayed);
        assert_eq!(classify(100.0, 90.0, -0.10), Behaviour::Moved);
        assert_eq!(classify(100.0, 100.0, -0.10), Behaviour::Stayed);
    }

    #[test]
    fn few_or_noisy_values_are_inconclusive() {
        let few = ReferenceSeries {
            before: vec![100.0; 2],
            after: vec![110.0],
            ..reference(Kind::Control, 1.0, 1.0)
        };
        assert_eq!(few.classify(0.1).behaviour, Behaviour::Inconclusive);
        let none = ReferenceSeries { before: Vec::new(), ..few.clone() };
        assert_eq!(
            (none.classify(0.1).behaviour, none.classify(0.1).change),
            (Behaviour::Inconclusive, None)
        );
        let wild: Vec<f64> = (0..10).map(|nth| 100.0 + 60.0 * f64::from(nth % 2)).collect();
        let wild = ReferenceSeries { before: wild.clone(), after: wild, ..few };
        assert_eq!(wild.classify(0.03).behaviour, Behaviour::Inconclusive);
    }

    #[test]
    fn observations_determine_the_cause() {
        use Behaviour::{Inconclusive, Moved, Stayed};
        use Kind::{Canary, Control, Sibling};
        for (observations, cause) in [
            (vec![], Cause::Unknown),
            (vec![observation(Canary, Inconclusive), observation(Sibling, Inconclusive)], Cause::Unknown),
            (vec![observation(Canary, Moved)], Cause::Machine),
            (vec![observation(Canary, Stayed)], Cause::Commit),
            (
                vec![observation(Control, Moved), observation(Control, Moved), observation(Control, Stayed)],
                Cause::Machine,
            ),
            (
                vec![observation(Control, Stayed), observation(Control, Stayed), observation(Control, Moved)],
                Cause::Commit,
            ),
            (vec![observation(Sibling, Moved)], Cause::Commit),
            (vec![observation(Sibling, Stayed)], Cause::Machine),
            // One canary moved by chance; all controls and the other machine contradict it.
            (
                vec![observation(Canary, Moved), observation(Control, Stayed), observation(Sibling, Moved)],
                Cause::Commit,
            ),
            // The canaries stayed, and the other machine did not change.
            (vec![observation(Canary, Stayed), observation(Sibling, Stayed)], Cause::Machine),
            (vec![observation(Control, Moved), observation(Sibling, Moved)], Cause::Unknown),
        ] {
            assert_eq!(Cause::of(&observations), cause, "{observations:?}");
        }
    }

    #[test]
    fn observations_have_a_text() {
        let text = |before, after| reference(Kind::Canary, before, after).classify(0.1).to_string();
        assert_eq!(text(100.0, 110.0), "canary wake also changed: +10 %");
        assert!(text(100.0, 100.0).starts_with("canary wake did not follow: "), "{}", text(100.0, 100.0));
        let few = ReferenceSeries { before: vec![1.0], ..reference(Kind::Sibling, 1.0, 1.0) };
        assert_eq!(
            few.classify(0.1).to_string(),
            "same case on wake: inconclusive, too few or too noisy results"
        );
    }

    proptest! {
        #[test]
        fn order_of_observations_does_not_matter(moved in 0..5_usize, stayed in 0..5_usize) {
            let mut observations = vec![observation(Kind::Control, Behaviour::Moved); moved];
            observations.extend(vec![observation(Kind::Control, Behaviour::Stayed); stayed]);
            let there = Cause::of(&observations);
            observations.reverse();
            prop_assert_eq!(there, Cause::of(&observations));
        }
    }
}
