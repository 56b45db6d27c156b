//! What makes this machine noisy, what limits the suite here, and how to mend each point.
//!
//! Every rule is a pure function of [`Evidence`], so each can be tried with the facts of another machine. A new rule
//! is one entry in the list of its topic.

use serde::Serialize;

mod evidence;
mod kernel;
mod limit;
mod processor;
mod sharing;

pub use evidence::{Evidence, Needs};

/// What one rule found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's name, stable: `governor`.
    pub slug: &'static str,
    /// `processor`, `sharing`, `kernel` or `limit`.
    pub topic: &'static str,
    /// What it means for figures.
    pub state: State,
    /// What was read, with figures.
    pub found: String,
    /// Why it matters, in a sentence.
    pub why: &'static str,
    /// How to mend it: one command or one piece of advice a line. Absent where nothing is to be done.
    pub mend: Option<String>,
}

/// What a finding means for figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It makes figures larger or less even.
    Noisy,
    /// A part of the suite does not run, or with less than it asks for; the rest is not affected.
    Limiting,
    /// This system does not tell.
    Unknown,
    /// As it should be.
    Fine,
}

/// Watches this machine for a second and applies every rule, in the order of topics.
pub fn examine() -> Vec<Finding> {
    findings(&Evidence::gather())
}

/// Applies every rule.
pub fn findings(evidence: &Evidence) -> Vec<Finding> {
    let topics: [(&str, &[Rule]); 4] = [
        ("processor", processor::RULES),
        ("sharing", sharing::RULES),
        ("kernel", kernel::RULES),
        ("limit", limit::RULES),
    ];
    let rules = topics.iter().flat_map(|&(topic, rules)| rules.iter().map(move |rule| (topic, rule)));
    rules.map(|(topic, rule)| rule.apply(topic, evidence)).collect()
}

/// One thing to look at.
struct Rule {
    slug: &'static str,
    why: &'static str,
    judge: fn(&Evidence) -> Verdict,
}

impl Rule {
    fn apply(&self, topic: &'static str, evidence: &Evidence) -> Finding {
        let (state, found, mend) = match (self.judge)(evidence) {
            Verdict::Fine(found) => (State::Fine, found, None),
            Verdict::Noisy(found, mend) => (State::Noisy, found, mend),
            Verdict::Limiting(found, mend) => (State::Limiting, found, mend),
            Verdict::Unknown(found) => (State::Unknown, found, None),
        };
        Finding { slug: self.slug, topic, state, found, why: self.why, mend }
    }
}

/// What was found and, where it is not fine, how to mend it.
enum Verdict {
    Fine(String),
    Noisy(String, Option<String>),
    Limiting(String, Option<String>),
    Unknown(String),
}

impl Verdict {
    fn fine(found: impl Into<String>) -> Self {
        Self::Fine(found.into())
    }

    fn noisy(found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::Noisy(found.into(), Some(mend.into()))
    }

    fn limiting(found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::Limiting(found.into(), Some(mend.into()))
    }

    fn unknown(found: impl Into<String>) -> Self {
        Self::Unknown(found.into())
    }
}

#[cfg(test)]
mod tests;
