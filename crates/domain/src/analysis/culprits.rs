//! Ranks the suspect commits of a regression from the evidence of all its series.

use super::AnalysisError;
use super::culprit_search::{self, Search};
use roundtrip_stats::culprit::{self, Evidence};
use roundtrip_storage as db;
use roundtrip_storage::change_point::{ChangeKind, ChangePointRow};
use roundtrip_storage::commit::CommitSummary;
use roundtrip_wire::Explanation;
use serde::Serialize;
use sqlx::PgPool;
use std::collections::HashMap;
use utoipa::ToSchema;

/// Commits are listed until the culprit is among them with this probability,
const NAMED: f64 = 0.95;
/// up to this many.
const NAMED_MAX: usize = 50;

/// A suspect commit of a regression.
#[derive(Debug, Serialize, ToSchema)]
pub struct Culprit {
    /// The commit.
    pub commit: CommitSummary,
    /// Its probability.
    pub probability: f64,
    /// Whether any run measured it; where not, it shares the probability of the next one that was.
    pub measured: bool,
    /// Functions and calls that explain the regression and are on its changed lines, or around them.
    pub names: Vec<String>,
}

/// The commits that may have caused a regression by these changes. If a search in paired jobs knows more, its probabilities count.
/// Among commits of the same probability, those that change most of what the explanation names come first.
///
/// # Errors
/// The database does not answer, or a stored run cannot be compared.
pub async fn of_regression(
    pool: &PgPool,
    project_id: i64,
    regression_id: i64,
    changes: impl Iterator<Item = &ChangePointRow> + Clone,
    explanation: Option<&Explanation>,
) -> Result<Vec<Culprit>, AnalysisError> {
    let jobs = db::job::paired(&mut *pool.acquire().await?, regression_id).await?;
    let searched = match culprit_search::clearest_in_pairs(changes.clone(), &jobs) {
        Some(clearest) if !jobs.is_empty() => Search::of(pool, clearest, &jobs).await?.suspects(),
        _ => None,
    };
    let mut suspects = match searched {
        Some(mut suspects) => {
            suspects.sort_by(|one, other| other.probability.total_cmp(&one.probability));
            let count = named(suspects.iter().map(|suspect| suspect.probability));
            suspects.truncate(count);
            suspects
        }
        None => rank(pool, project_id, changes).await?,
    };
    add_names(&mut suspects, explanation);
    Ok(suspects)
}

fn add_names(culprits: &mut [Culprit], explanation: Option<&Explanation>) {
    for suspect in explanation.into_iter().flat_map(|explanation| &explanation.suspects) {
        let culprit = culprits.iter_mut().find(|culprit| culprit.commit.sha == suspect.sha.as_str());
        if let Some(culprit) = culprit {
            culprit.names.clone_from(&suspect.names);
        }
    }
    culprits.sort_by(|one, other| {
        let by_probability = other.probability.total_cmp(&one.probability);
        by_probability.then(other.names.len().cmp(&one.names.len()))
    });
}

/// How many of the suspects to list, from their probabilities, the largest first.
fn named(probabilities: impl Iterator<Item = f64>) -> usize {
    let mut named = 0.0;
    let is_wanted = |probability: &f64| {
        let is_wanted = named < NAMED;
        named += probability;
        is_wanted
    };
    probabilities.take(NAMED_MAX).take_while(is_wanted).count()
}

/// The commits that may have caused these changes, which share a cause. The most probable come first, until
/// the culprit is included with a probability of 95 %; at most 50. A drift has no culprit and is skipped.
pub async fn rank(
    pool: &PgPool,
    project_id: i64,
    changes: impl Iterator<Item = &ChangePointRow>,
) -> sqlx::Result<Vec<Culprit>> {
    // The p50 and p99 of one series come from the same messages, so they are not independent.
    let mut of_series: HashMap<(i64, i64), Evidence> = HashMap::new();
    for change in changes.filter(|change| change.found.kind != ChangeKind::Drift) {
        let track = change.found.track;
        let places = change.found.places.clone();
        // The commit before the interval may be a culprit too, with the remaining probability.
        let after = places.first().map_or(change.found.after_ordinal, |place| place.0 - 1);
        let item = Evidence { after: after.min(change.found.after_ordinal), places };
        of_series.entry((track.series_id, track.environment_id)).or_insert(item);
    }
    let evidence: Vec<Evidence> = of_series.into_values().collect();
    let first = evidence.iter().map(|item| item.after).min();
    let last = evidence.iter().filter_map(|item| item.places.last().map(|place| place.0)).max();
    let Some((first, last)) = first.zip(last) else { return Ok(Vec::new()) };
    let commits = db::commit::between(pool, project_id, first, last).await?;
    let ordinals: Vec<i64> = commits.iter().map(|(commit, _)| commit.ordinal).collect();
    let mut by_ordinal: HashMap<i64, (CommitSummary, bool)> =
        commits.into_iter().map(|(commit, measured)| (commit.ordinal, (commit, measured))).collect();
    let mut ranked = culprit::rank(&evidence, &ordinals);
    ranked.truncate(named(ranked.iter().map(|(_, probability)| *probability)));
    let suspects = ranked.into_iter().filter_map(|(ordinal, probability)| {
        let (commit, measured) = by_ordinal.remove(&ordinal)?;
        Some(Culprit { commit, probability, measured, names: Vec::new() })
    });
    Ok(suspects.collect())
}
