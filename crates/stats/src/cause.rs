//! Decides whether a commit or the machine caused a change, from reference series that the commit cannot have changed: the
//! machine's canaries, transports not built from the repository (controls), and the same case on other machines (siblings).
//!
//! A reference series moved with the change, stayed stable, or is inconclusive. The majority of each kind decides, and then
//! the kinds together.

use crate::{mann_whitney, percent, shift};
use std::fmt;

/// The kind of a reference series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A benchmark of the machine itself.
    Canary,
    /// A transport on the same machine that commits of the repository cannot change.
    Control,
    /// The same case on another machine.
    Sibling,
}

/// The values of a reference series before and after a change, in any unit, above 0.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceSeries {
    /// The kind of reference series.
    pub kind: Kind,
    /// Its display name.
    pub name: String,
    /// Up to the last commit before the change.
    pub before: Vec<f64>,
    /// From the first commit after it.
    pub after: Vec<f64>,
}

/// How a reference series behaved at the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// It changed in the same direction, by at least a third as much.
    Moved,
    /// It did not change, or by less than a third as much.
    Stayed,
    /// It has too few values, or too much noise.
    CannotTell,
}

/// The behaviour of a reference series, as evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The kind of reference series.
    pub kind: Kind,
    /// Its display name.
    pub name: String,
    /// Its behaviour.
    pub behaviour: Behaviour,
    /// Its relative change; `None` if a side has no value.
    pub change: Option<f64>,
}

/// The cause of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A commit.
    Commit,
    /// The machine.
    Machine,
    /// There is no evidence, or it is contradictory.
    Unknown,
}

/// The part of the change that separates moved from stable series.
const PART: f64 = 1.0 / 3.0;
/// The significance level for a moved series.
const P_MAX: f64 = 0.01;
/// The confidence that a stable series made less than the whole change.
const CONFIDENCE: f64 = 0.95;

impl ReferenceSeries {
    /// Classifies its behaviour at a change by this share.
    pub fn classify(&self, change: f64) -> Statement {
        let logarithms = |values: &[f64]| -> Vec<f64> {
            values.iter().filter(|value| value.is_finite() && **value > 0.0).map(|value| value.ln()).collect()
        };
        let (before, after) = (logarithms(&self.before), logarithms(&self.after));
        let found = shift::unpaired(&before, &after, CONFIDENCE);
        let whole = change.ln_1p();
        let behaviour = found.map_or(Behaviour::CannotTell, |found| {
            // As a part of the change: 1 is all of it, 0 nothing, less than 0 the other way.
            let part = |shift: f64| shift / whole;
            let p = mann_whitney::rank_sum(&before, &after).map_or(1.0, |test| test.p_two_sided);
            let is_less_than_whole =
                found.interval.is_some_and(|ends| ends.into_iter().all(|end| part(end) < 1.0));
            match part(found.estimate) {
                moved if moved >= PART && p <= P_MAX => Behaviour::Moved,
                moved if moved < PART && is_less_than_whole => Behaviour::Stayed,
                _ => Behaviour::CannotTell,
            }
        });
        let change = found.map(|found| found.estimate.exp_m1());
        Statement { kind: self.kind, name: self.name.clone(), behaviour, change }
    }
}

impl Cause {
    /// What all statements say together. Canaries speak for a machine when any of them moved, because each looks at another
    /// part of it; controls and siblings when most of those that can tell agree. A machine's basics that stayed the same are
    /// worth half of what a whole transport or another machine says.
    pub fn of(statements: &[Statement]) -> Self {
        let count = |kind: Kind, behaviour: Behaviour| {
            statements.iter().filter(|one| one.kind == kind && one.behaviour == behaviour).count()
        };
        let [canary_moved, control_moved, sibling_moved] =
            [Kind::Canary, Kind::Control, Kind::Sibling].map(|kind| count(kind, Behaviour::Moved));
        let [canary_stayed, control_stayed, sibling_stayed] =
            [Kind::Canary, Kind::Control, Kind::Sibling].map(|kind| count(kind, Behaviour::Stayed));
        // Above 0: the machine.
        let canaries = if canary_moved > 0 { 2 } else { -i32::from(canary_stayed > 0) };
        let controls = 2 * majority(control_moved, control_stayed);
        let siblings = -2 * majority(sibling_moved, sibling_stayed);
        match canaries + controls + siblings {
            1.. => Self::Machine,
            ..=-1 => Self::Commit,
            0 => Self::Unknown,
        }
    }

    /// Its name everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Machine => "machine",
            Self::Unknown => "unknown",
        }
    }
}

/// 1 when there are more of the first, -1 when there are more of the second.
fn majority(first: usize, second: usize) -> i32 {
    match first.cmp(&second) {
        std::cmp::Ordering::Greater => 1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Less => -1,
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Canary => "canary",
            Kind::Control => "control",
            Kind::Sibling => "same case on",
        };
        let name = &self.name;
        match (self.behaviour, self.change) {
            (Behaviour::Moved, Some(change)) => {
                write!(formatter, "{kind} {name} also changed: {}", percent::signed(change))
            }
            (Behaviour::Stayed, Some(change)) => {
                write!(formatter, "{kind} {name} stable ({})", percent::signed(change))
            }
            _ => write!(formatter, "{kind} {name}: too few results"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// So many values about a level, two per cent apart at most.
    fn about(level: f64, count: u32) -> Vec<f64> {
        (0..count).map(|nth| level * (1.0 + 0.002 * f64::from(nth * 7 % 11))).collect()
    }

    fn reference(kind: Kind, before: f64, after: f64) -> ReferenceSeries {
        ReferenceSeries { kind, name: "wake".into(), before: about(before, 12), after: about(after, 8) }
    }

    fn said(kind: Kind, behaviour: Behaviour) -> Statement {
        Statement { kind, name: "x".into(), behaviour, change: Some(0.0) }
    }

    #[test]
    fn a_reference_moved_if_it_made_a_third_of_the_change_in_its_direction() {
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
    fn too_few_values_or_too_much_noise_is_inconclusive() {
        let few = ReferenceSeries {
            before: vec![100.0; 2],
            after: vec![110.0],
            ..reference(Kind::Control, 1.0, 1.0)
        };
        assert_eq!(few.classify(0.1).behaviour, Behaviour::CannotTell);
        let none = ReferenceSeries { before: Vec::new(), ..few.clone() };
        assert_eq!((none.classify(0.1).behaviour, none.classify(0.1).change), (Behaviour::CannotTell, None));
        let wild: Vec<f64> = (0..10).map(|nth| 100.0 + 60.0 * f64::from(nth % 2)).collect();
        let wild = ReferenceSeries { before: wild.clone(), after: wild, ..few };
        assert_eq!(wild.classify(0.03).behaviour, Behaviour::CannotTell);
    }

    #[test]
    fn moved_references_indicate_the_machine() {
        use Behaviour::{CannotTell, Moved, Stayed};
        use Kind::{Canary, Control, Sibling};
        for (statements, cause) in [
            (vec![], Cause::Unknown),
            (vec![said(Canary, CannotTell), said(Sibling, CannotTell)], Cause::Unknown),
            (vec![said(Canary, Moved)], Cause::Machine),
            (vec![said(Canary, Stayed)], Cause::Commit),
            (vec![said(Control, Moved), said(Control, Moved), said(Control, Stayed)], Cause::Machine),
            (vec![said(Control, Stayed), said(Control, Stayed), said(Control, Moved)], Cause::Commit),
            (vec![said(Sibling, Moved)], Cause::Commit),
            (vec![said(Sibling, Stayed)], Cause::Machine),
            // One canary of seven moved by chance, and all controls and the other machine contradict it.
            (vec![said(Canary, Moved), said(Control, Stayed), said(Sibling, Moved)], Cause::Commit),
            // The basics stayed, and the other machine saw nothing.
            (vec![said(Canary, Stayed), said(Sibling, Stayed)], Cause::Machine),
            (vec![said(Control, Moved), said(Sibling, Moved)], Cause::Unknown),
        ] {
            assert_eq!(Cause::of(&statements), cause, "{statements:?}");
        }
    }

    #[test]
    fn statements_read_as_sentences() {
        let text = |before, after| reference(Kind::Canary, before, after).classify(0.1).to_string();
        assert_eq!(text(100.0, 110.0), "canary wake also changed: +10 %");
        assert!(text(100.0, 100.0).starts_with("canary wake stable ("), "{}", text(100.0, 100.0));
        let few = ReferenceSeries { before: vec![1.0], ..reference(Kind::Sibling, 1.0, 1.0) };
        assert_eq!(few.classify(0.1).to_string(), "same case on wake: too few results");
    }

    proptest! {
        #[test]
        fn the_order_of_statements_does_not_matter(moved in 0..5_usize, stayed in 0..5_usize) {
            let mut statements = vec![said(Kind::Control, Behaviour::Moved); moved];
            statements.extend(vec![said(Kind::Control, Behaviour::Stayed); stayed]);
            let there = Cause::of(&statements);
            statements.reverse();
            prop_assert_eq!(there, Cause::of(&statements));
        }
    }
}
