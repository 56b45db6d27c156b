//! The tables behind an answer.

use crate::charts::members;
use crate::units::size;
use roundtrip_stats::shift::Shift;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A table of comparable results.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvidenceTable {
    /// The title.
    pub title: String,
    /// The kind of rows.
    pub rows_are: EvidenceRows,
    /// The columns, without the row's name.
    pub columns: Vec<EvidenceColumn>,
    /// The rows, with one cell per column.
    pub rows: Vec<EvidenceRow>,
}

/// The kind of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceRows {
    /// Sizes of messages.
    MessageBytes,
    /// Transports.
    Transport,
    /// Numbers of senders and receivers.
    Topology,
}

/// A column.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvidenceColumn {
    /// Its name, without the unit.
    pub name: String,
    /// The unit of its values.
    pub unit: EvidenceUnit,
}

/// The unit of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceUnit {
    /// Nanoseconds.
    Ns,
    /// Delivered bytes per second.
    BytesPerSecond,
    /// A ratio.
    Times,
    /// A share: 0 to 1.
    Share,
}

/// A row.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvidenceRow {
    /// Its label.
    pub name: String,
    /// The message size; null in tables with other rows.
    #[schema(required)]
    pub message_bytes: Option<u64>,
    /// In the order of the columns; null if not measured.
    pub cells: Vec<Option<EvidenceCell>>,
}

/// A value with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct EvidenceCell {
    /// In the unit of its column.
    pub value: f64,
    /// The lower end of its 95 % interval; null without one.
    #[schema(required)]
    pub low: Option<f64>,
    /// The upper end of its 95 % interval; null without one.
    #[schema(required)]
    pub high: Option<f64>,
    /// Its series; null if derived from several.
    #[schema(required)]
    pub series_id: Option<i64>,
    /// Its run; null if derived from several.
    #[schema(required)]
    pub run_id: Option<Uuid>,
}

impl EvidenceColumn {
    pub(super) fn new(name: impl Into<String>, unit: EvidenceUnit) -> Self {
        Self { name: name.into(), unit }
    }
}

impl EvidenceRow {
    pub(super) fn of_size(message_bytes: u64, cells: Vec<Option<EvidenceCell>>) -> Self {
        Self { name: size(message_bytes), message_bytes: Some(message_bytes), cells }
    }
}

impl EvidenceCell {
    pub(super) fn from_member(member: &members::Member, value: f64) -> Self {
        let point = &member.point;
        Self { value, low: None, high: None, series_id: Some(point.series_id), run_id: Some(point.run_id) }
    }

    pub(super) fn of_several(value: f64, interval: Option<[f64; 2]>) -> Self {
        let [low, high] = interval.map_or([None; 2], |ends| ends.map(Some));
        Self { value, low, high, series_id: None, run_id: None }
    }

    /// The ratio of the second side's time to the first's, from a shift of logarithms.
    pub(super) fn ratio(shift: Shift) -> Self {
        Self::of_several(shift.estimate.exp(), shift.interval.map(|ends| ends.map(f64::exp)))
    }
}
