//! Of comparisons: from the repetitions of stored runs to counts of each class and of the machine.

use super::{Errand, stored};
use crate::tasks::TaskError;
use roundtrip_stats::error_rate::halves::{self, CaseResult, STEPS};
use roundtrip_stats::verdict::Rule;
use roundtrip_storage::error_rate::{self, Class, MachineCounts};
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// Runs of a machine, the newest,
const RUNS_MAX: i64 = 200;
/// until they have so many cases: of 0.3 ms each.
const CASES_MAX: usize = 20_000;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cases {
    /// Cases that were compared with themselves.
    pub(super) told: u64,
    /// Those said to have changed.
    pub(super) told_falsely: u64,
    /// Those said to be slower when they were made slower by each of [`STEPS`].
    pub(super) found: [u64; STEPS.len()],
    /// Cases with too few repetitions.
    pub(super) untold: u64,
}

impl Cases {
    fn add(&mut self, told: Option<CaseResult>) {
        let Some(told) = told else {
            self.untold += 1;
            return;
        };
        self.told += 1;
        self.told_falsely += u64::from(told.is_false);
        for (count, is_found) in self.found.iter_mut().zip(told.is_found) {
            *count += u64::from(is_found);
        }
    }
}

impl Errand<'_> {
    /// Counts a machine and its classes; nothing when somebody asks to stop.
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
            let told = tokio::task::spawn_blocking(move || compare(&times, run.run_id)).await?;
            if told.iter().any(Option::is_some) {
                machine.comparison_count += 1;
                machine.false_comparison_count +=
                    stored(told.iter().flatten().any(|told| told.is_false).into());
            }
            for (series_id, told) in series_ids.iter().zip(told) {
                if let Some(&class) = class_of.get(series_id) {
                    classes.entry(class.clone()).or_default().add(told);
                }
            }
        }
        Ok(Some((machine, classes)))
    }
}

/// Compares a run with itself: the same halves whenever it is asked for.
fn compare(times: &[Vec<i64>], run_id: Uuid) -> Vec<Option<CaseResult>> {
    // Times are not negative.
    let unsigned = |times: &Vec<i64>| times.iter().map(|ns| ns.cast_unsigned()).collect::<Vec<_>>();
    let times: Vec<Vec<u64>> = times.iter().map(unsigned).collect();
    let cases: Vec<&[u64]> = times.iter().map(Vec::as_slice).collect();
    let (_, seed) = run_id.as_u64_pair();
    halves::compare(&Rule::default(), &cases, seed)
}
