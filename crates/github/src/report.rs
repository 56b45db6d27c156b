//! [`LabReports`]: builds the report of a pull request from its jobs. The verdicts are those of the compare page: one job
//! measures base and head alternately on one machine, and the server compares their pairs.

use crate::comment::{Acknowledgement, ComparedSeries, Leg, LegState, PullRequestReport};
use crate::reconcile::Reports;
use anyhow::{Result, anyhow};
use async_trait::async_trait;
use chrono::{TimeDelta, Utc};
use roundtrip_domain::comparison::{self, Comparison, ComparisonPair, Verdict};
use roundtrip_domain::units;
use roundtrip_storage as db;
use roundtrip_storage::github::{pull_request, queue};
use roundtrip_storage::job::{self, Filter};
use roundtrip_wire::lab::IDENTICAL_PROGRAM;
use roundtrip_wire::movement::Movement;
use roundtrip_wire::{Case, Explanation};
use sqlx::PgPool;
use std::collections::{BTreeMap, HashMap};

/// Maximum number of a pull request's newest jobs to read.
const JOBS_MAX: i64 = 500;
/// The docs page about pull request comments.
pub(crate) const DOCS_URL: &str =
    concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/how-to/github-app.md");
const AGENTS_MAX: i64 = 1_000;
/// After this time without contact, a report does not wait for an agent.
const OFFLINE_AFTER: TimeDelta = TimeDelta::minutes(5);

/// Builds reports from jobs in the database.
#[derive(Clone, Debug)]
pub struct LabReports {
    pool: PgPool,
    public_url: String,
}

impl LabReports {
    /// Reports for a server with this public address.
    pub fn new(pool: PgPool, public_url: &str) -> Self {
        Self { pool, public_url: public_url.trim_end_matches('/').to_owned() }
    }

    /// The newest job of each machine for the head commit.
    async fn jobs(&self, row: &pull_request::PullRequestRow) -> Result<BTreeMap<String, job::Job>> {
        let filter = Filter { pull_request: Some(row.number), ..Filter::default() };
        let jobs = job::list(&self.pool, row.project_id, filter, i64::MAX, JOBS_MAX).await?;
        let mut newest = BTreeMap::new();
        for job in jobs.into_iter().filter(|job| job.commit_sha == row.head_sha && job.base_sha.is_some()) {
            let machine = job.machine.clone().unwrap_or_else(|| "any machine".to_owned());
            newest.entry(machine).or_insert(job);
        }
        Ok(newest)
    }

    /// A job's comparisons: for each preset, the base's run with the head's.
    async fn compared(&self, project_id: i64, job: &job::Job) -> Result<Vec<Compared>> {
        let runs = job::runs(&self.pool, job.job_id).await?;
        let mut compared = Vec::new();
        for head in runs.iter().filter(|run| run.commit_sha == job.commit_sha) {
            let base = runs.iter().find(|run| run.commit_sha != head.commit_sha && run.preset == head.preset);
            let Some(base) = base else { continue };
            let found = comparison::of_runs(&self.pool, project_id, base.run_id, head.run_id).await;
            compared.push(Compared {
                base_sha: base.commit_sha.clone(),
                comparison: found.map_err(|error| anyhow!("{error}"))?,
                explanations: db::explanation::of_run(&self.pool, head.run_id).await?,
            });
        }
        Ok(compared)
    }
}

/// A comparison of a job.
struct Compared {
    base_sha: String,
    comparison: Comparison,
    /// Why results of the head are slower, by series.
    explanations: HashMap<i64, Explanation>,
}

#[async_trait]
impl Reports for LabReports {
    async fn report(&self, row: &pull_request::PullRequestRow) -> Result<Option<PullRequestReport>> {
        let jobs = self.jobs(row).await?;
        if jobs.is_empty() {
            return Ok(None);
        }
        let agents = db::agent::of_project(&self.pool, row.project_id, "", AGENTS_MAX).await?;
        let is_offline = |machine: &str| {
            let agent = agents.iter().find(|agent| agent.machine == machine);
            agent.is_none_or(|agent| Utc::now() - agent.last_seen_at > OFFLINE_AFTER)
        };
        let (mut legs, mut rows, mut repetitions) = (Vec::new(), Vec::new(), Repetitions::default());
        let mut movements: BTreeMap<String, Movement> = BTreeMap::new();
        let mut base_sha = row.base_sha.clone();
        for (machine, job) in &jobs {
            let compared =
                if job.status == "done" { self.compared(row.project_id, job).await? } else { Vec::new() };
            let is_alone = compared.iter().all(|compared| compared.comparison.pairs.is_empty());
            legs.push(leg(machine, job, is_offline(machine), is_alone));
            for compared in compared {
                let Compared { comparison, explanations, .. } = compared;
                base_sha = compared.base_sha;
                for moved in comparison.machines.into_iter().filter_map(|of| of.moved) {
                    let known = movements.entry(machine.clone()).or_insert_with(|| moved.clone());
                    if known.movement < moved.movement {
                        *known = moved;
                    }
                }
                for pair in comparison.pairs {
                    repetitions.add(&pair);
                    let series = format!("{}/{}/series", self.public_url, row.project);
                    rows.extend(rows_of(machine, &series, &pair, &explanations));
                }
            }
        }
        let acknowledgement =
            queue::acknowledgement(&self.pool, row.github_pull_request_id, &row.head_sha).await?;
        let Self { public_url, .. } = self;
        Ok(Some(PullRequestReport {
            project: row.project.clone(),
            number: row.number,
            base_sha,
            head_sha: row.head_sha.clone(),
            commit_url: format!("{public_url}/{}/commit/{}", row.project, row.head_sha),
            comparison_url: format!("{public_url}/{}/pull-requests/{}", row.project, row.number),
            docs_url: DOCS_URL.to_owned(),
            legs,
            rows,
            movements,
            methodology: repetitions.methodology(),
            is_quarantined: row.is_fork,
            acknowledgement: acknowledgement.map(|(by, reason)| Acknowledgement { by, reason }),
            fails_on_regression: db::project::fails_on_regression(&self.pool, row.project_id).await?,
        }))
    }
}

/// A job without a base to compare with.
pub(crate) const NO_COMPARISON: &str = "not compared: the preset measures no code from these commits";

/// The reason for an offline machine.
pub(crate) fn no_contact() -> String {
    format!("no contact with its agent for {} minutes", OFFLINE_AFTER.num_minutes())
}

fn leg(machine: &str, job: &job::Job, is_offline: bool, is_alone: bool) -> Leg {
    let (state, reason) = match job.status.as_str() {
        "done" if job.failure.as_deref() == Some(IDENTICAL_PROGRAM) => {
            (LegState::Identical, Some(IDENTICAL_PROGRAM.to_owned()))
        }
        "done" if is_alone => (LegState::Measured, Some(NO_COMPARISON.to_owned())),
        "done" => (LegState::Measured, None),
        "queued" if is_offline => (LegState::Offline, Some(no_contact())),
        "queued" | "running" => (LegState::Waiting, None),
        _ => (LegState::Failed, Some(job.failure.clone().unwrap_or_else(|| job.status.clone()))),
    };
    let took = job.started_at.zip(job.done_at).map(|(started, done)| done - started);
    Leg { machine: machine.to_owned(), state, reason, took: took.filter(|_| state == LegState::Measured) }
}

/// The row for p50, and one for p99 if only that changed. They link to pages below `series`.
fn rows_of(
    machine: &str,
    series: &str,
    pair: &ComparisonPair,
    explanations: &HashMap<i64, Explanation>,
) -> Vec<ComparedSeries> {
    let explanation = pair.head.as_ref().and_then(|head| explanations.get(&head.series_id));
    let finding = explanation.and_then(|explanation| explanation.findings.first());
    let figure = |of: fn(&comparison::MeasuredSide) -> i64| {
        #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a message")]
        let side = |side: &Option<comparison::MeasuredSide>| {
            side.as_ref().map(|side| units::value(&pair.case, of(side) as f64))
        };
        (side(&pair.base), side(&pair.head))
    };
    let row = |metric: &str, (base, head), change, interval: Option<[f64; 2]>, verdict| ComparedSeries {
        transport: pair.transport.slug.to_string(),
        message_bytes: has_one_size(&pair.case).then_some(pair.case.message_bytes),
        case: described(&pair.case),
        metric: metric.to_owned(),
        machine: machine.to_owned(),
        is_time: pair.case.measure.is_none(),
        base,
        head,
        change,
        interval: interval.map(|[low, high]| (low, high)),
        verdict,
        undecided: pair.undecided.clone(),
        url: pair.head.as_ref().map(|head| format!("{series}/{}", head.series_id)),
        detectable_change: pair.detectable_change,
        finding: finding.map(|finding| finding.text.clone()),
    };
    let mut rows =
        vec![row("p50", figure(|side| side.latency_ns.p50), pair.change, pair.change_interval, pair.verdict)];
    let tail = pair.p99.and_then(|p99| Some((p99, p99.verdict?)));
    if let Some((p99, verdict)) = tail.filter(|_| pair.verdict == Verdict::NoChange) {
        let figures = figure(|side| side.latency_ns.p99);
        rows.push(row("p99", figures, p99.change, p99.change_interval, verdict));
    }
    rows
}

/// Whether all messages have one size, which is known.
fn has_one_size(case: &Case) -> bool {
    case.size_profile.is_none() && case.benchmark.is_none()
}

/// A case without its transport and size.
fn described(case: &Case) -> String {
    if let Some(benchmark) = &case.benchmark {
        let variant = case.variant.as_ref().map(ToString::to_string);
        let measure = case.measure.as_ref().map(|measure| measure.name.clone());
        return [benchmark.clone()].into_iter().chain(variant).chain(measure).collect::<Vec<_>>().join(", ");
    }
    let mut words = vec![case.scenario.to_string(), case.mode.to_string(), case.placement.to_string()];
    words.extend(case.size_profile.as_ref().map(ToString::to_string));
    words.extend((case.peers > 1).then(|| format!("{} receivers", case.peers)));
    words.extend(case.buffer_bytes.map(|bytes| format!("buffer of {bytes} B")));
    words.extend(case.rate_per_second.map(|rate| format!("{rate}/s")));
    words.join(", ")
}

/// The numbers of repetitions of the compared cases, by how they were compared.
#[derive(Debug, Default)]
pub(crate) struct Repetitions {
    pub(crate) paired: Vec<usize>,
    pub(crate) unpaired: Vec<usize>,
}

impl Repetitions {
    fn add(&mut self, pair: &ComparisonPair) {
        let Some((base, head)) = pair.base.as_ref().zip(pair.head.as_ref()).filter(|_| pair.p.is_some())
        else {
            return;
        };
        let [base, head] = [base, head].map(|side| side.repetitions.p50_ns.len());
        let of_kind = if pair.paired { &mut self.paired } else { &mut self.unpaired };
        of_kind.push(base.min(head));
    }

    /// How base and head were compared, in a sentence for each way.
    pub(crate) fn methodology(&self) -> String {
        let count = |counts: &[usize]| {
            let (least, most) = counts.iter().min().zip(counts.iter().max())?;
            Some(if least == most { least.to_string() } else { format!("{least} to {most}") })
        };
        let paired = count(&self.paired).map(|count| {
            format!("{count} pairs of new processes per case; base and head alternate in random order.")
        });
        let unpaired = count(&self.unpaired)
            .map(|count| format!("{count} repetitions per side and case, compared without pairs."));
        paired.into_iter().chain(unpaired).collect::<Vec<_>>().join(" ")
    }
}
