//! Was it the commit, or the machine? What cannot have changed with the commit tells: the canaries of a machine, transports
//! that are not built from the repository (controls), and other machines that measured the same commits (siblings).
//!
//! A witness is what it measured on both sides of a change. It moved with the change, or it stayed, or it cannot tell. One
//! witness may be wrong; what counts is what most of its kind say, and then what the kinds say together.

use crate::{mann_whitney, percent, shift};
use std::fmt;

/// What a witness is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A small measurement of the machine itself.
    Canary,
    /// A transport on the same machine that no commit of the repository changes.
    Control,
    /// The same case on another machine.
    Sibling,
}

/// What a witness measured before and after a change, in any unit, above 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// What it is.
    pub kind: Kind,
    /// Its name for people.
    pub name: String,
    /// Up to the last commit before the change.
    pub before: Vec<f64>,
    /// From the first commit after it.
    pub after: Vec<f64>,
}

/// What a witness did while the series changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// It changed in the same direction, by a third as much at least.
    Moved,
    /// It did not, or by less than a third as much.
    Stayed,
    /// It measured too little, or scatters too much.
    CannotTell,
}

/// What a witness says.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it is.
    pub kind: Kind,
    /// Its name for people.
    pub name: String,
    /// What it did.
    pub behaviour: Behaviour,
    /// By how much it changed, as a share of before; `None` where a side has no value.
    pub change: Option<f64>,
}

/// What made a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A commit.
    Commit,
    /// The machine.
    Machine,
    /// Nobody can tell, or they contradict each other.
    Unknown,
}

/// The part of the change that a witness has to make, or to stay below.
const PART: f64 = 1.0 / 3.0;
/// How rarely values that did not move may seem to have moved.
const P_MAX: f64 = 0.01;
/// The confidence with which a witness that stayed made less than the whole change.
const CONFIDENCE: f64 = 0.95;

impl Witness {
    /// What it says of a change by this share.
    pub fn hear(&self, change: f64) -> Statement {
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
            statements.iter().filter(|said| said.kind == kind && said.behaviour == behaviour).count()
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
            Kind::Sibling => "on",
        };
        let name = &self.name;
        match (self.behaviour, self.change) {
            (Behaviour::Moved, Some(change)) => {
                write!(formatter, "{kind} {name} changed as well, by {}", percent::signed(change))
            }
            (Behaviour::Stayed, Some(change)) => {
                write!(formatter, "{kind} {name} stayed as it was ({})", percent::signed(change))
            }
            _ => write!(formatter, "{kind} {name} measured too little to tell"),
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

    fn witness(kind: Kind, before: f64, after: f64) -> Witness {
        Witness { kind, name: "wake".into(), before: about(before, 12), after: about(after, 8) }
    }

    fn said(kind: Kind, behaviour: Behaviour) -> Statement {
        Statement { kind, name: "x".into(), behaviour, change: Some(0.0) }
    }

    #[test]
    fn a_witness_moved_when_it_made_a_third_of_the_change_in_its_direction() {
        let hear = |before, after, change| witness(Kind::Canary, before, after).hear(change).behaviour;
        assert_eq!(hear(100.0, 110.0, 0.10), Behaviour::Moved);
        assert_eq!(hear(100.0, 104.0, 0.10), Behaviour::Moved);
        assert_eq!(hear(100.0, 102.0, 0.10), Behaviour::Stayed);
        assert_eq!(hear(100.0, 90.0, 0.10), Behaviour::Stayed);
        assert_eq!(hear(100.0, 90.0, -0.10), Behaviour::Moved);
        assert_eq!(hear(100.0, 100.0, -0.10), Behaviour::Stayed);
    }

    #[test]
    fn who_measured_too_little_or_scatters_too_much_cannot_tell() {
        let few = Witness { before: vec![100.0; 2], after: vec![110.0], ..witness(Kind::Control, 1.0, 1.0) };
        assert_eq!(few.hear(0.1).behaviour, Behaviour::CannotTell);
        let none = Witness { before: Vec::new(), ..few.clone() };
        assert_eq!((none.hear(0.1).behaviour, none.hear(0.1).change), (Behaviour::CannotTell, None));
        let wild: Vec<f64> = (0..10).map(|nth| 100.0 + 60.0 * f64::from(nth % 2)).collect();
        let wild = Witness { before: wild.clone(), after: wild, ..few };
        assert_eq!(wild.hear(0.03).behaviour, Behaviour::CannotTell);
    }

    #[test]
    fn what_cannot_have_changed_with_the_commit_speaks_for_the_machine() {
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
        let text = |before, after| witness(Kind::Canary, before, after).hear(0.1).to_string();
        assert_eq!(text(100.0, 110.0), "canary wake changed as well, by +10 %");
        assert!(text(100.0, 100.0).starts_with("canary wake stayed as it was ("), "{}", text(100.0, 100.0));
        let few = Witness { before: vec![1.0], ..witness(Kind::Sibling, 1.0, 1.0) };
        assert_eq!(few.hear(0.1).to_string(), "on wake measured too little to tell");
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
