//! The figures that an answer rests on, as tables.

use crate::charts::members;
use crate::units::size;
use roundtrip_stats::shift::Shift;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// Figures that were measured alike.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvidenceTable {
    /// What they are of.
    pub title: String,
    /// What a row is.
    pub rows_are: EvidenceRows,
    /// The columns, besides the name of the row.
    pub columns: Vec<EvidenceColumn>,
    /// The rows, each with one cell a column.
    pub rows: Vec<EvidenceRow>,
}

/// What rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceRows {
    /// Sizes of messages.
    MessageBytes,
    /// Transports.
    Transport,
    /// Who sends to whom.
    Topology,
}

/// A column.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvidenceColumn {
    /// What it is, without its unit.
    pub name: String,
    /// Of its figures.
    pub unit: EvidenceUnit,
}

/// What figures are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceUnit {
    /// Nanoseconds.
    Ns,
    /// Bytes that arrived in a second.
    BytesPerSecond,
    /// How many times as fast, or as long.
    Times,
    /// A part of all: 0 to 1.
    Share,
}

/// A row.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvidenceRow {
    /// What it is called.
    pub name: String,
    /// The size that it is of; null where it is of something else.
    #[schema(required)]
    pub message_bytes: Option<u64>,
    /// In the order of the columns; null where nothing was measured.
    pub cells: Vec<Option<EvidenceCell>>,
}

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct EvidenceCell {
    /// In the unit of its column.
    pub value: f64,
    /// The lower end of its 95 % interval; null where there is none.
    #[schema(required)]
    pub low: Option<f64>,
    /// The upper end of it.
    #[schema(required)]
    pub high: Option<f64>,
    /// The series that it is of; null where it is of several.
    #[schema(required)]
    pub series_id: Option<i64>,
    /// The run that it is of; null where it is of several.
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
    pub(super) fn of(member: &members::Member, value: f64) -> Self {
        let point = &member.point;
        Self { value, low: None, high: None, series_id: Some(point.series_id), run_id: Some(point.run_id) }
    }

    pub(super) fn of_several(value: f64, interval: Option<[f64; 2]>) -> Self {
        let [low, high] = interval.map_or([None; 2], |ends| ends.map(Some));
        Self { value, low, high, series_id: None, run_id: None }
    }

    /// How many times as long the second of two sides takes: their shift is one of logarithms.
    pub(super) fn ratio(shift: Shift) -> Self {
        Self::of_several(shift.estimate.exp(), shift.interval.map(|ends| ends.map(f64::exp)))
    }
}
