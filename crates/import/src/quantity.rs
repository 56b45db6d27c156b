//! [`Quantity`]: a measure other than the time of an operation, and the scale of its stored values.

use crate::fault::{cut, on_one_line, shortened};
use roundtrip_wire::measure::{Better, Measure, NAME_CHARACTERS_MAX, UNIT_CHARACTERS_MAX};
use std::sync::Arc;

/// The largest stored value, as for times.
const HIGHEST: f64 = crate::time::HIGHEST_NS;

/// A measure, and the factor by which its values are multiplied to store them as whole numbers. The factor depends on
/// the format and the unit alone, so a series never changes its scale.
#[derive(Clone, Debug)]
pub(crate) struct Quantity {
    pub(crate) measure: Arc<Measure>,
    pub(crate) scale: u64,
}

impl Quantity {
    /// A quantity in any unit, stored in thousandths.
    pub(crate) fn new(name: &str, unit: &str, better: Better) -> Self {
        let measure = Measure {
            name: shortened(on_one_line(name).unwrap_or("unnamed".into()).into_owned(), NAME_CHARACTERS_MAX),
            // The mark of a cut takes one character.
            unit: cut(unit, UNIT_CHARACTERS_MAX - 1),
            better,
        };
        Self { measure: Arc::new(measure), scale: 1_000 }
    }

    /// Bytes, of which fewer are better. Stored whole.
    pub(crate) fn bytes(name: &str) -> Self {
        Self::new(name, "B", Better::Lower).whole()
    }

    /// Bytes per second, of which more are better. Stored whole.
    pub(crate) fn byte_rate(name: &str) -> Self {
        Self::new(name, "B/s", Better::Higher).whole()
    }

    /// Bits per second, of which more are better. Stored whole.
    pub(crate) fn bit_rate(name: &str) -> Self {
        Self::new(name, "bit/s", Better::Higher).whole()
    }

    /// Something per second, of which more is better.
    pub(crate) fn rate(name: &str) -> Self {
        Self::new(name, "/s", Better::Higher)
    }

    /// An average count, of which less is better.
    pub(crate) fn count(name: &str) -> Self {
        Self::new(name, "", Better::Lower)
    }

    /// A count of one run, which can be large, such as of instructions: less is better. Stored whole.
    pub(crate) fn counter(name: &str) -> Self {
        Self::count(name).whole()
    }

    /// A time in nanoseconds that is not the time of an operation: of the processor, of a phase.
    pub(crate) fn time(name: &str) -> Self {
        Self::new(name, "ns", Better::Lower)
    }

    /// A ratio or an unknown unit, stored in millionths.
    pub(crate) fn fine(name: &str, unit: &str, better: Better) -> Self {
        Self { scale: 1_000_000, ..Self::new(name, unit, better) }
    }

    /// A quantity whose tool states no direction. Of rates, more is better, of everything else less. Rates are stored in
    /// thousandths, others in millionths.
    pub(crate) fn undirected(name: &str, unit: &str) -> Self {
        let is_rate = |text: &str| ["/s", "/sec", "_per_second"].iter().any(|end| text.ends_with(end));
        if is_rate(name) || is_rate(unit) {
            Self::new(name, unit, Better::Higher)
        } else {
            Self::fine(name, unit, Better::Lower)
        }
    }

    /// The same quantity, stored whole: for values that are large or whole.
    pub(crate) fn whole(self) -> Self {
        Self { scale: 1, ..self }
    }

    /// The stored form of a value.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 10^15")]
    pub(crate) fn stored(&self, value: f64) -> Result<u64, String> {
        if !value.is_finite() || value.is_sign_negative() && value != 0.0 {
            return Err(format!("expected a value of 0 or more, found {value:?}"));
        }
        let stored = value * self.scale as f64;
        if stored > HIGHEST {
            return Err(format!("expected at most {}, found {value:?}", HIGHEST / self.scale as f64));
        }
        Ok(stored.round() as u64)
    }
}

/// The factor of a unit's prefix: `K` is 1,000, `Ki` 1,024, and no prefix 1; `None` for other texts.
pub(crate) fn prefix_factor(prefix: &str) -> Option<f64> {
    let (letter, base) = match prefix.strip_suffix('i') {
        Some(letter) => (letter, 1_024.0),
        None => (prefix, 1_000.0),
    };
    let exponent = match (letter, prefix) {
        ("", "") => 0,
        ("K" | "k", _) => 1,
        ("M", _) => 2,
        ("G", _) => 3,
        ("T", _) => 4,
        ("P", _) => 5,
        _ => return None,
    };
    Some(f64::powi(base, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_fractions_in_thousandths_or_millionths() {
        assert_eq!(Quantity::count("allocs/op").stored(12.5), Ok(12_500));
        assert_eq!(Quantity::fine("misses", "", Better::Lower).stored(0.001_25), Ok(1_250));
        assert_eq!(Quantity::count("allocs").stored(-0.0), Ok(0));
    }

    #[test]
    fn parses_decimal_and_binary_prefixes() {
        assert_eq!(
            ["", "K", "Ki", "G", "Mi"].map(prefix_factor),
            [1.0, 1e3, 1_024.0, 1e9, 1_048_576.0].map(Some)
        );
        assert_eq!(["i", "x", "KiB"].map(prefix_factor), [None; 3]);
    }

    #[test]
    fn more_is_better_only_for_rates() {
        let better = |name, unit| Quantity::undirected(name, unit).measure.better;
        assert_eq!([better("items_per_second", ""), better("scanned", "rows/s")], [Better::Higher; 2]);
        assert_eq!([better("misses", ""), better("per_second_misses", "rows/op")], [Better::Lower; 2]);
    }

    #[test]
    fn rejects_values_that_cannot_be_stored() {
        let count = Quantity::count("allocs");
        assert_eq!(count.stored(f64::NAN), Err("expected a value of 0 or more, found NaN".into()));
        assert_eq!(count.stored(-1.0), Err("expected a value of 0 or more, found -1.0".into()));
        assert_eq!(count.stored(1e13), Err("expected at most 1000000000000, found 10000000000000.0".into()));
    }
}
