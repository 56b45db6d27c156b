//! Which commit made a regression: what all of its series say together.

use roundtrip_stats::culprit::{self, Evidence};
use roundtrip_storage as db;
use roundtrip_storage::change_point::Row;
use roundtrip_storage::commit::CommitSummary;
use serde::Serialize;
use sqlx::PgPool;
use std::collections::HashMap;
use utoipa::ToSchema;

/// So many commits are named that the culprit is among them with this probability,
const NAMED: f64 = 0.95;
/// but no more than these.
const NAMED_MAX: usize = 50;

/// A commit that may have made a regression.
#[derive(Debug, Serialize, ToSchema)]
pub struct Culprit {
    /// The commit.
    pub commit: CommitSummary,
    /// How probable it is.
    pub probability: f64,
    /// Whether any run measured it; where not, it shares the probability of the next one that was.
    pub measured: bool,
}

/// The commits that may have made these changes, which have one cause: the most probable first, until the culprit is among
/// them with a probability of 95 %; at most 50.
pub async fn rank(
    pool: &PgPool,
    project_id: i64,
    changes: impl Iterator<Item = &Row>,
) -> sqlx::Result<Vec<Culprit>> {
    // p50 and p99 of one series are measured of the same messages: they are no two witnesses.
    let mut of_series: HashMap<(i64, i64), Evidence> = HashMap::new();
    for change in changes {
        let track = change.found.track;
        let places = change.found.places.clone();
        // The place that is before the interval may itself be one, with what is left of the probability.
        let after = places.first().map_or(change.found.after_ordinal, |place| place.0 - 1);
        let testimony = Evidence { after: after.min(change.found.after_ordinal), places };
        of_series.entry((track.series_id, track.environment_id)).or_insert(testimony);
    }
    let testimonies: Vec<Evidence> = of_series.into_values().collect();
    let first = testimonies.iter().map(|testimony| testimony.after).min();
    let last = testimonies.iter().filter_map(|testimony| testimony.places.last().map(|place| place.0)).max();
    let Some((first, last)) = first.zip(last) else { return Ok(Vec::new()) };
    let commits = db::commit::between(pool, project_id, first, last).await?;
    let ordinals: Vec<i64> = commits.iter().map(|(commit, _)| commit.ordinal).collect();
    let mut by_ordinal: HashMap<i64, (CommitSummary, bool)> =
        commits.into_iter().map(|(commit, measured)| (commit.ordinal, (commit, measured))).collect();
    let mut named = 0.0;
    let ranked =
        culprit::rank(&testimonies, &ordinals).into_iter().take(NAMED_MAX).take_while(|(_, probability)| {
            let is_wanted = named < NAMED;
            named += probability;
            is_wanted
        });
    let suspects = ranked.filter_map(|(ordinal, probability)| {
        let (commit, measured) = by_ordinal.remove(&ordinal)?;
        Some(Culprit { commit, probability, measured })
    });
    Ok(suspects.collect())
}
