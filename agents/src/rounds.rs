//! Compares the results of a repository's commands at two commits. In each round, every command runs once for each commit, in
//! random order, until all cases are decided. A case's value of a run is the median of its repetitions.

use crate::build::Limits;
use crate::failure::Failure;
use crate::format::counted;
use crate::revision::Revision;
use crate::settings::Imported;
use crate::stop::StopSignal;
use crate::{import, table};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use roundtrip_bench::harness::ab::Compared;
use roundtrip_stats::shape::{self, Profile};
use roundtrip_stats::verdict::{self, Rule, SequentialComparison};
use roundtrip_wire::CaseResult;
use std::time::{Duration, Instant};

/// The names of both sides, in the order of revisions.
const SIDES: [&str; 2] = ["base", "head"];

/// What to compare.
pub(crate) struct Rounds<'a> {
    pub(crate) commands: &'a [Imported],
    /// The built base and head.
    pub(crate) revisions: [&'a Revision; 2],
    pub(crate) rule: &'a Rule,
    /// The most time, except that the first round ends.
    pub(crate) budget: Option<Duration>,
    /// The timeout of each command.
    pub(crate) timeout: Duration,
}

/// The cases of both sides, and those of one side.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) compared: Vec<Compared>,
    pub(crate) only_base: Vec<CaseResult>,
    pub(crate) only_head: Vec<CaseResult>,
}

/// A case on both sides.
struct Row {
    command: usize,
    /// All repetitions so far.
    sides: [CaseResult; 2],
    pairs: Vec<verdict::Pair>,
    /// About the most pairs that it could have had in the time; known once it is decided.
    pairs_max: Option<usize>,
}

/// The time of a command's rounds.
#[derive(Default)]
struct Spent {
    time: Duration,
    rounds: u32,
}

impl Spent {
    fn mean(&self) -> Duration {
        self.time.checked_div(self.rounds).unwrap_or_default()
    }
}

impl Rounds<'_> {
    pub(crate) fn compare(&self, order_seed: u64, stop: &mut StopSignal) -> crate::Result<Found> {
        let began = Instant::now();
        let mut random = StdRng::seed_from_u64(order_seed);
        let mut spent: Vec<Spent> = self.commands.iter().map(|_| Spent::default()).collect();
        let (mut found, mut rows) = (Found::default(), Vec::new());
        let mut order: Vec<usize> = (0..self.commands.len()).collect();
        order.shuffle(&mut random);
        for command in order {
            let results = self.run(command, &mut random, &mut spent, stop)?;
            found.add(command, results, &mut rows)?;
        }
        rows.sort_by_key(|row| row.command);
        let mut growing = SequentialComparison::new(self.rule.clone(), rows.len());
        let most = self.rule.looks.last().copied().unwrap_or_default();
        for round in 1.. {
            growing.look(&rows.iter().map(|row| &row.pairs[..]).collect::<Vec<_>>());
            let is_decided: Vec<bool> = (0..rows.len()).map(|index| !growing.wants_more(index)).collect();
            let decided = is_decided.iter().filter(|is_decided| **is_decided).count();
            eprintln!("Round {round}: {decided} of {} decided", counted(rows.len(), "case"));
            let mut open: Vec<usize> = rows
                .iter()
                .zip(&is_decided)
                .filter(|(_, is_decided)| !**is_decided)
                .map(|(row, _)| row.command)
                .collect();
            open.dedup();
            let round_time: Duration = open.iter().map(|&command| spent[command].mean()).sum();
            // Without a budget, the time never ends.
            let left = self.budget.map(|budget| budget.saturating_sub(began.elapsed()));
            let rounds = |of: Duration| left.map_or(most, |left| whole(left.div_duration_f64(of)));
            for (row, _) in rows.iter_mut().zip(&is_decided).filter(|(_, is_decided)| **is_decided) {
                let of = if open.contains(&row.command) { Duration::ZERO } else { spent[row.command].mean() };
                let (pairs, more) = (row.pairs.len(), rounds(round_time + of));
                row.pairs_max.get_or_insert(pairs.saturating_add(more).min(most).max(pairs));
            }
            let can_be_decided = (0..rows.len()).any(|index| {
                let needed = growing.next_decision(index);
                needed.is_some_and(|needed| {
                    needed.saturating_sub(rows[index].pairs.len()) <= rounds(round_time)
                })
            });
            if !can_be_decided {
                break;
            }
            open.shuffle(&mut random);
            for command in open {
                let results = self.run(command, &mut random, &mut spent, stop)?;
                for row in rows.iter_mut().filter(|row| row.command == command) {
                    row.add(&results, &self.commands[command])?;
                }
            }
        }
        for (index, row) in rows.iter().enumerate() {
            if growing.wants_more(index) {
                growing.stop(index, row.pairs.len());
            }
        }
        let compared = rows.into_iter().zip(growing.rows()).map(|(row, known)| {
            let [base, head] = row.sides;
            let pairs_max = row.pairs_max.unwrap_or(row.pairs.len());
            // The time of a command is that of all its cases.
            Compared { base, head, pairs: row.pairs, row: *known, pairs_max, machine_time: Duration::ZERO }
        });
        found.compared = compared.collect();
        if let Some(first) = found.compared.first_mut() {
            first.machine_time = spent.iter().map(|spent| spent.time).sum();
        }
        Ok(found)
    }

    /// Runs a command for base and head, in random order.
    fn run(
        &self,
        command: usize,
        random: &mut StdRng,
        spent: &mut [Spent],
        stop: &mut StopSignal,
    ) -> crate::Result<[Vec<CaseResult>; 2]> {
        let began = Instant::now();
        let mut results = [Vec::new(), Vec::new()];
        let mut sides = [0, 1];
        sides.shuffle(random);
        for side in sides {
            results[side] = self.run_side(command, side, stop)?;
        }
        spent[command].time += began.elapsed();
        spent[command].rounds += 1;
        Ok(results)
    }

    fn run_side(&self, command: usize, side: usize, stop: &mut StopSignal) -> crate::Result<Vec<CaseResult>> {
        let (imported, revision) = (&self.commands[command], self.revisions[side]);
        let failed = |failure: Failure| {
            Failure::Other(format!("{} (commit {}): {failure}", SIDES[side], revision.commit.short()))
        };
        if let Some(file) = &imported.file {
            // The results of an earlier round must not count again.
            let _ = std::fs::remove_file(revision.path().join(file));
        }
        let mut limits = Limits { timeout: self.timeout, stop };
        let (name, bytes) = import::results(imported, revision.path(), &mut limits).map_err(failed)?;
        import::cases(&name, &bytes, imported.format).map_err(failed)
    }
}

impl Found {
    /// Sorts the results of a command's first round.
    fn add(
        &mut self,
        command: usize,
        results: [Vec<CaseResult>; 2],
        rows: &mut Vec<Row>,
    ) -> crate::Result<()> {
        let [base, mut head] = results;
        for base in base {
            let Some(place) = head.iter().position(|head| is_same_case(&base, head)) else {
                self.only_base.push(base);
                continue;
            };
            let sides = [base, head.remove(place)];
            let pairs = vec![pair(&sides)?];
            rows.push(Row { command, sides, pairs, pairs_max: None });
        }
        self.only_head.extend(head);
        Ok(())
    }
}

impl Row {
    /// Adds the results of another round.
    fn add(&mut self, results: &[Vec<CaseResult>; 2], command: &Imported) -> crate::Result<()> {
        let find = |side: usize| {
            let one = results[side].iter().find(|result| is_same_case(result, &self.sides[side]));
            one.cloned().ok_or_else(|| {
                let (case, side, command) = (table::describe(&self.sides[side]), SIDES[side], &command.run);
                Failure::Other(format!(
                    "{side}: `{command}` did not report {case} again. It must report the same cases."
                ))
            })
        };
        let newest = [find(0)?, find(1)?];
        self.pairs.push(pair(&newest)?);
        for (side, newest) in self.sides.iter_mut().zip(newest) {
            side.repetitions.extend(newest.repetitions);
        }
        Ok(())
    }
}

fn is_same_case(one: &CaseResult, other: &CaseResult) -> bool {
    one.transport.slug == other.transport.slug && one.case == other.case
}

/// The pair of a round.
fn pair([base, head]: &[CaseResult; 2]) -> crate::Result<verdict::Pair> {
    Ok(verdict::Pair::new([&profile(base)?, &profile(head)?], None))
}

/// The median of each quantile over the repetitions.
fn profile(result: &CaseResult) -> crate::Result<Profile> {
    let profiles =
        result.repetitions.iter().map(|repetition| Ok(shape::profile(&table::decode(repetition)?)));
    let profiles = profiles.collect::<crate::Result<Vec<Profile>>>()?;
    let median = |quantile: usize| {
        let mut values: Vec<f64> = profiles.iter().map(|profile| profile[quantile]).collect();
        values.sort_by(f64::total_cmp);
        let (below, above) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
        f64::midpoint(below, above)
    };
    if profiles.is_empty() {
        return Err(Failure::Other(format!("{} has no times", table::describe(result))));
    }
    Ok(std::array::from_fn(median))
}

/// A number of rounds, rounded down.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is not negative")]
fn whole(rounds: f64) -> usize {
    rounds as usize
}
