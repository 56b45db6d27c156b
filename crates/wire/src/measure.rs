//! [`Measure`]: a quantity other than the time of an operation, such as a throughput or allocated bytes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The longest name of a measure, in characters.
pub const NAME_CHARACTERS_MAX: usize = 100;
/// The longest unit, in characters.
pub const UNIT_CHARACTERS_MAX: usize = 40;

/// A quantity other than the time of an operation. Part of a case, so each measure of a benchmark has its own series.
///
/// Its values are stored as whole numbers, like times: in [`Measure::unit`], times the case's `operations`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Measure {
    /// Its name from the tool: `B/op`, `throughput`, `cpu_time`.
    pub name: String,
    /// The unit of its values: `B`, `B/s`, `ns`, `/s`. Empty for counts and ratios.
    pub unit: String,
    /// Which values are better.
    pub better: Better,
}

/// Which values of a measure are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Smaller values: times, sizes, allocations.
    Lower,
    /// Larger values: rates.
    Higher,
}

impl Measure {
    /// What is wrong with the name or the unit: the field and the expected form.
    #[must_use]
    pub fn problem(&self) -> Option<(&'static str, String)> {
        let expected = |field, min: usize, max: usize| {
            Some((field, format!("expected {min} to {max} characters without control characters")))
        };
        if !is_text(&self.name, 1, NAME_CHARACTERS_MAX) {
            return expected("name", 1, NAME_CHARACTERS_MAX);
        }
        if !is_text(&self.unit, 0, UNIT_CHARACTERS_MAX) {
            return expected("unit", 0, UNIT_CHARACTERS_MAX);
        }
        None
    }
}

/// Whether a text has this many characters, and no control characters.
pub(crate) fn is_text(text: &str, min: usize, max: usize) -> bool {
    (min..=max).contains(&text.chars().count()) && !text.contains(char::is_control)
}
