//! What makes this machine noisy, what limits the suite here, and how to mend each point.
//!
//! Every rule is a pure function of [`Evidence`], so each can be tried with the facts of another machine. A new rule
//! is one entry in the list of its topic.

use crate::definition;
use crate::sys::fingerprint;
use crate::sys::noise::Reading;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

mod rules;

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
        ("processor", rules::PROCESSOR),
        ("sharing", rules::SHARING),
        ("kernel", rules::KERNEL),
        ("limit", rules::LIMIT),
    ];
    let rules = topics.iter().flat_map(|&(topic, rules)| rules.iter().map(move |rule| (topic, rule)));
    rules.map(|(topic, rule)| rule.apply(topic, evidence)).collect()
}

struct Rule {
    slug: &'static str,
    why: &'static str,
    judge: fn(&Evidence) -> Option<Verdict>,
}

impl Rule {
    fn apply(&self, topic: &'static str, evidence: &Evidence) -> Finding {
        let unknown = || (State::Unknown, "this system does not tell".into(), None);
        let (state, found, remedy) = (self.judge)(evidence).unwrap_or_else(unknown);
        Finding { slug: self.slug, topic, state, found, why: self.why, mend: remedy }
    }
}

/// The state, what was found and, where that is not fine, the remedy.
type Verdict = (State, String, Option<String>);

#[cfg(test)]
mod tests;

// All that the rules judge by.

/// For how long the machine is watched: long enough that one clock tick (10 ms) is a percent, and a person waits.
const WATCH: Duration = Duration::from_secs(1);

/// Facts of a machine, and what it went through while it was watched.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The operating system as the compiler names it: `linux`, `windows`.
    pub system: &'static str,
    /// `fingerprint::stable` and `fingerprint::conditions`, whose keys differ.
    pub facts: BTreeMap<String, String>,
    /// The difference of two readings (`Reading::since`), of all processors, while nothing is measured.
    pub noise: BTreeMap<String, u64>,
    /// Whether this program is a debug build.
    pub is_debug_build: bool,
    /// What the suite asks of the machine.
    pub needs: Needs,
}

/// What the presets that come with the suite ask of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The longest message of `posix-mq`.
    pub queue_message_bytes: u64,
    /// The largest kernel buffer that is asked for.
    pub buffer_bytes: u64,
}

impl Evidence {
    /// Of this machine, which takes a second.
    pub fn gather() -> Self {
        let before = Reading::now(None);
        std::thread::sleep(WATCH);
        let noise = Reading::now(None).since(&before);
        let mut facts = fingerprint::stable();
        facts.extend(fingerprint::conditions());
        Self {
            system: std::env::consts::OS,
            facts,
            noise,
            is_debug_build: cfg!(debug_assertions),
            needs: Needs::of_presets(),
        }
    }

    /// What to do: commands for the systems that have some, and words for all others.
    fn remedy(&self, commands: &[(&str, &str)], elsewhere: &str) -> String {
        let known = commands.iter().find(|(system, _)| *system == self.system);
        known.map_or(elsewhere, |(_, command)| command).to_owned()
    }

    /// Whether its kernel is Linux, which some rules are about.
    fn is_linux(&self) -> bool {
        self.system == "linux"
    }

    fn fact(&self, key: &str) -> Option<&str> {
        self.facts.get(key).map(String::as_str).filter(|value| !value.starts_with(fingerprint::NOT_AVAILABLE))
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.fact(key)?.parse().ok()
    }

    fn is_guest(&self) -> bool {
        self.fact("machine.hypervisor").is_some_and(|kind| kind != "none")
    }

    /// How many processors were busy while watching, on average.
    fn busy_processors(&self) -> Option<f64> {
        self.watched_percent("busy_ns").map(|percent| percent / 100.0)
    }

    /// Whether this process has a capability (capabilities(7)), by its number.
    fn has_capability(&self, number: u32) -> bool {
        let all = self.fact("os.capabilities").and_then(|hex| u64::from_str_radix(hex, 16).ok());
        all.is_some_and(|all| all >> number & 1 == 1)
    }

    /// What was counted while watching, as a share of the time that passed, in percent.
    fn watched_percent(&self, key: &str) -> Option<f64> {
        let elapsed_ns = *self.noise.get("elapsed_ns").filter(|&&ns| ns > 0)?;
        Some(*self.noise.get(key)? as f64 / elapsed_ns as f64 * 100.0)
    }
}

impl Needs {
    /// The largest of all presets.
    pub fn of_presets() -> Self {
        let mut needs = Self::default();
        for plan in definition::names().filter_map(|name| definition::preset(name).ok()) {
            for case in &plan.cases {
                if case.transport.info().slug.as_str() == "posix-mq" {
                    needs.queue_message_bytes = needs.queue_message_bytes.max(case.work.message_bytes as u64);
                }
                needs.buffer_bytes = needs.buffer_bytes.max(case.buffer_bytes.unwrap_or(0) as u64);
            }
        }
        needs
    }
}
