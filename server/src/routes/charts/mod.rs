//! Compact data for charts. `docs/reference/charts.md` describes the format.

pub(crate) mod budget;
pub(crate) mod changes;
pub(crate) mod compare;
pub(crate) mod csv;
pub(crate) mod heatmap;
pub(crate) mod line;
pub(crate) mod ridges;
pub(crate) mod sweep;

use super::points::ordinals;
use crate::error::ApiError;
use crate::extract::within;
use roundtrip_storage::point::{Lines, Selection};
use serde::Deserialize;
use utoipa::ToSchema;

/// The maximum number of points per series in a query.
pub(crate) const LAST_MAX: i64 = 10_000;
/// The default number of points per series in a query.
pub(crate) const LAST_DEFAULT: i64 = 1_000;
/// The maximum number of points over all series in a query, because they are held in memory.
pub(crate) const POINTS_OF_ALL_MAX: i64 = 200_000;

/// The runs whose points are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LinesAsked {
    /// Runs of the trend: of the default branch, without pull requests.
    Main,
    /// All runs.
    All,
}

/// The selection of points in a query.
struct PointRange<'a> {
    last: Option<i64>,
    from: Option<i64>,
    to: Option<i64>,
    lines: Option<LinesAsked>,
    branch: Option<&'a str>,
    /// The number of requested series.
    series_count: usize,
}

impl<'a> PointRange<'a> {
    /// # Errors
    /// A parameter is out of range, or conflicts with another one.
    fn selection(&self) -> Result<Selection<'a>, ApiError> {
        let (from_ordinal, to_ordinal) = ordinals(self.from, self.to)?;
        let is_range = self.from.is_some() || self.to.is_some();
        let series_count = i64::try_from(self.series_count).unwrap_or(i64::MAX).max(1);
        let last_max = LAST_MAX.min(POINTS_OF_ALL_MAX / series_count);
        // All points of a range, up to the limit of an answer.
        let last_default = if is_range { last_max } else { LAST_DEFAULT };
        let last = within("last", self.last.unwrap_or(last_default), 1..=LAST_MAX)?;
        if last > last_max {
            let detail =
                format!("{last} points of {series_count} series: expected at most {last_max} of each");
            return Err(ApiError::parameter("last", detail));
        }
        let lines = match (self.branch, self.lines) {
            (None, None | Some(LinesAsked::Main)) => Lines::Main,
            (None, Some(LinesAsked::All)) => Lines::All,
            (Some(branch), None) => Lines::Branch(branch),
            (Some(_), Some(_)) => {
                return Err(ApiError::parameter("lines", "expected either lines or branch, not both"));
            }
        };
        Ok(Selection { from_ordinal, to_ordinal, last, lines })
    }
}
