//! Sources of noise and limits of this machine, and how to fix them.
//!
//! Every rule is a pure function of [`Evidence`], so each can be tested with facts of another machine. A new rule is
//! one entry in the list of its topic.

use crate::definition;
use crate::sys::fingerprint;
use crate::sys::noise::Reading;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

mod rules;

/// The finding of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's stable name: `governor`.
    pub slug: &'static str,
    /// `processor`, `sharing`, `kernel` or `limit`.
    pub topic: &'static str,
    /// Its effect on results.
    pub state: State,
    /// The facts found, with figures.
    pub found: String,
    /// Why it matters, in one sentence.
    pub why: &'static str,
    /// How to fix it: one command or piece of advice per line. `None` if there is nothing to do.
    pub fix: Option<String>,
}

/// The effect of a finding on results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Results are higher or scatter more.
    Noisy,
    /// A part of the suite does not run, or runs with less than requested; the rest is unaffected.
    Limiting,
    /// This system does not provide the fact.
    Unknown,
    /// No problem.
    Fine,
}

/// Observes this machine for a second and applies every rule, ordered by topic.
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
        let unknown = || (State::Unknown, "unknown".into(), None);
        let (state, found, remedy) = (self.judge)(evidence).unwrap_or_else(unknown);
        Finding { slug: self.slug, topic, state, found, why: self.why, fix: remedy }
    }
}

/// The state, the facts found and, if there is a problem, the fix.
type Verdict = (State, String, Option<String>);

#[cfg(test)]
mod tests;

// The evidence that the rules use.

/// The observation time of the machine: one clock tick (10 ms) is then a percent, and the user does not wait long.
const WATCH: Duration = Duration::from_secs(1);

/// Facts about a machine, and its activity while it was observed.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The operating system as the compiler names it: `linux`, `windows`.
    pub system: &'static str,
    /// `fingerprint::stable` and `fingerprint::conditions`, whose keys differ.
    pub facts: BTreeMap<String, String>,
    /// The difference of two readings (`Reading::since`) over all processors, while the suite is idle.
    pub noise: BTreeMap<String, u64>,
    /// Whether this program is a debug build.
    pub is_debug_build: bool,
    /// Resources that the suite needs.
    pub needs: Needs,
}

/// Resources that the bundled presets need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The longest message over `posix-mq`.
    pub queue_message_bytes: u64,
    /// The largest requested kernel buffer.
    pub buffer_bytes: u64,
}

impl Evidence {
    /// Gathers the evidence of this machine, which takes a second.
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
            needs: Needs::for_presets(),
        }
    }

    /// The fix: commands for the systems that have one, otherwise a sentence.
    fn remedy(&self, commands: &[(&str, &str)], elsewhere: &str) -> String {
        let known = commands.iter().find(|(system, _)| *system == self.system);
        known.map_or(elsewhere, |(_, command)| command).to_owned()
    }

    /// Whether the system is Linux.
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

    /// Average number of busy processors while observed.
    fn busy_processors(&self) -> Option<f64> {
        self.watched_percent("busy_ns").map(|percent| percent / 100.0)
    }

    /// Whether this process has a capability (capabilities(7)), by number.
    fn has_capability(&self, number: u32) -> bool {
        let all = self.fact("os.capabilities").and_then(|hex| u64::from_str_radix(hex, 16).ok());
        all.is_some_and(|all| all >> number & 1 == 1)
    }

    /// A counter over the observed second, as a percentage of the elapsed time.
    fn watched_percent(&self, key: &str) -> Option<f64> {
        let elapsed_ns = *self.noise.get("elapsed_ns").filter(|&&ns| ns > 0)?;
        Some(*self.noise.get(key)? as f64 / elapsed_ns as f64 * 100.0)
    }
}

impl Needs {
    /// The largest needs of all presets.
    pub fn for_presets() -> Self {
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
