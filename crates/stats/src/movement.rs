//! The movement of a machine between two reports, measured by what the compared commits cannot change: canaries and
//! control transports.
//!
//! The repetitions of one report share the state of the machine, so a machine that changed between two reports looks like
//! a changed commit. The movement of a comparison is the largest change of any reference, in either direction:
//! `max |ln(head / base)|`. A change of a case counts only if its whole interval is beyond the movement
//! ([`crate::verdict::Sides::movement`]).

use crate::cause::Kind;
use crate::percent;
use crate::shift;
use std::fmt;

/// The largest movement, as a share, at which reports are comparable. Beyond it, parts of a machine move so differently
/// that the movement of one does not bound that of another: on a loaded virtual machine whose canaries had moved by 30 to
/// 50 %, unchanged cases had moved by up to 270 %. Chosen by simulation (`bench verdicts`): with 25 %, 3.2 % of A/A
/// comparisons report a change; with 10 %, less than 1 %.
pub const COMPARABLE_MAX: f64 = 0.1;

/// Confidence of a control's interval.
const CONFIDENCE: f64 = 0.95;

/// A canary or a control that both reports have.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// [`Kind::Canary`] or [`Kind::Control`].
    pub kind: Kind,
    /// The display name.
    pub name: String,
    /// Its change from base to head, as a share; 0 if it did not move.
    pub change: f64,
}

impl Reference {
    /// A canary, by the median of its readings on both sides. They are whole nanoseconds, so a difference of one is no
    /// movement. Returns `None` if a side is 0.
    pub fn of_canary(name: String, [base_ns, head_ns]: [u64; 2]) -> Option<Self> {
        let moved = if base_ns.abs_diff(head_ns) <= 1 { 0.0 } else { head_ns as f64 / base_ns as f64 - 1.0 };
        (base_ns > 0 && head_ns > 0).then_some(Self { kind: Kind::Canary, name, change: moved })
    }

    /// A control, by the p50s of its repetitions on both sides: the end of the 95 % interval of its shift that is nearer
    /// to 0. Returns `None` if there are too few repetitions for an interval.
    pub fn of_control(name: String, sides_ns: [&[u64]; 2]) -> Option<Self> {
        let [base, head] =
            sides_ns.map(|side| side.iter().map(|&ns| (ns.max(1) as f64).ln()).collect::<Vec<_>>());
        let [low, high] = shift::unpaired(&base, &head, CONFIDENCE)?.interval?;
        // 0 if the interval contains it.
        let nearest = low.max(0.0) + high.min(0.0);
        Some(Self { kind: Kind::Control, name, change: nearest.exp_m1() })
    }

    /// The size of the change, as a share that is equal in both directions: half as long is as far as twice as long.
    pub fn size(&self) -> f64 {
        self.change.ln_1p().abs().exp_m1()
    }
}

/// The largest movement of these references, as a share; 0 without any.
///
/// ```
/// use roundtrip_stats::movement::{Reference, largest};
/// let canary = |name: &str, sides| Reference::of_canary(name.into(), sides);
/// let references: Vec<_> = [canary("wake", [5_000, 4_000]), canary("clock-cost", [25, 26])].into_iter().flatten().collect();
/// assert!((largest(&references) - 0.25).abs() < 1e-9);
/// ```
pub fn largest(references: &[Reference]) -> f64 {
    references.iter().map(Reference::size).fold(0.0, f64::max)
}

/// Whether sides with this movement between them are comparable.
pub fn is_comparable(movement: f64) -> bool {
    movement <= COMPARABLE_MAX
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} {}", self.kind, self.name, percent::signed(self.change))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canary(base_ns: u64, head_ns: u64) -> Option<Reference> {
        Reference::of_canary("wake".into(), [base_ns, head_ns])
    }

    #[test]
    fn canary_moves_by_more_than_its_resolution() {
        assert_eq!(canary(25, 26).map(|found| found.change), Some(0.0));
        let found = canary(5_000, 1_000).unwrap();
        assert_eq!((found.to_string(), (found.size() * 1e6).round()), ("canary wake -80 %".into(), 4e6));
        assert_eq!((canary(0, 5), canary(5, 0)), (None, None));
    }

    #[test]
    fn control_moves_by_the_near_end_of_its_interval() {
        let side = |middle: u64| (0..10).map(|nth| middle + 10 * nth).collect::<Vec<_>>();
        let control = |base: &[u64], head: &[u64]| Reference::of_control("pipe 64 B".into(), [base, head]);
        let moved = control(&side(10_000), &side(12_000)).unwrap();
        assert!(moved.change > 0.19 && moved.change < 0.2, "{moved}");
        let faster = control(&side(12_000), &side(10_000)).unwrap();
        assert!((faster.size() - moved.size()).abs() < 1e-9, "{faster}");
        assert_eq!(control(&side(10_000), &side(10_010)).unwrap().change, 0.0);
        assert_eq!(control(&side(10_000)[..3], &side(12_000)[..3]), None);
    }
}
