//! [`RunReport`]: the envelope of one upload, and the rules that its types cannot express.

use crate::lab::Lease;
use crate::{Canary, CaseResult, Commit, Environment, Machine, RunId, Slug};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The version of the wire format that this crate writes.
pub const SCHEMA_VERSION: u32 = 1;

/// Limits of a report: generous for real ones, but small enough that a malicious one costs little.
pub mod limit {
    /// Results in one report.
    pub const RESULTS_MAX: usize = 10_000;
    /// Repetitions of one case.
    pub const REPETITIONS_MAX: usize = 1_000;
    /// Commits of history.
    pub const HISTORY_MAX: usize = 10_000;
    /// Parents of one commit.
    pub const PARENTS_MAX: usize = 100;
    /// Bytes of a text: a commit's subject, a reason, a fact.
    pub const TEXT_BYTES_MAX: usize = 4_096;
    /// Entries of a map of facts or counters.
    pub const FACTS_MAX: usize = 1_000;
}

/// One upload: one project's commit, measured on one machine at one time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunReport {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// The identity of this run; also the last part of the upload's path.
    pub run_id: RunId,
    /// The repository whose commits are charted.
    pub project: Slug,
    /// The checked-out branch; absent for a detached head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The repository's default branch, if known. A project's first run sets its default branch; later only maintainers
    /// change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_branch: Option<String>,
    /// The pull request this belongs to, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
    /// The job, if the run belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<Lease>,
    /// The commit that was measured.
    pub commit: Commit,
    /// Whether tracked files differed from the commit.
    pub work_tree_modified: bool,
    /// Its first-parent ancestors, the nearest first, so that commits can be ordered without asking a forge.
    pub history: Vec<Commit>,
    /// The machine.
    pub machine: Machine,
    /// The machine's fingerprint at that time.
    pub environment: Environment,
    /// The machine's own readings.
    pub canaries: Vec<Canary>,
    /// The program that measured.
    pub suite: Suite,
    /// When the first repetition began.
    pub started_at: DateTime<Utc>,
    /// When the last one ended.
    pub finished_at: DateTime<Utc>,
    /// One entry a case.
    pub results: Vec<CaseResult>,
}

/// The program that measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Suite {
    /// Its version.
    pub version: String,
    /// The definition that was run.
    pub preset: Slug,
    /// The seed of the order of repetitions.
    pub order_seed: u64,
    /// The build: `release` or `debug`. Do not compare debug builds.
    pub build: Slug,
}

/// A violated rule of a well-formed report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Invalid {
    /// JSON pointer (RFC 6901) to the member.
    pub pointer: String,
    /// What was found and what was expected.
    pub detail: String,
}

/// The longest name of an imported benchmark.
pub const BENCHMARK_CHARACTERS_MAX: usize = 200;

impl RunReport {
    /// Checks what the types cannot express: version, limits, order of times and consistency of counts.
    /// Histograms are checked when they are decoded.
    ///
    /// # Errors
    /// The first violated rule.
    pub fn check(&self) -> Result<(), Invalid> {
        let fail = |pointer: String, detail: String| Err(Invalid { pointer, detail });
        if self.schema_version != SCHEMA_VERSION {
            return fail(
                "/schema_version".into(),
                format!("schema_version is {}, expected {SCHEMA_VERSION}", self.schema_version),
            );
        }
        if self.finished_at < self.started_at {
            return fail("/finished_at".into(), "finished_at is before started_at".into());
        }
        within("/results", self.results.len(), limit::RESULTS_MAX)?;
        within("/history", self.history.len(), limit::HISTORY_MAX)?;
        self.check_texts()?;
        let mut seen = std::collections::HashSet::with_capacity(self.results.len());
        for (index, result) in self.results.iter().enumerate() {
            let at = format!("/results/{index}");
            result.check(&at)?;
            if !seen.insert((&result.transport.slug, &result.case, &result.methodology)) {
                return fail(
                    at,
                    "the same transport, case and methodology appear twice: expected one result with all repetitions"
                        .into(),
                );
            }
        }
        Ok(())
    }

    fn check_texts(&self) -> Result<(), Invalid> {
        short("/branch", self.branch.as_deref().unwrap_or_default())?;
        short("/default_branch", self.default_branch.as_deref().unwrap_or_default())?;
        for (index, commit) in std::iter::once(&self.commit).chain(&self.history).enumerate() {
            let at = if index == 0 { "/commit".to_owned() } else { format!("/history/{}", index - 1) };
            if commit.first_parent_ordinal == Some(0) {
                return Err(Invalid {
                    pointer: format!("{at}/first_parent_ordinal"),
                    detail: "first_parent_ordinal is 0: expected at least 1 (1 for a root commit)".into(),
                });
            }
            within(&format!("{at}/parents"), commit.parents.len(), limit::PARENTS_MAX)?;
            short(&format!("{at}/subject"), &commit.subject)?;
            short(&format!("{at}/author"), &commit.author)?;
        }
        for (name, facts) in
            [("stable", &self.environment.stable), ("conditions", &self.environment.conditions)]
        {
            let at = format!("/environment/{name}");
            within(&at, facts.len(), limit::FACTS_MAX)?;
            for (key, value) in facts {
                let at = format!("{at}/{}", token(key));
                short(&at, key)?;
                short(&at, value)?;
            }
        }
        within("/canaries", self.canaries.len(), limit::FACTS_MAX)?;
        for (index, canary) in self.canaries.iter().enumerate() {
            let reason = canary.unsupported.as_deref().unwrap_or_default();
            short(&format!("/canaries/{index}/unsupported"), reason)?;
        }
        short("/suite/version", &self.suite.version)
    }
}

impl CaseResult {
    fn check(&self, at: &str) -> Result<(), Invalid> {
        within(&format!("{at}/repetitions"), self.repetitions.len(), limit::REPETITIONS_MAX)?;
        within(&format!("{at}/failures"), self.failures.len(), limit::REPETITIONS_MAX)?;
        within(&format!("{at}/counters"), self.counters.len(), limit::FACTS_MAX)?;
        short(&format!("{at}/transport/title"), &self.transport.title)?;
        short(&format!("{at}/transport/semantics"), &self.transport.semantics)?;
        short(&format!("{at}/methodology/payload"), &self.methodology.payload)?;
        short(&format!("{at}/unsupported"), self.unsupported.as_deref().unwrap_or_default())?;
        self.case.check(&format!("{at}/case"))?;
        for (index, failure) in self.failures.iter().enumerate() {
            short(&format!("{at}/failures/{index}/reason"), &failure.reason)?;
        }
        for counter in self.counters.keys() {
            short(&format!("{at}/counters/{}", token(counter)), counter)?;
        }
        within(&format!("{at}/facts"), self.facts.len(), limit::FACTS_MAX)?;
        for (key, value) in &self.facts {
            let at = format!("{at}/facts/{}", token(key));
            short(&at, key)?;
            short(&at, value)?;
        }
        if let Some(summary) = &self.summary {
            summary.check(&format!("{at}/summary"))?;
        }
        match (&self.summary, &self.methodology.statistic) {
            (Some(_), Some(_)) | (None, None) => {}
            (Some(_), None) => {
                return Err(Invalid {
                    pointer: format!("{at}/methodology/statistic"),
                    detail: "a summary without a statistic: expected median, mean or value".into(),
                });
            }
            (None, Some(statistic)) => {
                return Err(Invalid {
                    pointer: format!("{at}/methodology/statistic"),
                    detail: format!("statistic {statistic} without a summary: expected both or neither"),
                });
            }
        }
        if self.summary.is_some() && (self.unsupported.is_some() || !self.repetitions.is_empty()) {
            return Err(Invalid {
                pointer: format!("{at}/summary"),
                detail: "a summary with repetitions, or of an unsupported case: expected only one of them"
                    .into(),
            });
        }
        if self.unsupported.is_some() && !self.repetitions.is_empty() {
            return Err(Invalid {
                pointer: format!("{at}/unsupported"),
                detail: "an unsupported case with repetitions: expected only one of them".into(),
            });
        }
        let is_empty = self.repetitions.is_empty() && self.failures.is_empty() && self.summary.is_none();
        if self.unsupported.is_none() && is_empty {
            return Err(Invalid {
                pointer: format!("{at}/repetitions"),
                detail: "no repetitions, failures or reason for being unsupported: expected one of them"
                    .into(),
            });
        }
        for (index, repetition) in self.repetitions.iter().enumerate() {
            repetition.check(&format!("{at}/repetitions/{index}"))?;
        }
        Ok(())
    }
}

impl crate::Case {
    fn check(&self, at: &str) -> Result<(), Invalid> {
        let fail = |member: &str, detail: &str| {
            Err(Invalid { pointer: format!("{at}/{member}"), detail: detail.into() })
        };
        if self.senders == Some(0) {
            return fail("senders", "senders is 0: expected at least 1, or no field for one sender");
        }
        if self.messages == Some(0) {
            return fail("messages", "messages is 0: expected at least 1 message per operation");
        }
        if self.operations == Some(0) {
            return fail("operations", "operations is 0: expected at least 1, or no field for one");
        }
        let is_name = |name: &str| {
            (1..=BENCHMARK_CHARACTERS_MAX).contains(&name.chars().count()) && !name.contains(char::is_control)
        };
        match &self.benchmark {
            Some(name) if !is_name(name) => {
                fail("benchmark", "expected a name of 1 to 200 characters without control characters")
            }
            _ => Ok(()),
        }
    }
}

impl crate::Summary {
    fn check(&self, at: &str) -> Result<(), Invalid> {
        let fail = |member: &str, detail: String| Err(Invalid { pointer: format!("{at}/{member}"), detail });
        within(&format!("{at}/quantiles"), self.quantiles.len(), limit::FACTS_MAX)?;
        // A tool may round each value separately, so values can cross slightly. An interval must not.
        if let (Some(low), Some(high)) = (self.low_ns, self.high_ns)
            && low > high
        {
            return fail("low_ns", format!("low_ns {low} is larger than high_ns {high}"));
        }
        for (index, quantile) in self.quantiles.iter().enumerate() {
            let is_ascending = index == 0 || self.quantiles[index - 1].q_ppm < quantile.q_ppm;
            if quantile.q_ppm > 1_000_000 || !is_ascending {
                return fail(
                    &format!("quantiles/{index}/q_ppm"),
                    format!("{}: expected ascending shares of at most 1000000", quantile.q_ppm),
                );
            }
        }
        Ok(())
    }
}

impl crate::Repetition {
    fn check(&self, at: &str) -> Result<(), Invalid> {
        let fail = |member: &str, detail: String| Err(Invalid { pointer: format!("{at}/{member}"), detail });
        if self.count == 0 {
            return fail("count", "count is 0: expected at least one recorded operation".into());
        }
        within(&format!("{at}/disturbed"), self.disturbed.len(), limit::FACTS_MAX)?;
        for (index, reason) in self.disturbed.iter().enumerate() {
            short(&format!("{at}/disturbed/{index}"), reason)?;
        }
        within(&format!("{at}/conditions"), self.conditions.len(), limit::FACTS_MAX)?;
        for (index, end) in self.ends.iter().enumerate() {
            end.check(&format!("{at}/ends/{index}"))?;
        }
        if self.min_ns > self.max_ns {
            return fail("min_ns", format!("min_ns {} is larger than max_ns {}", self.min_ns, self.max_ns));
        }
        let average = self.sum_ns / self.count;
        if average < self.min_ns || average > self.max_ns {
            return fail(
                "sum_ns",
                format!(
                    "sum_ns / count is {average}: expected a value between min_ns {} and max_ns {}",
                    self.min_ns, self.max_ns
                ),
            );
        }
        if self.accepted > self.attempted {
            return fail(
                "accepted",
                format!("accepted {} is larger than attempted {}", self.accepted, self.attempted),
            );
        }
        for (index, end) in self.ends.iter().enumerate() {
            let delivered = end.delivery.map_or(0, |delivery| delivery.delivered);
            if delivered > self.accepted {
                return fail(
                    &format!("ends/{index}/delivery/delivered"),
                    format!(
                        "delivered {delivered} is larger than accepted {}: a receiver cannot get what the transport \
                         did not take",
                        self.accepted
                    ),
                );
            }
        }
        Ok(())
    }
}

impl crate::EndObservation {
    fn check(&self, at: &str) -> Result<(), Invalid> {
        within(&format!("{at}/counters"), self.counters.len(), limit::FACTS_MAX)?;
        within(&format!("{at}/unavailable"), self.unavailable.len(), limit::FACTS_MAX)?;
        within(&format!("{at}/system_calls"), self.system_calls.len(), limit::FACTS_MAX)?;
        for key in self.counters.keys() {
            short(&format!("{at}/counters/{}", token(key)), key)?;
        }
        for (key, reason) in &self.unavailable {
            short(&format!("{at}/unavailable/{}", token(key)), key)?;
            short(&format!("{at}/unavailable/{}", token(key)), reason)?;
        }
        for (index, calls) in self.system_calls.iter().enumerate() {
            short(&format!("{at}/system_calls/{index}/name"), &calls.name)?;
        }
        Ok(())
    }
}

fn within(pointer: &str, len: usize, max: usize) -> Result<(), Invalid> {
    if len <= max {
        return Ok(());
    }
    Err(Invalid { pointer: pointer.into(), detail: format!("{len} entries: expected at most {max}") })
}

/// A key as one token of a JSON pointer.
fn token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn short(pointer: &str, text: &str) -> Result<(), Invalid> {
    if text.len() <= limit::TEXT_BYTES_MAX && !text.contains('\0') {
        return Ok(());
    }
    Err(Invalid {
        pointer: pointer.into(),
        detail: format!("expected at most {} bytes of text without a NUL character", limit::TEXT_BYTES_MAX),
    })
}
