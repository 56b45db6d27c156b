//! Synthetic history with noise, steps and environment changes, for load tests and demos. It is marked as synthetic
//! and never mixed with measured runs.
//!
//! It looks as if its uploads had been pruned: there are points, distributions of the newest points and case data of
//! runs, but no reports.

mod catalogue;
mod signal;

use catalogue::PRESET;
use chrono::{DateTime, TimeDelta, Utc};
use clap::builder::RangedU64ValueParser;
use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};
use roundtrip_storage as db;
use roundtrip_storage::seed::{Batch, Run};
use roundtrip_wire::{Commit, Slug};
use sha2::{Digest, Sha256};
use signal::Signal;
use sqlx::{PgConnection, PgPool};
use tokio::sync::mpsc;
use uuid::Uuid;

const BATCH_POINTS: usize = 20_000;
/// The number of batches drawn ahead of the writer.
const BATCHES_AHEAD: usize = 2;
/// The number of series per machine that keep more distributions than the others.
const LONG_SERIES: usize = 4;
const LONG_HISTOGRAMS: usize = 1_000;
const SHORT_HISTOGRAMS: usize = 20;
/// The interval between the runs of two machines, and the duration of a run.
const MACHINE_SECONDS: i64 = 7;
const RUN_SECONDS: i64 = 90;

/// The amount of history to create, and the arguments of `roundtrip-server seed`.
#[derive(Clone, Debug, clap::Args)]
pub struct Plan {
    /// Name of the project. It must have no runs.
    #[arg(long, value_name = "NAME", default_value = "seeded", value_parser = Slug::parse)]
    pub project: Slug,
    /// Number of machines.
    #[arg(long = "machines", value_name = "COUNT", default_value = "5", value_parser = up_to(1_000))]
    pub machine_count: usize,
    /// Number of series, over all machines.
    #[arg(long = "series", value_name = "COUNT", default_value = "500", value_parser = up_to(1_000_000))]
    pub series_count: usize,
    /// Number of commits, each with a point in every series.
    #[arg(long = "commits", value_name = "COUNT", default_value = "500", value_parser = up_to(100_000))]
    pub commit_count: usize,
    /// Newest commits with distributions [default: 1,000 in four series per machine, 20 in others].
    #[arg(long = "histograms", value_name = "COUNT")]
    pub histogram_count: Option<usize>,
    /// Seed of the random numbers. The same seed gives the same history.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub rng_seed: u64,
}

fn up_to(count_max: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=count_max)
}

/// The numbers of rows written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Points.
    pub point_count: u64,
    /// Distributions of points.
    pub histogram_count: u64,
}

/// Errors of [`seed`].
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// The project has runs. Measured and synthetic runs must not mix.
    #[error("project {0} already has runs. Choose another project with --project")]
    HasRuns(Slug),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The generator thread ended early.
    #[error("cannot generate the history")]
    Drawing(#[from] tokio::task::JoinError),
}

/// Writes the history in one transaction and reports progress.
///
/// # Errors
/// [`SeedError`]. The transaction is rolled back.
pub async fn seed(pool: &PgPool, plan: Plan, progress: impl Fn(Written)) -> Result<Written, SeedError> {
    let mut transaction = pool.begin().await?;
    let Some(project_id) = db::seed::claim(&mut transaction, plan.project.as_str()).await? else {
        return Err(SeedError::HasRuns(plan.project));
    };
    let history = History::prepare(&mut transaction, project_id, plan).await?;
    let (sender, mut batches) = mpsc::channel(BATCHES_AHEAD);
    let drawing = tokio::task::spawn_blocking(move || history.draw(&sender));
    let mut written = Written::default();
    while let Some(batch) = batches.recv().await {
        written.point_count += batch.point_count();
        written.histogram_count += batch.histogram_count();
        batch.store(&mut transaction).await?;
        progress(written);
    }
    drawing.await?;
    db::project_machine::count_all(&mut transaction, project_id).await?;
    db::analysis::add_of_project(&mut transaction, project_id).await?;
    transaction.commit().await?;
    db::seed::vacuum(pool).await?;
    Ok(written)
}

/// The generator: rows shared by many points, which are already stored, and the signal to draw from.
struct History {
    plan: Plan,
    project_id: i64,
    machines: Vec<Machine>,
    commits: Vec<Commit>,
    commit_ids: Vec<i64>,
    signal: Signal,
    random: StdRng,
}

struct Machine {
    machine_id: i64,
    /// Environments, the current one first.
    environment_ids: Vec<i64>,
    series_ids: Vec<i64>,
}

impl History {
    async fn prepare(connection: &mut PgConnection, project_id: i64, plan: Plan) -> sqlx::Result<Self> {
        // Each project draws different numbers, so that run ids differ.
        let mut random =
            StdRng::from_seed(Sha256::digest(format!("{} {}", plan.project, plan.rng_seed)).into());
        let (each, rest) = (plan.series_count / plan.machine_count, plan.series_count % plan.machine_count);
        let counts: Vec<usize> =
            (0..plan.machine_count).map(|machine| each + usize::from(machine < rest)).collect();
        let cases = catalogue::cases(each + usize::from(rest > 0));
        let signal = Signal::draw(&cases, &counts, plan.commit_count, &mut random);
        let results: Vec<_> = cases.into_iter().map(|case| case.result).collect();

        let mut machines = Vec::with_capacity(plan.machine_count);
        for (index, &count) in counts.iter().enumerate() {
            let machine_id = db::machine::upsert(connection, &catalogue::machine(index)).await?;
            let mut environment_ids = Vec::new();
            for change in 0..=signal.change_count(index) {
                let environment = catalogue::environment(index, change);
                environment_ids.push(db::environment::upsert(connection, &environment).await?);
            }
            // Popped from the end.
            environment_ids.reverse();
            let (series_ids, _) =
                db::series::upsert(connection, project_id, machine_id, &results[..count]).await?;
            machines.push(Machine { machine_id, environment_ids, series_ids });
        }
        let commits = catalogue::commits(plan.project.as_str(), plan.commit_count);
        let places: Vec<_> =
            commits.iter().zip(1..).map(|(commit, ordinal)| (commit, ordinal, false)).collect();
        let mut keys = db::commit::insert(connection, project_id, &places).await?;
        let commit_ids =
            commits.iter().map(|commit| keys.remove(commit.sha.as_str()).unwrap_or_default()).collect();
        Ok(Self { plan, project_id, machines, commits, commit_ids, signal, random })
    }

    /// Generates all runs, commit by commit, until the receiver stops.
    fn draw(mut self, batches: &mpsc::Sender<Batch>) {
        let mut batch = Batch::default();
        for commit in 0..self.commits.len() {
            for machine in self.signal.advance(commit) {
                self.machines[machine].environment_ids.pop();
            }
            for machine in 0..self.machines.len() {
                self.draw_run(commit, machine, &mut batch);
            }
            let is_full = batch.point_count() >= BATCH_POINTS as u64;
            if is_full && batches.blocking_send(std::mem::take(&mut batch)).is_err() {
                return;
            }
        }
        // The receiver is only gone if writing failed, and the writer reports that.
        let _ = batches.blocking_send(batch);
    }

    fn draw_run(&mut self, commit: usize, machine: usize, batch: &mut Batch) {
        let first_series: usize = self.machines[..machine].iter().map(|before| before.series_ids.len()).sum();
        let age = self.commits.len() - 1 - commit;
        let points: Vec<_> = (0..self.machines[machine].series_ids.len())
            .map(|index| {
                let kept = self.plan.histogram_count.unwrap_or(if index < LONG_SERIES {
                    LONG_HISTOGRAMS
                } else {
                    SHORT_HISTOGRAMS
                });
                let point = self.signal.point(first_series + index, age < kept, &mut self.random);
                (self.machines[machine].series_ids[index], point)
            })
            .collect();
        let run = self.run(commit, machine);
        batch.push(&run, &points);
    }

    fn run(&mut self, commit: usize, machine: usize) -> Run {
        let seconds = i64::try_from(machine).unwrap_or(0) * MACHINE_SECONDS;
        let started_at = self.commits[commit].committed_at + TimeDelta::seconds(seconds);
        let described = &self.machines[machine];
        let key = db::run::Key {
            run_id: run_id(started_at, self.random.random()),
            project_id: self.project_id,
            machine_id: described.machine_id,
            environment_id: described.environment_ids.last().copied().unwrap_or_default(),
            commit_id: self.commit_ids[commit],
        };
        Run {
            key,
            commit_ordinal: i64::try_from(commit + 1).unwrap_or(i64::MAX),
            preset: PRESET.to_owned(),
            suite_version: "seed".to_owned(),
            build: PRESET.to_owned(),
            order_seed: self.random.next_u64().to_string(),
            started_at,
            finished_at: started_at + TimeDelta::seconds(RUN_SECONDS),
        }
    }
}

fn run_id(started_at: DateTime<Utc>, random: [u8; 10]) -> Uuid {
    let milliseconds = u64::try_from(started_at.timestamp_millis()).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(milliseconds, &random).into_uuid()
}
