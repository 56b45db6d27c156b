//! Units, rates and rounding: converts numbers of a file to whole nanoseconds, rounding once.

use crate::fault::{Fault, Place, cut};

/// The longest accepted time: 11 days.
pub(crate) const HIGHEST_NS: f64 = 1e15;

/// Converts a format's numbers to nanoseconds per 1 or 1,000 operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    unit_ns: f64,
    pub(crate) operations: u64,
}

impl Scale {
    /// For numbers in units of `unit_ns` nanoseconds per operation, converted to the time of 1,000
    /// operations.
    pub(crate) fn per_thousand(unit_ns: f64) -> Self {
        Self { unit_ns, operations: 1_000 }
    }

    /// For numbers in units of `unit_ns` nanoseconds per operation, kept as the time of one operation.
    pub(crate) fn per_one(unit_ns: f64) -> Self {
        Self { unit_ns, operations: 1 }
    }

    fn factor(self) -> f64 {
        self.unit_ns * self.operations as f64
    }

    /// Converts the time of an operation.
    pub(crate) fn time(self, value: f64) -> Result<u64, String> {
        if !value.is_finite() || value.is_sign_negative() && value != 0.0 {
            return Err(format!("expected a time of 0 or more, found {value:?}"));
        }
        whole(value * self.factor())
            .ok_or_else(|| format!("expected a time of at most 10^15 ns, found {value:?}"))
    }

    pub(crate) fn time_at(self, value: f64, place: impl FnOnce() -> Place) -> Result<u64, Fault> {
        self.time(value).map_err(|problem| place().fault(problem))
    }

    /// Converts a rate, in operations per unit of time.
    pub(crate) fn rate(self, value: f64) -> Result<u64, String> {
        if !value.is_finite() || value <= 0.0 {
            return Err(format!("expected a rate above 0, found {value:?}"));
        }
        whole(self.factor() / value).ok_or_else(|| {
            format!("expected a rate of at least {} per 10^15 ns, found {value:?}", self.operations)
        })
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 10^15")]
fn whole(ns: f64) -> Option<u64> {
    (0.0..=HIGHEST_NS).contains(&ns).then(|| ns.round() as u64)
}

/// Parses a number of a text file.
pub(crate) fn number(text: &str, place: &Place) -> Result<f64, Fault> {
    let text = text.trim();
    text.parse().map_err(|_| place.fault(format!("expected a number, found `{}`", cut(text, 40))))
}

/// The nanoseconds of a time unit, by the tools' names for it; `None` for other units.
pub(crate) fn unit_ns(name: &str) -> Option<f64> {
    Some(match name {
        "ps" => 1e-3,
        "ns" => 1.0,
        "us" | "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" | "sec" => 1e9,
        "min" => 60e9,
        "hr" => 3_600e9,
        "day" => 86_400e9,
        _ => return None,
    })
}

/// The date of a Unix time in seconds, as RFC 3339; `None` if it has none.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub(crate) fn date_of_unix(seconds: f64) -> Option<String> {
    let seconds = (0.0..1e12).contains(&seconds).then_some(seconds as i64)?;
    let date = chrono::DateTime::from_timestamp(seconds, 0)?;
    Some(date.to_rfc3339_opts(chrono::SecondsFormat::Secs, true))
}

/// Converts a percentage from 0 to 100 to parts per million.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 10^6")]
pub(crate) fn ppm_of_percent(percent: f64) -> Option<u32> {
    (0.0..=100.0).contains(&percent).then(|| (percent * 1e4).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_fractions_as_the_time_of_1_000_operations() {
        assert_eq!(Scale::per_thousand(1.0).time(12.34), Ok(12_340));
        assert_eq!(Scale::per_one(1e9).time(0.000_001_5), Ok(1_500));
        assert_eq!(Scale::per_one(1.0).time(2.5), Ok(3));
        assert_eq!(Scale::per_one(1.0).time(-0.0), Ok(0));
    }

    #[test]
    fn converts_unix_times_to_dates() {
        assert_eq!(date_of_unix(1_796_041_622.9).unwrap(), "2026-11-30T12:27:02Z");
        assert_eq!((date_of_unix(-1.0), date_of_unix(f64::NAN), date_of_unix(1e13)), (None, None, None));
    }

    #[test]
    fn converts_a_rate_to_a_time() {
        assert_eq!(Scale::per_thousand(1e9).rate(1_000_000.0), Ok(1_000_000));
        assert_eq!(Scale::per_thousand(1e3).rate(0.25), Ok(4_000_000));
    }

    #[test]
    fn rejects_values_that_are_not_times() {
        let scale = Scale::per_one(1e9);
        assert_eq!(scale.time(-1.0), Err("expected a time of 0 or more, found -1.0".into()));
        assert_eq!(scale.time(f64::NAN), Err("expected a time of 0 or more, found NaN".into()));
        assert_eq!(scale.time(f64::INFINITY), Err("expected a time of 0 or more, found inf".into()));
        assert_eq!(scale.time(1e6), Ok(1_000_000_000_000_000));
        assert_eq!(scale.time(1e7), Err("expected a time of at most 10^15 ns, found 10000000.0".into()));
        assert_eq!(scale.rate(0.0), Err("expected a rate above 0, found 0.0".into()));
        assert_eq!(
            scale.rate(1e-300),
            Err("expected a rate of at least 1 per 10^15 ns, found 1e-300".into())
        );
    }
}
