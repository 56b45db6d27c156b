//! [`Quantile`]: the figures of a point that a line can be drawn of.

/// A quantile of all operations of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the columns of table point, described there")]
pub enum Quantile {
    Min,
    P25,
    P50,
    P75,
    P90,
    P98,
    P99,
    P999,
    Max,
}

impl Quantile {
    /// All there are, ascending.
    pub const ALL: [Self; 9] =
        [Self::Min, Self::P25, Self::P50, Self::P75, Self::P90, Self::P98, Self::P99, Self::P999, Self::Max];

    /// Its name in addresses and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::P25 => "p25",
            Self::P50 => "p50",
            Self::P75 => "p75",
            Self::P90 => "p90",
            Self::P98 => "p98",
            Self::P99 => "p99",
            Self::P999 => "p999",
            Self::Max => "max",
        }
    }
}
