//! The state of a machine by day, and the changes that it can detect, from its newest runs of a project.

use crate::analysis::suspect::{FAULTS_MIN, NEWEST_RUNS};
use crate::error::DomainError;
use chrono::NaiveDate;
use roundtrip_stats::movement::{self, Reference};
use roundtrip_stats::verdict::{Power, Rule};
use roundtrip_storage as db;
use roundtrip_storage::canary::HistoryRun;
use roundtrip_storage::run::Location;
use roundtrip_wire::movement::ReferenceChange;
use serde::Serialize;
use sqlx::PgPool;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use utoipa::ToSchema;

/// One day of a machine.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct MachineDay {
    /// The day in UTC.
    #[schema(example = "2026-11-30")]
    pub day: NaiveDate,
    /// The runs that began on it.
    pub run_count: i64,
    /// The worst state of these runs.
    pub state: MachineDayState,
    /// Why it is not `steady`; null if it is.
    #[schema(required)]
    pub because: Option<String>,
    /// The environment of its last run.
    pub environment_id: i64,
    /// The median minimum detectable change of the cases of its last run, between two runs that scatter like it. Null with too
    /// few repetitions, and on days that are not among 26 samples.
    #[schema(required)]
    pub detectable_change: Option<f64>,
}

/// The state of a machine on a day, the least serious first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MachineDayState {
    /// Without canary readings, or with too few before them.
    Unknown,
    /// Its canaries stayed within 10 % of those of its runs before.
    Steady,
    /// Series switched between known states.
    KnownState,
    /// A canary moved by more than 10 %, or results shifted without a code change.
    Drift,
    /// Results shifted without a code change at 3 commits among 50 runs.
    Suspect,
}

/// The minimum detectable change of a transport's cases.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TransportPower {
    /// The transport.
    #[schema(example = "pipe")]
    pub transport: String,
    /// The number of its cases.
    pub case_count: usize,
    /// The median over the cases, as a share; null with too few repetitions.
    #[schema(required)]
    pub detectable_change: Option<f64>,
}

const RUNS_MAX: i64 = 5_000;
/// The days, at most, whose minimum detectable change is computed: evenly spaced, with the last one,
const SAMPLES_MAX: usize = 26;
/// from this many cases of a run, except for the last one.
const CASES_MAX: usize = 50;

/// Canary readings are compared with the median of this many runs before, in the same environment,
const BEFORE_MAX: usize = 20;
/// if there are this many.
const BEFORE_MIN: usize = 5;

/// The days of a machine with runs of a project in the year before the last one, oldest first, and the power of its newest run by
/// transport.
pub async fn of_machine(
    pool: &PgPool,
    project_id: i64,
    machine_id: i64,
) -> Result<(Vec<MachineDay>, Vec<TransportPower>), DomainError> {
    let mut runs = db::canary::year(pool, (project_id, machine_id), RUNS_MAX).await?;
    // Imported runs may be older than runs that were stored before them.
    runs.sort_by_key(|run| (run.started_at, run.run_id));
    let mut days = days(&runs);
    let last_runs: BTreeMap<NaiveDate, &HistoryRun> =
        runs.iter().map(|run| (run.started_at.date_naive(), run)).collect();
    let places = sampled(days.len(), SAMPLES_MAX);
    let mut times = Vec::new();
    for &place in &places {
        let Some(run) = last_runs.get(&days[place].day) else { continue };
        let location = Location { run_id: run.run_id, machine_id, commit_ordinal: run.commit_ordinal };
        times.push(db::error_rate::repetitions(pool, location).await?);
    }
    let computed = tokio::task::spawn_blocking(move || {
        let mut powers = Powers::default();
        let last = times.len().saturating_sub(1);
        let max = |nth| if nth == last { usize::MAX } else { CASES_MAX };
        times.iter().enumerate().map(|(nth, cases)| powers.of_cases(cases, max(nth))).collect::<Vec<_>>()
    });
    let mut changes = computed.await.map_err(DomainError::internal)?;
    for (&place, of_cases) in places.iter().zip(&changes) {
        days[place].detectable_change = median(of_cases.values().copied().collect());
    }
    let of_newest = changes.pop().unwrap_or_default();
    let mut transports: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for row in db::series::find(pool, &of_newest.keys().copied().collect::<Vec<_>>()).await? {
        let change = of_newest.get(&row.series_id).copied().flatten();
        transports.entry(row.into_series()?.transport.slug.to_string()).or_default().push(change);
    }
    let transports = transports.into_iter().map(|(transport, changes)| TransportPower {
        transport,
        case_count: changes.len(),
        detectable_change: median(changes),
    });
    Ok((days, transports.collect()))
}

/// Evenly spaced indices, with the last one.
fn sampled(count: usize, max: usize) -> Vec<usize> {
    let places: BTreeSet<usize> = (1..=max.min(count)).map(|nth| nth * count / max.min(count) - 1).collect();
    places.into_iter().collect()
}

/// The minimum detectable changes of runs, by their number of tests.
#[derive(Default)]
struct Powers(HashMap<usize, Power>);

/// The p50, p90, p99 and shape of a case.
const TESTS: usize = 4;

impl Powers {
    /// Of some cases of a run, by series, from the p50s of their repetitions.
    fn of_cases(&mut self, cases: &[(i64, Vec<i64>)], max: usize) -> BTreeMap<i64, Option<f64>> {
        let tests = TESTS * cases.len();
        let power = self.0.entry(tests).or_insert_with(|| Power::new(&Rule::default(), tests));
        let of_case = |place: usize| {
            let (series_id, times_ns) = &cases[place];
            // Times are not negative.
            let times_ns: Vec<u64> = times_ns.iter().map(|ns| ns.cast_unsigned()).collect();
            (*series_id, power.of_run(&times_ns))
        };
        sampled(cases.len(), max).into_iter().map(of_case).collect()
    }
}

/// The median; a case without a minimum detectable change counts as infinite.
fn median(changes: Vec<Option<f64>>) -> Option<f64> {
    let mut changes: Vec<f64> = changes.into_iter().map(|change| change.unwrap_or(f64::INFINITY)).collect();
    changes.sort_unstable_by(f64::total_cmp);
    changes.get(changes.len().checked_sub(1)? / 2).copied().filter(|change| change.is_finite())
}

/// The days of these runs, oldest first.
fn days(runs: &[HistoryRun]) -> Vec<MachineDay> {
    let mut days: Vec<MachineDay> = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        let (state, because) = state(&runs[..place], run);
        let (day, environment_id) = (run.started_at.date_naive(), run.environment_id);
        match days.last_mut().filter(|last| last.day == day) {
            Some(last) => {
                last.run_count += 1;
                last.environment_id = environment_id;
                if state > last.state {
                    (last.state, last.because) = (state, because);
                }
            }
            None => days.push(MachineDay {
                day,
                run_count: 1,
                state,
                because,
                environment_id,
                detectable_change: None,
            }),
        }
    }
    days
}

/// The state of a run, with the reason, given the runs before it.
fn state(before: &[HistoryRun], run: &HistoryRun) -> (MachineDayState, Option<String>) {
    let newest = usize::try_from(NEWEST_RUNS - 1).unwrap_or_default();
    let window = before[before.len().saturating_sub(newest)..].iter().chain([run]);
    let faults: BTreeSet<i64> = window.filter(|run| run.has_fault).map(|run| run.commit_ordinal).collect();
    let shifted = "results shifted without a code change";
    if run.has_fault && faults.len() >= usize::try_from(FAULTS_MIN).unwrap_or_default() {
        let reason = format!("{shifted} at {} commits (last {NEWEST_RUNS} runs)", faults.len());
        return (MachineDayState::Suspect, Some(reason));
    }
    if run.has_fault {
        return (MachineDayState::Drift, Some(shifted.to_owned()));
    }
    let references = references(before, run);
    let moved = references.iter().filter(|reference| !movement::is_comparable(reference.size()));
    if let Some(most) = moved.max_by(|one, other| one.size().total_cmp(&other.size())) {
        return (MachineDayState::Drift, Some(ReferenceChange::from(most.clone()).to_string()));
    }
    if run.is_switch {
        return (MachineDayState::KnownState, Some("switched between known states".to_owned()));
    }
    match references.is_empty() {
        true => (MachineDayState::Unknown, Some("too few canary readings".to_owned())),
        false => (MachineDayState::Steady, None),
    }
}

/// The canaries of a run relative to the runs before it in its environment.
fn references(before: &[HistoryRun], run: &HistoryRun) -> Vec<Reference> {
    let alike = before.iter().rev().filter(|other| other.environment_id == run.environment_id);
    let alike: Vec<&HistoryRun> = alike.take(BEFORE_MAX).collect();
    let reference = |canary: &roundtrip_wire::Canary| {
        let reading =
            |other: &&HistoryRun| other.canaries.0.iter().find(|other| other.slug == canary.slug)?.p50_ns;
        let mut earlier: Vec<u64> = alike.iter().filter_map(reading).collect();
        earlier.sort_unstable();
        let usual = *earlier.get(earlier.len() / 2).filter(|_| earlier.len() >= BEFORE_MIN)?;
        Reference::of_canary(canary.slug.to_string(), [usual, canary.p50_ns?])
    };
    run.canaries.0.iter().filter_map(reference).collect()
}
