//! Requests jobs for the commits that would identify a regression's culprit. Each new run narrows the range,
//! and the remaining commits are requested again. Where commits can be compared in pairs, `culprit_search` names the next one.

use super::culprit_search::{self, Step};
use super::{AnalysisError, Direction, culprits};
use chrono::{DateTime, Utc};
use roundtrip_storage::change_point::{self, ChangePointRow};
use roundtrip_storage::job::{
    self,
    request::{self, Reason, Target, Wanted},
};
use roundtrip_storage::regression::grouping::{self, OpenRange};
use sqlx::{PgConnection, PgPool};

/// Up to this many commits are all measured. In a larger range, some commits divide it.
const ALL_MAX: usize = 8;
/// The number of parts that a range is divided into at a time.
const PARTS: usize = 4;
/// If all commits are measured and the most probable culprit is less probable than this,
const SURE: f64 = 0.9;
/// the candidates are measured again, up to this many runs each.
const RUNS_MAX: i64 = 3;

/// Requests jobs for the commit ranges of regressions, on the machine that shows each most clearly: paired ones if possible. The
/// caller holds the lock of their project.
pub(super) async fn request(
    pool: &PgPool,
    connection: &mut PgConnection,
    regression_ids: &[i64],
    now: DateTime<Utc>,
) -> Result<(), AnalysisError> {
    for &regression_id in regression_ids {
        let Some(range) = grouping::open_range(connection, regression_id).await? else {
            request::give_up(connection, regression_id, now).await?;
            continue;
        };
        let mut changes = change_point::of_regressions(&mut *connection, &[regression_id]).await?;
        changes.retain(|change| change.direction() == Direction::Regressed);
        if request_pairs(pool, connection, &changes, regression_id, &range, now).await? {
            continue;
        }
        let Some(clearest) = culprit_search::clearest(changes.iter()) else { continue };
        let (commits, reason) = unpaired(pool, connection, clearest, &changes, &range).await?;
        let target = Target::Machine(clearest.machine_id);
        let wanted = Wanted { regression_id: Some(regression_id), ..Wanted::commits(reason, &commits) };
        request::request(connection, clearest.project_id, target, &wanted, now).await?;
    }
    Ok(())
}

/// Requests the paired job that the search for the cause of these changes needs next. False if commits cannot be compared in pairs.
async fn request_pairs(
    pool: &PgPool,
    connection: &mut PgConnection,
    changes: &[ChangePointRow],
    regression_id: i64,
    range: &OpenRange,
    now: DateTime<Utc>,
) -> Result<bool, AnalysisError> {
    loop {
        let jobs = job::paired(connection, regression_id).await?;
        let Some(clearest) = culprit_search::clearest_in_pairs(changes.iter(), &jobs) else {
            return Ok(false);
        };
        let (step, preset) = culprit_search::next(pool, connection, clearest, &jobs, range).await?;
        let [commit_sha, base_sha] = match step {
            Step::Impossible => return Ok(false),
            Step::Wait => return Ok(true),
            Step::End(culprit) => {
                grouping::set_culprit(connection, regression_id, culprit.as_deref(), now).await?;
                return Ok(true);
            }
            Step::Compare(sides) => sides,
        };
        let ChangePointRow { project_id, machine_id, .. } = *clearest;
        let wanted = Wanted {
            regression_id: Some(regression_id),
            series_id: Some(clearest.found.track.series_id),
            preset: preset.as_deref(),
            base_sha: Some(&base_sha),
            ..Wanted::commits(Reason::Bisect, std::slice::from_ref(&commit_sha))
        };
        let newest = jobs.last().map_or(0, |job| job.job_id);
        if !request::adopt(connection, project_id, machine_id, &wanted, newest).await? {
            request::request(connection, project_id, Target::Machine(machine_id), &wanted, now).await?;
            return Ok(true);
        }
    }
}

/// Continues the searches of regressions whose paired jobs have ended.
pub(super) async fn continue_searches(pool: &PgPool) -> Result<(), AnalysisError> {
    for (regression_id, project_id) in grouping::with_results(pool).await? {
        let mut transaction = pool.begin().await?;
        grouping::lock(&mut transaction, project_id).await?;
        // Another server may have continued it.
        if grouping::use_results(&mut transaction, regression_id).await? {
            request(pool, &mut transaction, &[regression_id], Utc::now()).await?;
            transaction.commit().await?;
        }
    }
    Ok(())
}

/// The commits to measure without pairs.
async fn unpaired(
    pool: &PgPool,
    connection: &mut PgConnection,
    clearest: &ChangePointRow,
    changes: &[ChangePointRow],
    range: &OpenRange,
) -> sqlx::Result<(Vec<String>, Reason)> {
    let place = (clearest.project_id, clearest.machine_id);
    let ordinals = (range.after_ordinal, range.until_ordinal);
    let unmeasured = request::unmeasured(connection, place, ordinals).await?;
    if !unmeasured.is_empty() {
        return Ok(next_commits(&unmeasured));
    }
    let suspects = suspect_ordinals(pool, clearest.project_id, changes).await?;
    Ok((request::undermeasured(connection, place, &suspects, RUNS_MAX).await?, Reason::Repeat))
}

/// The ordinals of the commits that may have caused these changes, if the results do not identify one.
async fn suspect_ordinals(
    pool: &PgPool,
    project_id: i64,
    changes: &[ChangePointRow],
) -> sqlx::Result<Vec<i64>> {
    let suspects = culprits::rank(pool, project_id, changes.iter()).await?;
    let is_sure = suspects.first().is_none_or(|first| first.probability >= SURE);
    let most_probable = suspects.iter().take(if is_sure { 0 } else { ALL_MAX });
    Ok(most_probable.map(|suspect| suspect.commit.ordinal).collect())
}

/// The commits to measure next, from a list in commit order.
fn next_commits(unmeasured: &[String]) -> (Vec<String>, Reason) {
    if unmeasured.len() <= ALL_MAX {
        return (unmeasured.to_vec(), Reason::Backfill);
    }
    let ends = (1..PARTS).map(|part| unmeasured[part * unmeasured.len() / PARTS].clone());
    (ends.collect(), Reason::Bisect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_all_of_few_commits_and_quarters_many() {
        assert_eq!(next_commits(&[]), (vec![], Reason::Backfill));
        let named = |numbers: &[i64]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>();
        let few = named(&[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(next_commits(&few), (few.clone(), Reason::Backfill));
        let many: Vec<i64> = (0..100).collect();
        assert_eq!(next_commits(&named(&many)), (named(&[25, 50, 75]), Reason::Bisect));
    }
}
