//! Asks for the commits that would tell which one made a regression. Each run that comes says better where the change is, and
//! then what is still open is asked for.

use super::culprits;
use chrono::{DateTime, Utc};
use roundtrip_storage::change_point::{self, Row};
use roundtrip_storage::job::request::{self, Reason, Target, Wanted};
use roundtrip_storage::regression::grouping;
use sqlx::{PgConnection, PgPool};

/// Up to so many commits are all measured; of more, some that halve them.
const ALL_MAX: usize = 8;
/// Into how many parts they are cut at once.
const PARTS: usize = 4;
/// Where all are measured, and the most probable culprit is less probable than this,
const SURE: f64 = 0.9;
/// those that may be it are measured again, until there are so many runs of each.
const RUNS_MAX: i64 = 3;

/// Asks for commits of the ranges of these regressions, on the machine that shows each most clearly.
pub(super) async fn request(
    pool: &PgPool,
    connection: &mut PgConnection,
    regression_ids: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    for &regression_id in regression_ids {
        let Some(range) = grouping::open_range(connection, regression_id).await? else {
            request::give_up(connection, regression_id, now).await?;
            continue;
        };
        let mut changes = change_point::of_regressions(&mut *connection, &[regression_id]).await?;
        changes.retain(|change| change.found.is_up());
        let clearest = changes.iter().max_by(|one, other| clearness(one).total_cmp(&clearness(other)));
        let Some(clearest) = clearest else { continue };
        let place = (clearest.project_id, clearest.machine_id);
        let unmeasured = request::unmeasured(connection, place, range).await?;
        let (wanted, reason) = if unmeasured.is_empty() {
            let doubtful = doubtful(pool, clearest.project_id, &changes).await?;
            (request::seldom_measured(connection, place, &doubtful, RUNS_MAX).await?, Reason::Repeat)
        } else {
            wanted(&unmeasured)
        };
        let target = Target::Machine(clearest.machine_id);
        let wanted = Wanted { regression_id: Some(regression_id), ..Wanted::commits(reason, &wanted) };
        request::request(connection, clearest.project_id, target, &wanted, now).await?;
    }
    Ok(())
}

/// How surely a change is at the place where it is said to be; of equals, the larger.
fn clearness(change: &Row) -> f64 {
    let surest = change.found.places.iter().map(|(_, probability)| *probability).fold(0.0, f64::max);
    surest + change.found.change().abs().min(1.0) / 1_000.0
}

/// The places of the commits that may have made these changes, when what was measured of them does not tell which did.
async fn doubtful(pool: &PgPool, project_id: i64, changes: &[Row]) -> sqlx::Result<Vec<i64>> {
    let suspects = culprits::rank(pool, project_id, changes.iter()).await?;
    let is_sure = suspects.first().is_none_or(|first| first.probability >= SURE);
    let most_probable = suspects.iter().take(if is_sure { 0 } else { ALL_MAX });
    Ok(most_probable.map(|suspect| suspect.commit.ordinal).collect())
}

/// Which of these commits, given in their order, are to be measured next.
fn wanted(unmeasured: &[String]) -> (Vec<String>, Reason) {
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
    fn few_commits_are_all_measured_and_of_many_those_that_quarter_them() {
        assert_eq!(wanted(&[]), (vec![], Reason::Backfill));
        let named = |numbers: &[i64]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>();
        let few = named(&[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(wanted(&few), (few.clone(), Reason::Backfill));
        let many: Vec<i64> = (0..100).collect();
        assert_eq!(wanted(&named(&many)), (named(&[25, 50, 75]), Reason::Bisect));
    }
}
