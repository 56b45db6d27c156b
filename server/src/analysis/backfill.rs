//! Asks for the commits that would tell which one made a regression. Each run that comes says better where the change is, and
//! then what is still open is asked for.

use crate::db::change_point::{self, Row};
use crate::db::job::{self, Reason};
use crate::db::regression::grouping;
use crate::routes::charts::changes::Direction;
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

/// Up to so many commits are all measured; of more, some that halve them.
const ALL_MAX: usize = 8;
/// Into how many parts they are cut at once.
const PARTS: usize = 4;

/// Asks for commits of the ranges of these regressions, on the machine that shows each most clearly.
pub(super) async fn request(
    connection: &mut PgConnection,
    regression_ids: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    for &regression_id in regression_ids {
        let Some(range) = grouping::open_range(connection, regression_id).await? else {
            job::give_up(connection, regression_id).await?;
            continue;
        };
        let changes = change_point::of_regression(connection, regression_id).await?;
        let slower =
            changes.iter().filter(|change| Direction::of(change.found.change()) == Direction::Regressed);
        let Some(clearest) = slower.max_by(|one, other| clearness(one).total_cmp(&clearness(other))) else {
            continue;
        };
        let place = (clearest.project_id, clearest.machine_id);
        let unmeasured = job::unmeasured(connection, place, range).await?;
        let (wanted, reason) = wanted(&unmeasured);
        job::request(connection, place, &wanted, reason, regression_id, now).await?;
    }
    Ok(())
}

/// How surely a change is at the place where it is said to be; of equals, the larger.
fn clearness(change: &Row) -> f64 {
    let surest = change.found.places.iter().map(|(_, probability)| *probability).fold(0.0, f64::max);
    surest + change.found.change().abs().min(1.0) / 1_000.0
}

/// Which of these commits, given in their order, are to be measured next.
fn wanted(unmeasured: &[i64]) -> (Vec<i64>, Reason) {
    if unmeasured.len() <= ALL_MAX {
        return (unmeasured.to_vec(), Reason::Backfill);
    }
    let ends = (1..PARTS).map(|part| unmeasured[part * unmeasured.len() / PARTS]);
    (ends.collect(), Reason::Bisect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_commits_are_all_measured_and_of_many_those_that_quarter_them() {
        assert_eq!(wanted(&[]), (vec![], Reason::Backfill));
        assert_eq!(wanted(&[1, 2, 3, 4, 5, 6, 7, 8]), (vec![1, 2, 3, 4, 5, 6, 7, 8], Reason::Backfill));
        let many: Vec<i64> = (0..100).collect();
        assert_eq!(wanted(&many), (vec![25, 50, 75], Reason::Bisect));
    }
}
