//! What keeps two results from being compared. The rule is one for all: agent, server and interface ask here.

use crate::{CaseResult, Repetition, RunReport};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt;
use utoipa::ToSchema;

/// One reason: `on_full: wait against drop`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Difference {
    /// What differs, as the wire format calls it: `on_full`, `delivered`, `environment.cpu.model`.
    pub what: String,
    /// How it is in the base.
    pub base: String,
    /// How it is in the head.
    pub head: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} against {}", self.what, self.base, self.head)
    }
}

impl Difference {
    fn new(what: impl Into<String>, base: impl fmt::Display, head: impl fmt::Display) -> Self {
        Self { what: what.into(), base: base.to_string(), head: head.to_string() }
    }
}

/// Why no result of one run is comparable with any of the other: another machine or environment, another build.
pub fn runs(base: &RunReport, head: &RunReport) -> Vec<Difference> {
    let mut differences = Vec::new();
    if base.machine != head.machine {
        differences.push(Difference::new("machine", &base.machine.slug, &head.machine.slug));
    }
    if base.suite.build != head.suite.build {
        differences.push(Difference::new("build", &base.suite.build, &head.suite.build));
    }
    let facts = (&base.environment.stable, &head.environment.stable);
    let keys: BTreeSet<&String> = facts.0.keys().chain(facts.1.keys()).collect();
    for key in keys {
        let [base, head] = [facts.0, facts.1].map(|facts| facts.get(key).map_or("absent", String::as_str));
        if base != head {
            differences.push(Difference::new(format!("environment.{key}"), base, head));
        }
    }
    differences
}

/// Why two results of the same transport and case are not comparable: another methodology, or messages that did not
/// arrive. A time of what arrived says nothing of what did not, so what is lossy is compared with nothing.
pub fn results(base: &CaseResult, head: &CaseResult) -> Vec<Difference> {
    let mut differences = Vec::new();
    let [base_fields, head_fields] = [base, head].map(|result| fields(&result.methodology));
    let names: BTreeSet<&String> = base_fields.keys().chain(head_fields.keys()).collect();
    for name in names {
        let [base, head] = [&base_fields, &head_fields].map(|fields| text(fields.get(name)));
        if base != head {
            differences.push(Difference::new(name, base, head));
        }
    }
    if base.is_lossy() || head.is_lossy() {
        differences.push(Difference::new("delivered", delivery(base), delivery(head)));
    }
    if base.oversubscribed != head.oversubscribed {
        differences.push(Difference::new("oversubscribed", base.oversubscribed, head.oversubscribed));
    }
    differences
}

fn fields(methodology: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(methodology) {
        Ok(Value::Object(fields)) => fields,
        // A structure is an object.
        _ => Map::new(),
    }
}

fn text(field: Option<&Value>) -> String {
    match field {
        None => "absent".into(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// How much of what was attempted arrived.
fn delivery(result: &CaseResult) -> String {
    let sum = |of: fn(&Repetition) -> u64| result.repetitions.iter().map(of).sum::<u64>();
    let attempted = sum(|one| one.attempted) * u64::from(result.case.peers);
    let delivered = sum(|one| one.delivered);
    match (result.is_lossy(), delivered.checked_mul(1_000_000).and_then(|ppm| ppm.checked_div(attempted))) {
        (false, _) => format!("all {attempted}"),
        (true, Some(ppm)) => {
            format!("{delivered} of {attempted} ({}.{:04} %)", ppm / 10_000, ppm % 10_000)
        }
        (true, None) => format!("{delivered} of {attempted}"),
    }
}
