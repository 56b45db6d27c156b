//! How much a machine moved between two reports: computed in `roundtrip_stats::movement`, printed by the agent, and
//! returned by the server.

use crate::Canary;
use roundtrip_stats::movement::{self, Reference};
use roundtrip_stats::percent;
use roundtrip_stats::verdict::Rule;
use serde::Serialize;
use std::fmt;
use utoipa::ToSchema;

/// How many moved canaries and controls a text names.
pub const SHOWN_MAX: usize = 3;

/// The movement of a machine between two reports.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Movement {
    /// Whether it moved little enough for verdicts: by at most 10 %.
    pub comparable: bool,
    /// Whether it moved by more than the smallest change that counts, by default 1 %.
    pub limits_verdicts: bool,
    /// The largest change of a canary or control, as a share that is equal in both directions. Changes of cases count only
    /// beyond it.
    pub movement: f64,
    /// The number of canaries and controls that moved.
    pub moved_count: usize,
    /// Canaries and controls, the most moved first.
    pub references: Vec<ReferenceChange>,
}

/// A canary or a control that both sides have.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReferenceChange {
    /// `canary` or `control`.
    pub kind: String,
    /// The canary, or the transport and case of the control.
    pub name: String,
    /// The change from base to head, as a share; 0 if it did not move.
    pub change: f64,
}

impl Movement {
    /// The movement that these references show; `None` without any.
    pub fn of(mut references: Vec<Reference>, rule: &Rule) -> Option<Self> {
        references.sort_by(|one, other| other.size().total_cmp(&one.size()));
        let movement = movement::largest(&references);
        (!references.is_empty()).then(|| Self {
            comparable: movement::is_comparable(movement),
            limits_verdicts: movement > rule.least,
            movement,
            moved_count: references.iter().filter(|reference| reference.change != 0.0).count(),
            references: references.into_iter().map(ReferenceChange::from).collect(),
        })
    }
}

/// The canaries that both reports have.
pub fn canaries(base: &[Canary], head: &[Canary]) -> impl Iterator<Item = Reference> {
    base.iter().filter_map(|canary| {
        let other = head.iter().find(|other| other.slug == canary.slug)?;
        Reference::of_canary(canary.slug.to_string(), [canary.p50_ns?, other.p50_ns?])
    })
}

impl From<Reference> for ReferenceChange {
    fn from(Reference { kind, name, change }: Reference) -> Self {
        Self { kind: kind.to_string(), name, change }
    }
}

impl fmt::Display for ReferenceChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} {}", self.kind, self.name, percent::signed(self.change))
    }
}

/// The most moved canaries and controls: `canary wake +23 %, control pipe 64 B same-cpu -12 % and 4 more`.
impl fmt::Display for Movement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.moved_count.min(SHOWN_MAX);
        let names: Vec<String> = self.references.iter().take(shown).map(ToString::to_string).collect();
        formatter.write_str(&names.join(", "))?;
        match self.moved_count - shown {
            0 => Ok(()),
            more => write!(formatter, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Slug;

    fn movement(base: &[Canary], head: &[Canary]) -> Option<Movement> {
        Movement::of(canaries(base, head).collect(), &Rule::default())
    }

    fn canary(name: &str, p50_ns: Option<u64>) -> Canary {
        Canary { slug: Slug::from_name(name), p50_ns, min_ns: p50_ns, count: 1, unsupported: None }
    }

    #[test]
    fn names_the_canaries_that_moved_most() {
        let base = ["a", "b", "c", "d", "e", "f"].map(|name| canary(name, Some(1_000)));
        let heads = [1_001, 1_020, 500, 1_230, 1_040, 1_000].map(Some);
        let mut head =
            Vec::from_iter(base.iter().zip(heads).map(|(base, ns)| canary(base.slug.as_str(), ns)));
        let found = movement(&base, &head).unwrap();
        assert_eq!(found.to_string(), "canary c -50 %, canary d +23 %, canary e +4 % and 1 more");
        assert_eq!((found.comparable, found.moved_count, found.references.len()), (false, 4, 6));
        head.iter_mut().for_each(|canary| canary.p50_ns = None);
        assert_eq!(movement(&base, &head), None);
    }

    #[test]
    fn limits_verdicts_beyond_the_smallest_change_that_counts() {
        let of = |ns| movement(&[canary("a", Some(1_000))], &[canary("a", Some(ns))]);
        let answers =
            [1_009, 1_020, 1_200].map(|ns| of(ns).map(|found| (found.limits_verdicts, found.comparable)));
        assert_eq!(answers, [(false, true), (true, true), (true, false)].map(Some));
    }
}
