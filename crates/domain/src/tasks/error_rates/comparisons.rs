//! Error rates of comparisons: counts by class and machine, from the repetitions of stored runs.

use super::{ErrorRateTask, stored};
use crate::tasks::TaskError;
use roundtrip_stats::error_rate::halves::{self, CaseResult, STEPS};
use roundtrip_stats::verdict::Rule;
use roundtrip_storage::error_rate::{self, Class, MachineCounts};
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// Newest runs of a machine to read,
const RUNS_MAX: i64 = 200;
/// up to this many cases, at 0.3 ms each.
const CASES_MAX: usize = 20_000;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cases {
    /// Cases compared with themselves.
    pub(super) decided: u64,
    /// Cases reported as changed.
    pub(super) false_changes: u64,
    /// Cases reported as slower, for each slowdown in [`STEPS`].
    pub(super) found: [u64; STEPS.len()],
    /// Cases with too few repetitions.
    pub(super) untested: u64,
}

impl Cases {
    fn add(&mut self, outcome: Option<CaseResult>) {
        let Some(outcome) = outcome else {
            self.untested += 1;
            return;
        };
        self.decided += 1;
        self.false_changes += u64::from(outcome.is_false);
        for (count, is_found) in self.found.iter_mut().zip(outcome.is_found) {
            *count += u64::from(is_found);
        }
    }
}

impl ErrorRateTask<'_> {
    /// Counts a machine and its classes; `None` after a stop signal.
    pub(super) async fn comparisons(
        &self,
        project_id: i64,
        machine_id: i64,
        series: &[(i64, Class)],
    ) -> Result<Option<(MachineCounts, BTreeMap<Class, Cases>)>, TaskError> {
        let class_of: HashMap<i64, &Class> =
            series.iter().map(|(series_id, class)| (*series_id, class)).collect();
        let mut machine = MachineCounts::default();
        let mut classes: BTreeMap<Class, Cases> = BTreeMap::new();
        let mut case_count = 0;
        for run in error_rate::newest_runs(self.pool, project_id, machine_id, RUNS_MAX).await? {
            if case_count >= CASES_MAX {
                break;
            }
            if !self.goes_on().await? {
                return Ok(None);
            }
            let repetitions = error_rate::repetitions(self.pool, run).await?;
            case_count += repetitions.len();
            let (series_ids, times): (Vec<i64>, Vec<Vec<i64>>) = repetitions.into_iter().unzip();
            let outcome = tokio::task::spawn_blocking(move || compare(&times, run.run_id)).await?;
            if outcome.iter().any(Option::is_some) {
                machine.comparison_count += 1;
                machine.false_comparison_count +=
                    stored(outcome.iter().flatten().any(|outcome| outcome.is_false).into());
            }
            for (series_id, outcome) in series_ids.iter().zip(outcome) {
                if let Some(&class) = class_of.get(series_id) {
                    classes.entry(class.clone()).or_default().add(outcome);
                }
            }
        }
        Ok(Some((machine, classes)))
    }
}

/// Compares a run with itself, always with the same halves.
fn compare(times: &[Vec<i64>], run_id: Uuid) -> Vec<Option<CaseResult>> {
    // Times are not negative.
    let unsigned = |times: &Vec<i64>| times.iter().map(|ns| ns.cast_unsigned()).collect::<Vec<_>>();
    let times: Vec<Vec<u64>> = times.iter().map(unsigned).collect();
    let cases: Vec<&[u64]> = times.iter().map(Vec::as_slice).collect();
    let (_, seed) = run_id.as_u64_pair();
    halves::compare(&Rule::default(), &cases, seed)
}
