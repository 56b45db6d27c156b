//! The results of each side of a comparison, and their pairing.

use super::kind::PairKind;
use super::moved::{self, MachineMovement};
use super::{ComparisonPair, MeasuredSide, QuantileChange, RepetitionFigures, ShapeChange, Verdict};
use crate::charts::members::UsualQuantiles;
use crate::error::DomainError;
use crate::ingest::stored_upload::{self, ComparedRepetition};
use crate::track::{self, Points};
use chrono::{DateTime, Utc};
use roundtrip_stats::comparison::{self, Case, Compared};
use roundtrip_stats::shape::Profile;
use roundtrip_stats::verdict::{Pair, Rule};
use roundtrip_storage as db;
use roundtrip_storage::change_point::{Figure, Track};
use roundtrip_storage::chart::{Columns, MeasuredRow};
use roundtrip_storage::comparison::{MachineRow, SideRow, SurroundingsRow};
use roundtrip_storage::point::RepetitionQuartiles;
use roundtrip_storage::point::{Lines, Selection, SeriesKey};
use roundtrip_storage::run::Location;
use roundtrip_storage::series::Series;
use roundtrip_storage::series::search::{self, Filter};
use roundtrip_wire::comparable::{self, Difference, Measured, Surroundings};
use roundtrip_wire::movement::Movement;
use roundtrip_wire::{Better, Canary, Machine, Slug};
use sqlx::PgPool;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use uuid::Uuid;

pub(super) struct Outcome {
    key: SeriesKey,
    series: Series,
    point: MeasuredRow,
    times_ns: Vec<u64>,
    /// One per repetition; none if the upload was deleted.
    profiles: Option<Vec<Profile>>,
    /// Of the same repetitions.
    numbers: Vec<Number>,
    /// The difference of each earlier run from the one before it.
    effects: Vec<f64>,
    run: Arc<Run>,
}

/// The number of a repetition in its measurement, and the logarithm of its time over the other side's, if both
/// alternated.
#[derive(Clone, Copy)]
struct Number {
    index: u32,
    log_ratio_ppb: Option<i64>,
}

struct Run {
    machine: Machine,
    build: Slug,
    stable: BTreeMap<String, String>,
    canaries: Vec<Canary>,
    measurement: Option<Measurement>,
    /// The number of its results, with those that have no repetitions; 0 if the upload was deleted.
    case_count: usize,
}

/// One measurement of a job. It has two runs if it alternated base and head.
#[derive(Debug, PartialEq)]
struct Measurement {
    job_id: i64,
    order_seed: String,
    started_at: DateTime<Utc>,
}

pub(super) async fn outcomes(
    pool: &PgPool,
    project_id: i64,
    side: &SideRow,
    machine: Option<&Slug>,
) -> Result<Vec<Outcome>, DomainError> {
    let mut outcomes = Vec::new();
    for row in db::comparison::machines(pool, side.commit_id, side.run_id).await? {
        if machine.is_some_and(|machine| machine.as_str() != row.slug) {
            continue;
        }
        let filter = Filter { machine: vec![row.slug.clone()], ..Filter::default() };
        let series = search::all(pool, project_id, &filter).await?;
        let series_ids: Vec<i64> = series.iter().map(|series| series.series_id).collect();
        let commit = (side.commit_id, side.commit.ordinal);
        let points = db::chart::of_commit(pool, row.machine_id, &series_ids, commit, side.run_id).await?;
        let mut uploads = Uploads::read(pool, row.machine_id, side.commit.ordinal, &points).await?;
        let runs = runs(pool, &row, &points, &uploads.case_counts).await?;
        let mut points: HashMap<i64, MeasuredRow> =
            points.into_iter().map(|point| (point.series_id, point)).collect();
        for series in series {
            let Some(point) = points.remove(&series.series_id) else { continue };
            // If a run was deleted meanwhile, so were its results.
            let Some(run) = runs.get(&point.run_id).cloned() else { continue };
            // Times are not negative.
            let times_ns: Vec<u64> = point.repetition_p50_ns.iter().map(|ns| ns.cast_unsigned()).collect();
            let repetitions = uploads.repetitions.remove(&(point.run_id, point.series_id));
            let repetitions = repetitions.filter(|repetitions| repetitions.len() == times_ns.len());
            let number =
                |&ComparedRepetition { index, log_ratio_ppb, .. }: &_| Number { index, log_ratio_ppb };
            let numbers = repetitions.iter().flatten().map(number).collect();
            let profile = |repetition: ComparedRepetition| repetition.profile;
            let profiles = repetitions.map(|repetitions| repetitions.into_iter().map(profile).collect());
            let (key, series) = (series.key(), series.into_series()?);
            outcomes.push(Outcome {
                key,
                series,
                point,
                times_ns,
                profiles,
                numbers,
                effects: Vec::new(),
                run,
            });
        }
    }
    Ok(outcomes)
}

/// The number of newest runs that determine a case's variation between runs.
const RUNS: i64 = 21;

/// Computes each case's variation between runs, up to a commit and in its environment. The measure is robust,
/// so one change among them has little effect.
pub(super) async fn learn(
    pool: &PgPool,
    outcomes: &mut [Outcome],
    to_ordinal: i64,
) -> Result<(), DomainError> {
    let keys: Vec<SeriesKey> = outcomes.iter().map(|outcome| outcome.key).collect();
    let selection = Selection { from_ordinal: 0, to_ordinal, last: RUNS, lines: Lines::Main };
    let lines =
        db::chart::lines(pool, &keys, &selection, Columns { repetitions: true, ..Columns::default() })
            .await?;
    let mut tracks: HashMap<Track, Points> = lines.iter().flat_map(|line| track::runs(&[line])).collect();
    for outcome in outcomes {
        let MeasuredRow { series_id, environment_id, .. } = outcome.point;
        let points = tracks.remove(&Track { series_id, environment_id, figure: Figure::P50 });
        outcome.effects = points.map_or_else(Vec::new, |points| points.effects());
    }
    Ok(())
}

async fn runs(
    pool: &PgPool,
    machine: &MachineRow,
    points: &[MeasuredRow],
    case_counts: &HashMap<Uuid, usize>,
) -> Result<HashMap<Uuid, Arc<Run>>, DomainError> {
    let slug = |text: &str| Slug::parse(text).map_err(DomainError::internal);
    let machine = Machine { slug: slug(&machine.slug)?, os: slug(&machine.os)?, arch: slug(&machine.arch)? };
    let run_ids: BTreeSet<Uuid> = points.iter().map(|point| point.run_id).collect();
    let rows = db::comparison::surroundings(pool, &run_ids.into_iter().collect::<Vec<_>>()).await?;
    let run = |row: SurroundingsRow| {
        let SurroundingsRow { run_id, build, stable, canaries, job_id, order_seed, started_at } = row;
        let measurement = job_id.map(|job_id| Measurement { job_id, order_seed, started_at });
        let run = Run {
            machine: machine.clone(),
            build: slug(&build)?,
            stable: stable.0,
            canaries: canaries.0,
            measurement,
            case_count: case_counts.get(&run_id).copied().unwrap_or_default(),
        };
        Ok((run_id, Arc::new(run)))
    };
    rows.into_iter().map(run).collect()
}

/// The uploads with points of one machine, where they still exist.
struct Uploads {
    /// By run and series.
    repetitions: HashMap<(Uuid, i64), Vec<ComparedRepetition>>,
    /// The number of results, by run.
    case_counts: HashMap<Uuid, usize>,
}

impl Uploads {
    async fn read(
        pool: &PgPool,
        machine_id: i64,
        commit_ordinal: i64,
        points: &[MeasuredRow],
    ) -> Result<Self, DomainError> {
        let run_ids: BTreeSet<Uuid> = points.iter().map(|point| point.run_id).collect();
        let mut uploads = Self { repetitions: HashMap::new(), case_counts: HashMap::new() };
        for run_id in run_ids {
            let run = Location { run_id, machine_id, commit_ordinal };
            let Some(results) = stored_upload::compared_repetitions(pool, run).await? else { continue };
            uploads.case_counts.insert(run_id, results.len());
            let outcomes = db::run::outcomes(pool, run).await?;
            let series_ids = outcomes.into_iter().map(|(series_id, _)| (run_id, series_id));
            uploads.repetitions.extend(series_ids.zip(results));
        }
        Ok(uploads)
    }
}

/// Every case of either side with its verdict, and the movement of the machines. Two runs are compared even if measured
/// on different machines, which is then a difference.
pub(super) fn pairs(
    base: &[Outcome],
    head: &[Outcome],
    is_of_runs: bool,
) -> (Vec<ComparisonPair>, Vec<MachineMovement>) {
    let same_series = |one: &Outcome, other: &Outcome| one.point.series_id == other.point.series_id;
    let same_case = |one: &Outcome, other: &Outcome| {
        (is_of_runs || one.series.machine == other.series.machine)
            && one.series.transport.slug == other.series.transport.slug
            && one.series.case == other.series.case
    };
    let same_way = |one: &Outcome, other: &Outcome| {
        same_case(one, other) && one.series.methodology == other.series.methodology
    };
    let sides = comparable::pairs(base, head, &[&same_series, &same_way, &same_case]);
    let differences: Vec<Vec<Difference>> = sides
        .iter()
        .map(|(base, head)| base.zip(*head).map_or_else(Vec::new, |(base, head)| base.differences(head)))
        .collect();
    let rule = Rule::default();
    let comparable: Vec<_> = sides
        .iter()
        .zip(&differences)
        .map(|((base, head), differences)| (*base).zip(*head).filter(|_| differences.is_empty()))
        .collect();
    let machines = moved::machines(&rule, comparable.iter().flatten().copied());
    let moved = |(base, head): (&Outcome, &Outcome)| match machines.get(head.machine()) {
        Some(Some(moved)) if !base.is_paired_with(head) => Some(moved),
        _ => None,
    };
    let rounds = |(base, head): &(Option<&Outcome>, Option<&Outcome>)| (*base)?.rounds((*head)?);
    let rounds: Vec<Option<Vec<_>>> = sides.iter().map(rounds).collect();
    let cases = comparable.iter().zip(&rounds).map(|(sides, rounds)| {
        let sides = (*sides)?;
        let rounds = rounds.as_deref();
        Some(Case { rounds, ..case(sides, moved(sides).map_or(0.0, |moved| moved.movement)) })
    });
    // Cases without a result are compared too: their tests count.
    let others = vec![Some(Case { rounds: Some(&[]), ..Case::default() }); uncompared(&comparable, &rounds)];
    let compared = comparison::compare(&rule, &cases.chain(others).collect::<Vec<_>>());
    let pairs = sides.into_iter().zip(differences).zip(comparable).zip(&rounds).zip(compared);
    let pairs = pairs.filter_map(|(((((base, head), differences), comparable), rounds), compared)| {
        let moved = comparable.and_then(moved).filter(|moved| !moved.comparable);
        let pair = pair(&rule, base, head, differences, compared, moved)?;
        let rounds = rounds.as_ref().filter(|_| pair.p.is_some());
        let log_ratios = rounds.iter().copied().flatten().map(|(_, pair)| pair.p50).collect();
        Some(ComparisonPair { paired: rounds.is_some(), log_ratios, ..pair })
    });
    let pairs = pairs.collect();
    (pairs, machines.into_iter().map(|(machine, moved)| MachineMovement::new(machine, moved)).collect())
}

/// The number of cases that the paired measurements had in addition to these compared pairs: their looks counted the tests of
/// all their cases.
fn uncompared<T>(comparable: &[Option<(&Outcome, &Outcome)>], rounds: &[Option<T>]) -> usize {
    let mut measurements: HashMap<[Uuid; 2], (usize, usize)> = HashMap::new();
    for ((base, head), _) in
        comparable.iter().zip(rounds).filter_map(|(sides, rounds)| (*sides).zip(rounds.as_ref()))
    {
        let case_count = base.run.case_count.max(head.run.case_count);
        measurements.entry([base, head].map(Outcome::run_id)).or_insert((case_count, 0)).1 += 1;
    }
    measurements.into_values().map(|(all, compared)| all.saturating_sub(compared)).sum()
}

/// The data of two outcomes to compare: everything that both have.
fn case<'a>((base, head): (&'a Outcome, &'a Outcome), movement: f64) -> Case<'a> {
    Case {
        p50s_ns: [&base.times_ns, &head.times_ns],
        profiles: profiles_of(base, head),
        rounds: None,
        effects: &base.effects,
        movement,
    }
}

fn profiles_of<'a>(base: &'a Outcome, head: &'a Outcome) -> Option<[&'a [Profile]; 2]> {
    base.profiles.as_deref().zip(head.profiles.as_deref()).map(<[_; 2]>::from)
}

impl Outcome {
    pub(super) fn machine(&self) -> &str {
        self.run.machine.slug.as_str()
    }

    pub(super) fn run_id(&self) -> Uuid {
        self.point.run_id
    }

    pub(super) fn series(&self) -> &Series {
        &self.series
    }

    pub(super) fn times_ns(&self) -> &[u64] {
        &self.times_ns
    }

    pub(super) fn canaries(&self) -> &[Canary] {
        &self.run.canaries
    }

    /// Whether one job measured both alternately.
    pub(super) fn is_paired_with(&self, other: &Self) -> bool {
        self.run.measurement.is_some() && self.run.measurement == other.run.measurement
    }

    /// The pairs of repetitions whose parts alternated, by number. A repetition without the other side's is in no pair, so a
    /// failure moves no later pair. `None` if the sides did not alternate, or if an upload was deleted.
    fn rounds(&self, head: &Self) -> Option<Vec<(u32, Pair)>> {
        if !self.is_paired_with(head) || self.run_id() == head.run_id() {
            return None;
        }
        let of_base =
            |(number, profile): (&Number, _)| Some((number.index, (number.log_ratio_ppb?, profile)));
        let of_base: HashMap<u32, (i64, &Profile)> =
            self.numbers.iter().zip(self.profiles.as_deref()?).filter_map(of_base).collect();
        let pair = |(number, profile): (&Number, &Profile)| {
            let (of_base_ppb, of_base) = of_base.get(&number.index)?;
            let of_head_ppb = number.log_ratio_ppb.filter(|ppb| ppb.checked_neg() == Some(*of_base_ppb))?;
            Some((number.index, Pair::new([of_base, profile], Some(of_head_ppb))))
        };
        let pairs: Vec<_> = head.numbers.iter().zip(head.profiles.as_deref()?).filter_map(pair).collect();
        (!pairs.is_empty()).then_some(pairs)
    }

    /// The differences that prevent a comparison. `self` is the base.
    fn differences(&self, head: &Self) -> Vec<Difference> {
        let mut differences = comparable::runs(&*self.run, &*head.run);
        differences.extend(comparable::results(self, head));
        differences
    }
}

impl<'a> From<&'a Run> for Surroundings<'a> {
    fn from(Run { machine, build, stable, .. }: &'a Run) -> Self {
        Self { machine, build, stable }
    }
}

impl<'a> From<&'a Outcome> for Measured<'a> {
    fn from(Outcome { series, point, .. }: &'a Outcome) -> Self {
        Self {
            methodology: &series.methodology,
            peers: series.case.peers,
            // Counts are not negative.
            attempted: point.attempted.cast_unsigned(),
            delivered: point.delivered.cast_unsigned(),
            is_lossy: point.lossy,
            is_oversubscribed: point.oversubscribed,
        }
    }
}

fn pair(
    rule: &Rule,
    base: Option<&Outcome>,
    head: Option<&Outcome>,
    differences: Vec<Difference>,
    compared: Option<Compared>,
    moved_too_much: Option<&Movement>,
) -> Option<ComparisonPair> {
    let any = head.or(base)?;
    let compared = match any.series.case.better() {
        Better::Lower => compared,
        Better::Higher => compared.map(Compared::with_higher_better),
    };
    let judged = compared.filter(|_| moved_too_much.is_none());
    let reason = |(name, side): (&str, Option<&Outcome>)| match side {
        None => Some(format!("not in the {name}")),
        Some(side) if side.times_ns.is_empty() => {
            Some(format!("{name}: stored by an old version of the server, without results per repetition"))
        }
        Some(_) => None,
    };
    let machine_changed = moved_too_much.and_then(|moved| moved.references.first());
    let mut pair = ComparisonPair {
        transport: any.series.transport.clone(),
        case: any.series.case.clone(),
        base: base.map(MeasuredSide::from),
        head: head.map(MeasuredSide::from),
        ratio: compared.map(|compared| compared.ratio),
        change: compared.and_then(|compared| compared.change),
        change_interval: compared.and_then(|compared| compared.change_interval),
        p: compared.map(|compared| compared.p),
        p_adjusted: compared.map(|compared| compared.p_adjusted),
        t: compared.and_then(|compared| compared.t),
        stars: compared.map_or("", |compared| compared.stars),
        verdict: judged.map_or(Verdict::NotComparable, |judged| judged.verdict.into()),
        kind: PairKind::NotComparable,
        paired: false,
        log_ratios: Vec::new(),
        least_change: judged.map(|judged| judged.least),
        detectable_change: judged.and_then(|judged| judged.detectable),
        undecided: judged.and_then(|judged| judged.reason).map(|reason| reason.to_string()),
        repetitions_needed: judged.and_then(|judged| judged.reason).and_then(|reason| reason.needed()),
        p90: compared.and_then(|compared| compared.p90).map(QuantileChange::from),
        p99: compared.and_then(|compared| compared.p99).map(QuantileChange::from),
        shape: compared.and_then(|compared| compared.shape).map(|found| {
            let sides = base.zip(head).and_then(|(base, head)| profiles_of(base, head));
            ShapeChange {
                p_adjusted: found.p_adjusted,
                changed: found.verdict.is_some(),
                difference: sides.and_then(|sides| found.difference(sides, rule)),
            }
        }),
        differences,
        reasons: [("base", base), ("head", head)]
            .into_iter()
            .filter_map(reason)
            .chain(machine_changed.map(|most_moved| format!("machine changed: {most_moved}")))
            .collect(),
    };
    pair.kind = PairKind::from_pair(&pair);
    Some(pair)
}

impl From<&Outcome> for MeasuredSide {
    fn from(Outcome { series, point, times_ns, .. }: &Outcome) -> Self {
        Self {
            series_id: point.series_id,
            machine: series.machine.clone(),
            methodology: series.methodology.clone(),
            run_id: point.run_id,
            environment_id: point.environment_id,
            work_tree_modified: point.work_tree_modified,
            lossy: point.lossy,
            latency_ns: UsualQuantiles::from(point),
            repetition_p50_ns: RepetitionQuartiles::from(point),
            bytes_per_second: point.throughput_bytes_per_second,
            interval_ns: comparison::Side::of(times_ns).and_then(|side| side.interval_ns),
            repetitions: RepetitionFigures {
                p50_ns: point.repetition_p50_ns.clone(),
                p90_ns: point.repetition_p90_ns.clone(),
                p99_ns: point.repetition_p99_ns.clone(),
            },
        }
    }
}
