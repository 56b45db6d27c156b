//! The reasons why two results are not comparable. Agent, server and web interface share this rule.

use crate::{CaseResult, Machine, Methodology, Repetition, RunReport, Slug};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use utoipa::ToSchema;

/// One difference: `on_full: wait vs. drop`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
pub struct Difference {
    /// The differing field: `on_full`, `delivered`, `environment.cpu.model`.
    pub what: String,
    /// The base's value.
    pub base: String,
    /// The head's value.
    pub head: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} vs. {}", self.what, self.base, self.head)
    }
}

impl Difference {
    fn new(what: impl Into<String>, base: impl fmt::Display, head: impl fmt::Display) -> Self {
        Self { what: what.into(), base: base.to_string(), head: head.to_string() }
    }
}

/// The properties of a run that decide comparability: machine, environment and build.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// `release` or `debug`.
    pub build: &'a Slug,
    /// The stable facts of the environment.
    pub stable: &'a BTreeMap<String, String>,
}

impl<'a> From<&'a RunReport> for Surroundings<'a> {
    fn from(report: &'a RunReport) -> Self {
        Self { machine: &report.machine, build: &report.suite.build, stable: &report.environment.stable }
    }
}

/// The properties of a result that decide comparability.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// The methodology.
    pub methodology: &'a Methodology,
    /// The number of receivers.
    pub peers: u32,
    /// Messages whose sending was tried.
    pub attempted: u64,
    /// Messages that arrived intact, summed over receivers.
    pub delivered: u64,
    /// Whether messages were lost, duplicated, reordered or damaged.
    pub is_lossy: bool,
    /// Whether there were more threads than processors.
    pub is_oversubscribed: bool,
}

impl<'a> From<&'a CaseResult> for Measured<'a> {
    fn from(result: &'a CaseResult) -> Self {
        let sum = |of: fn(&Repetition) -> u64| result.repetitions.iter().map(of).sum();
        Self {
            methodology: &result.methodology,
            peers: result.case.peers,
            attempted: sum(|one| one.attempted),
            delivered: sum(|one| one.delivered),
            is_lossy: result.is_lossy(),
            is_oversubscribed: result.oversubscribed,
        }
    }
}

/// Why no results of two runs are comparable: another machine, environment or build.
pub fn runs<'a>(base: impl Into<Surroundings<'a>>, head: impl Into<Surroundings<'a>>) -> Vec<Difference> {
    let (base, head) = (base.into(), head.into());
    let mut differences = Vec::new();
    if base.machine != head.machine {
        differences.push(Difference::new("machine", &base.machine.slug, &head.machine.slug));
    }
    if base.build != head.build {
        differences.push(Difference::new("build", base.build, head.build));
    }
    let environment = different(base.stable, head.stable).into_iter();
    differences.extend(environment.map(|Difference { what, base, head }| Difference {
        what: format!("environment.{what}"),
        base,
        head,
    }));
    differences
}

/// Why two results of the same transport and case are not comparable: another methodology, or a lossy result.
/// A lossy result is never compared, because its times exclude the lost messages.
pub fn results<'a>(base: impl Into<Measured<'a>>, head: impl Into<Measured<'a>>) -> Vec<Difference> {
    let (base, head) = (base.into(), head.into());
    let mut differences = different(&facts(base.methodology), &facts(head.methodology));
    if base.is_lossy || head.is_lossy {
        differences.push(Difference::new("delivered", base.delivery(), head.delivery()));
    }
    if base.is_oversubscribed != head.is_oversubscribed {
        let [base, head] = [base, head].map(|side| side.is_oversubscribed);
        differences.push(Difference::new("oversubscribed", base, head));
    }
    differences
}

/// Whether a result of the base pairs with one of the head.
pub type Alike<'a, T> = &'a dyn Fn(&T, &T) -> bool;

/// Pairs each result of the head with one of the base that matches the first rule, else the next ones.
/// Unpaired results follow, those of the base last. No result is in two pairs.
pub fn pairs<'a, T>(
    base: &'a [T],
    head: &'a [T],
    are_alike: &[Alike<'_, T>],
) -> Vec<(Option<&'a T>, Option<&'a T>)> {
    let mut left: Vec<&T> = base.iter().collect();
    let mut found: Vec<Option<&T>> = vec![None; head.len()];
    for are_alike in are_alike {
        for (result, partner) in head.iter().zip(&mut found).filter(|(_, partner)| partner.is_none()) {
            let place = left.iter().position(|other| are_alike(other, result));
            *partner = place.map(|place| left.remove(place));
        }
    }
    let of_head = found.into_iter().zip(head).map(|(partner, result)| (partner, Some(result)));
    of_head.chain(left.into_iter().map(|result| (Some(result), None))).collect()
}

/// The fields of a case or a methodology, by their names in the wire format, without absent ones.
pub fn facts(structure: &impl Serialize) -> BTreeMap<String, String> {
    let Ok(Value::Object(fields)) = serde_json::to_value(structure) else {
        // A struct is always an object.
        return BTreeMap::new();
    };
    let text = |value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    fields.into_iter().map(|(name, value)| (name, text(value))).collect()
}

/// The values that differ between the sides, by name.
fn different(base: &BTreeMap<String, String>, head: &BTreeMap<String, String>) -> Vec<Difference> {
    let names: BTreeSet<&String> = base.keys().chain(head.keys()).collect();
    let differing = names.into_iter().filter(|name| base.get(*name) != head.get(*name));
    let difference = |name: &String| {
        let [base, head] = [base, head].map(|facts| facts.get(name).map_or("absent", String::as_str));
        Difference::new(name.as_str(), base, head)
    };
    differing.map(difference).collect()
}

impl Measured<'_> {
    /// How many of the attempted messages arrived.
    fn delivery(&self) -> String {
        let delivered = self.delivered;
        let attempted = self.attempted.saturating_mul(u64::from(self.peers));
        match (self.is_lossy, delivered.checked_mul(1_000_000).and_then(|ppm| ppm.checked_div(attempted))) {
            (false, _) => format!("all {attempted}"),
            (true, Some(ppm)) => {
                format!("{delivered} of {attempted} ({}.{:04} %)", ppm / 10_000, ppm % 10_000)
            }
            (true, None) => format!("{delivered} of {attempted}"),
        }
    }
}
