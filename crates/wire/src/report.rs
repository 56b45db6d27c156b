//! [`RunReport`]: the envelope of one upload, and the rules that its types cannot express.

use crate::explanation::{Explanation, FINDINGS_MAX};
use crate::lab::Lease;
use crate::profile::{FRAMES_MAX, ProfileComparison, ProfileOfEnd, STACK_BYTES_MAX};
use crate::{Canary, CaseResult, Commit, Environment, Machine, RunId, Slug};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use utoipa::ToSchema;

/// The version of the wire format that this crate writes.
pub const SCHEMA_VERSION: u32 = 1;

/// Limits of a report: generous for real ones, but small enough that a malicious one costs little.
pub mod limit {
    /// Results in one report, as many as a file of another tool may hold. Uploads are also limited by their size.
    pub const RESULTS_MAX: usize = 300_000;
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
    /// The logarithm of a ratio of two times of one to `u64::MAX` nanoseconds, in billionths.
    pub const LOG_RATIO_PPB_MAX: u64 = 44_361_419_556;
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
    /// Whether tracked files differed from the commit, or a program was measured as found. Trends exclude such a run.
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
    /// The external programs. Absent if none were measured, and from agents that do not record them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<MeasuredProgram>,
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

/// An external program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MeasuredProgram {
    /// Its transport.
    pub transport: Slug,
    /// Its variant, if there are several programs for the transport.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<Slug>,
    /// Where it comes from.
    pub origin: ProgramOrigin,
    /// SHA-256 in hexadecimal of the started program and of arguments that name files, by their word in the command. Files
    /// that the agent cannot read are absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The same of what executes, by name: of these files, the shared libraries that they load, and the interpreters of scripts.
    /// Of an ELF file, only sections that a program reads count, without build ids and the path of the work tree. Absent for
    /// installed programs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub code: BTreeMap<String, String>,
}

impl MeasuredProgram {
    /// Whether both execute the same, as far as their files show. A program can open further files.
    #[must_use]
    pub fn has_code_of(&self, other: &Self) -> bool {
        let is_complete =
            !self.files.is_empty() && self.files.keys().all(|word| self.code.contains_key(word));
        is_complete && self.code == other.code
    }
}

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramOrigin {
    /// The commit: built in a work tree without changes.
    Commit,
    /// The machine: an installed program, such as `node`.
    Machine,
    /// Unknown: measured as found.
    Found,
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

/// A part of the report, by its JSON pointer.
struct At(String);

impl At {
    fn member(&self, name: impl Display) -> Self {
        Self(format!("{}/{name}", self.0))
    }

    fn fail(&self, detail: impl Into<String>) -> Result<(), Invalid> {
        Err(Invalid { pointer: self.0.clone(), detail: detail.into() })
    }

    /// Checks the number of entries of a member.
    fn within(&self, member: &str, len: usize, max: usize) -> Result<(), Invalid> {
        if len <= max {
            return Ok(());
        }
        self.member(member).fail(format!("{len} entries: expected at most {max}"))
    }

    /// Checks the text of a member.
    fn short(&self, member: impl Display, text: &str) -> Result<(), Invalid> {
        if text.len() <= limit::TEXT_BYTES_MAX && !text.contains('\0') {
            return Ok(());
        }
        self.member(member)
            .fail(format!("expected at most {} bytes of text without a NUL character", limit::TEXT_BYTES_MAX))
    }

    /// Checks the number, the keys and the texts of a map's entries.
    fn entries<'a>(
        &self,
        member: &str,
        entries: impl ExactSizeIterator<Item = (&'a String, &'a str)>,
    ) -> Result<(), Invalid> {
        self.within(member, entries.len(), limit::FACTS_MAX)?;
        for (key, text) in entries {
            // The key as one token of a JSON pointer.
            let member = format!("{member}/{}", key.replace('~', "~0").replace('/', "~1"));
            self.short(&member, key)?;
            self.short(&member, text)?;
        }
        Ok(())
    }

    fn texts(&self, member: &str, texts: &BTreeMap<String, String>) -> Result<(), Invalid> {
        self.entries(member, texts.iter().map(|(key, text)| (key, text.as_str())))
    }

    fn counters(&self, counters: &BTreeMap<String, u64>) -> Result<(), Invalid> {
        self.entries("counters", counters.keys().map(|key| (key, "")))
    }
}

impl RunReport {
    /// Checks what the types cannot express: commit, version, limits, order of times and consistency of counts.
    /// Histograms are checked when they are decoded.
    ///
    /// # Errors
    /// The first violated rule.
    pub fn check(&self) -> Result<(), Invalid> {
        if self.commit.is_absent() {
            return At("/commit/sha".into()).fail(
                "the results belong to no commit, so no server stores them: expected a run in a Git repository with a \
                 commit",
            );
        }
        self.check_local()
    }

    /// The rules of [`RunReport::check`] for a report that stays on its machine: it may have no commit.
    ///
    /// # Errors
    /// The first violated rule.
    pub fn check_local(&self) -> Result<(), Invalid> {
        let at = At(String::new());
        if self.schema_version != SCHEMA_VERSION {
            let detail = format!("schema_version is {}, expected {SCHEMA_VERSION}", self.schema_version);
            return at.member("schema_version").fail(detail);
        }
        if self.finished_at < self.started_at {
            return at.member("finished_at").fail("finished_at is before started_at");
        }
        at.within("results", self.results.len(), limit::RESULTS_MAX)?;
        at.within("history", self.history.len(), limit::HISTORY_MAX)?;
        self.check_texts(&at)?;
        for (index, result) in self.results.iter().enumerate() {
            result.check(index)?;
        }
        self.check_distinct()
    }

    /// Checks that no two results have the same transport, case and methodology. [`RunReport::check`] includes this.
    ///
    /// # Errors
    /// The first result that repeats an earlier one.
    pub fn check_distinct(&self) -> Result<(), Invalid> {
        let mut seen = std::collections::HashSet::with_capacity(self.results.len());
        for (index, result) in self.results.iter().enumerate() {
            if !seen.insert((&result.transport.slug, &result.case, &result.methodology)) {
                return At(format!("/results/{index}")).fail(
                    "the same transport, case and methodology appear twice: expected one result with all repetitions",
                );
            }
        }
        Ok(())
    }

    fn check_texts(&self, at: &At) -> Result<(), Invalid> {
        at.short("branch", self.branch.as_deref().unwrap_or_default())?;
        at.short("default_branch", self.default_branch.as_deref().unwrap_or_default())?;
        self.commit.check(&at.member("commit"))?;
        for (index, commit) in self.history.iter().enumerate() {
            commit.check(&At(format!("/history/{index}")))?;
        }
        at.texts("environment/stable", &self.environment.stable)?;
        at.texts("environment/conditions", &self.environment.conditions)?;
        at.within("canaries", self.canaries.len(), limit::FACTS_MAX)?;
        for (index, canary) in self.canaries.iter().enumerate() {
            let reason = canary.unsupported.as_deref().unwrap_or_default();
            at.short(format_args!("canaries/{index}/unsupported"), reason)?;
        }
        at.short("suite/version", &self.suite.version)?;
        at.within("programs", self.programs.len(), limit::FACTS_MAX)?;
        for (index, program) in self.programs.iter().enumerate() {
            at.texts(&format!("programs/{index}/files"), &program.files)?;
            at.texts(&format!("programs/{index}/code"), &program.code)?;
        }
        Ok(())
    }
}

impl Commit {
    fn check(&self, at: &At) -> Result<(), Invalid> {
        if self.first_parent_ordinal == Some(0) {
            return at
                .member("first_parent_ordinal")
                .fail("first_parent_ordinal is 0: expected at least 1 (1 for a root commit)");
        }
        at.within("parents", self.parents.len(), limit::PARENTS_MAX)?;
        at.short("subject", &self.subject)?;
        at.short("author", &self.author)
    }
}

impl Explanation {
    fn check(&self, at: &At) -> Result<(), Invalid> {
        at.within("findings", self.findings.len(), FINDINGS_MAX)?;
        at.within("notes", self.notes.len(), FINDINGS_MAX)?;
        for (index, finding) in self.findings.iter().enumerate() {
            at.short(format_args!("findings/{index}/text"), &finding.text)?;
            let function = finding.function.as_deref().unwrap_or_default();
            at.short(format_args!("findings/{index}/function"), function)?;
        }
        for (index, note) in self.notes.iter().enumerate() {
            at.short(format_args!("notes/{index}"), note)?;
        }
        at.within("suspects", self.suspects.len(), FINDINGS_MAX)?;
        for (index, suspect) in self.suspects.iter().enumerate() {
            let at = at.member(format_args!("suspects/{index}"));
            at.within("names", suspect.names.len(), limit::FACTS_MAX)?;
            for (index, name) in suspect.names.iter().enumerate() {
                at.short(format_args!("names/{index}"), name)?;
            }
        }
        Ok(())
    }
}

impl ProfileComparison {
    fn check(&self, at: &At) -> Result<(), Invalid> {
        let frames: usize = self.ends.iter().map(|end| end.parents.len()).sum();
        at.within("ends", self.ends.len(), limit::FACTS_MAX)?;
        if frames > FRAMES_MAX {
            return at.member("ends").fail(format!("{frames} frames: expected at most {FRAMES_MAX}"));
        }
        at.within("functions", self.functions.len(), FRAMES_MAX)?;
        for (index, name) in self.functions.iter().enumerate() {
            at.short(format_args!("functions/{index}"), name)?;
        }
        let mut stack_bytes = 0;
        for (index, end) in self.ends.iter().enumerate() {
            let at = at.member(format_args!("ends/{index}"));
            end.check(&at, self.functions.len())?;
            stack_bytes += end.stack_bytes(&self.functions);
            if stack_bytes > STACK_BYTES_MAX {
                return at.fail(format!("stacks of {stack_bytes} bytes: expected at most {STACK_BYTES_MAX}"));
            }
        }
        Ok(())
    }
}

impl ProfileOfEnd {
    fn check(&self, at: &At, functions: usize) -> Result<(), Invalid> {
        at.short("name", &self.name)?;
        let frames = self.parents.len();
        let columns = [
            ("functions", self.functions.len()),
            ("base_on_cpu_ns", self.base_on_cpu_ns.len()),
            ("base_waiting_ns", self.base_waiting_ns.len()),
            ("head_on_cpu_ns", self.head_on_cpu_ns.len()),
            ("head_waiting_ns", self.head_waiting_ns.len()),
        ];
        for (column, len) in columns {
            if len != frames {
                return at.member(column).fail(format!("{len} entries: expected {frames}, as in parents"));
            }
        }
        for (index, parent) in self.parents.iter().enumerate() {
            if parent.is_some_and(|parent| parent as usize >= index) {
                let at = at.member(format_args!("parents/{index}"));
                return at.fail(format!("expected the position of an earlier frame, below {index}, or null"));
            }
        }
        for (index, function) in self.functions.iter().enumerate() {
            if *function as usize >= functions {
                let at = at.member(format_args!("functions/{index}"));
                return at
                    .fail(format!("{function}: expected the position of a function, below {functions}"));
            }
        }
        Ok(())
    }

    /// The bytes of all stacks with a time, as text. The columns were checked.
    fn stack_bytes(&self, names: &[String]) -> usize {
        let mut bytes: Vec<usize> = Vec::with_capacity(self.parents.len());
        let mut sum: usize = 0;
        for (index, parent) in self.parents.iter().enumerate() {
            let name = &names[self.functions[index] as usize];
            bytes.push(parent.map_or(0, |parent| bytes[parent as usize]) + name.len() + 1);
            let times =
                [&self.base_on_cpu_ns, &self.base_waiting_ns, &self.head_on_cpu_ns, &self.head_waiting_ns];
            if times.into_iter().any(|column| column[index] > 0) {
                sum += bytes[index];
            }
        }
        sum
    }
}

impl CaseResult {
    /// Checks the result at `index` of a report for what the types cannot express, as [`RunReport::check`] does.
    ///
    /// # Errors
    /// The first violated rule.
    pub fn check(&self, index: usize) -> Result<(), Invalid> {
        let at = &At(format!("/results/{index}"));
        at.within("repetitions", self.repetitions.len(), limit::REPETITIONS_MAX)?;
        at.within("failures", self.failures.len(), limit::REPETITIONS_MAX)?;
        at.short("transport/title", &self.transport.title)?;
        at.short("transport/semantics", &self.transport.semantics)?;
        at.short("methodology/payload", &self.methodology.payload)?;
        at.short("unsupported", self.unsupported.as_deref().unwrap_or_default())?;
        self.case.check(&at.member("case"))?;
        for (index, failure) in self.failures.iter().enumerate() {
            at.short(format_args!("failures/{index}/reason"), &failure.reason)?;
        }
        at.counters(&self.counters)?;
        at.texts("facts", &self.facts)?;
        if let Some(summary) = &self.summary {
            summary.check(&at.member("summary"))?;
        }
        if let Some(explanation) = &self.explanation {
            explanation.check(&at.member("explanation"))?;
        }
        if let Some(profile) = &self.profile {
            profile.check(&at.member("profile"))?;
        }
        match (&self.summary, &self.methodology.statistic) {
            (Some(_), Some(_)) | (None, None) => {}
            (Some(_), None) => {
                let detail = "a summary without a statistic: expected median, mean or value";
                return at.member("methodology/statistic").fail(detail);
            }
            (None, Some(statistic)) => {
                let detail = format!("statistic {statistic} without a summary: expected both or neither");
                return at.member("methodology/statistic").fail(detail);
            }
        }
        if self.summary.is_some() && (self.unsupported.is_some() || !self.repetitions.is_empty()) {
            let detail = "a summary with repetitions, or of an unsupported case: expected only one of them";
            return at.member("summary").fail(detail);
        }
        if self.unsupported.is_some() && !self.repetitions.is_empty() {
            let detail = "an unsupported case with repetitions: expected only one of them";
            return at.member("unsupported").fail(detail);
        }
        if self.is_empty() {
            let detail = "no repetitions, failures or reason for being unsupported: expected one of them";
            return at.member("repetitions").fail(detail);
        }
        for (index, repetition) in self.repetitions.iter().enumerate() {
            repetition.check(&at.member(format_args!("repetitions/{index}")))?;
        }
        Ok(())
    }
}

impl crate::Case {
    fn check(&self, at: &At) -> Result<(), Invalid> {
        let fail = |member: &str, detail: &str| at.member(member).fail(detail);
        if self.senders == Some(0) {
            return fail("senders", "senders is 0: expected at least 1, or no field for one sender");
        }
        if self.messages == Some(0) {
            return fail("messages", "messages is 0: expected at least 1 message per operation");
        }
        if self.operations == Some(0) {
            return fail("operations", "operations is 0: expected at least 1, or no field for one");
        }
        if let Some((member, detail)) = self.measure.as_ref().and_then(crate::Measure::problem) {
            return at.member("measure").member(member).fail(detail);
        }
        match &self.benchmark {
            Some(name) if !crate::measure::is_text(name, 1, BENCHMARK_CHARACTERS_MAX) => {
                fail("benchmark", "expected a name of 1 to 200 characters without control characters")
            }
            _ => Ok(()),
        }
    }
}

impl crate::Summary {
    fn check(&self, at: &At) -> Result<(), Invalid> {
        at.within("quantiles", self.quantiles.len(), limit::FACTS_MAX)?;
        // A tool may round each value separately, so values can cross slightly. An interval must not.
        if let (Some(low), Some(high)) = (self.low_ns, self.high_ns)
            && low > high
        {
            return at.member("low_ns").fail(format!("low_ns {low} is larger than high_ns {high}"));
        }
        for (index, quantile) in self.quantiles.iter().enumerate() {
            let is_ascending = index == 0 || self.quantiles[index - 1].q_ppm < quantile.q_ppm;
            if quantile.q_ppm > 1_000_000 || !is_ascending {
                let detail = format!("{}: expected ascending shares of at most 1000000", quantile.q_ppm);
                return at.member(format_args!("quantiles/{index}/q_ppm")).fail(detail);
            }
        }
        Ok(())
    }
}

impl crate::Repetition {
    fn check(&self, at: &At) -> Result<(), Invalid> {
        let Self { count, min_ns, max_ns, sum_ns, attempted, accepted, .. } = *self;
        if count == 0 {
            return at.member("count").fail("count is 0: expected at least one recorded operation");
        }
        at.within("disturbed", self.disturbed.len(), limit::FACTS_MAX)?;
        for (index, reason) in self.disturbed.iter().enumerate() {
            at.short(format_args!("disturbed/{index}"), reason)?;
        }
        at.within("conditions", self.conditions.len(), limit::FACTS_MAX)?;
        for (index, end) in self.ends.iter().enumerate() {
            end.check(&at.member(format_args!("ends/{index}")))?;
        }
        if self.log_ratio_ppb.is_some_and(|ppb| ppb.unsigned_abs() > limit::LOG_RATIO_PPB_MAX) {
            let detail = format!("expected at most {} billionths", limit::LOG_RATIO_PPB_MAX);
            return at.member("log_ratio_ppb").fail(detail);
        }
        if min_ns > max_ns {
            return at.member("min_ns").fail(format!("min_ns {min_ns} is larger than max_ns {max_ns}"));
        }
        let average = sum_ns / count;
        if average < min_ns || average > max_ns {
            return at.member("sum_ns").fail(format!(
                "sum_ns / count is {average}: expected a value between min_ns {min_ns} and max_ns {max_ns}"
            ));
        }
        if accepted > attempted {
            let detail = format!("accepted {accepted} is larger than attempted {attempted}");
            return at.member("accepted").fail(detail);
        }
        for (index, end) in self.ends.iter().enumerate() {
            let delivered = end.delivery.map_or(0, |delivery| delivery.delivered);
            if delivered > accepted {
                return at.member(format_args!("ends/{index}/delivery/delivered")).fail(format!(
                    "delivered {delivered} is larger than accepted {accepted}: a receiver cannot get what the \
                     transport did not take"
                ));
            }
        }
        Ok(())
    }
}

impl crate::EndObservation {
    fn check(&self, at: &At) -> Result<(), Invalid> {
        at.within("system_calls", self.system_calls.len(), limit::FACTS_MAX)?;
        at.counters(&self.counters)?;
        at.texts("unavailable", &self.unavailable)?;
        for (index, calls) in self.system_calls.iter().enumerate() {
            at.short(format_args!("system_calls/{index}/name"), &calls.name)?;
        }
        Ok(())
    }
}
