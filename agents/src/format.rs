//! Times, sizes, counts and shares for people, numbers without a unit, and dates of tools.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use indicatif::HumanCount;
use roundtrip_wire::Measure;

const TIME_UNITS: [&str; 4] = ["ns", "µs", "ms", "s"];
const BYTE_UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

/// Formats a time with three significant digits and a unit.
pub(crate) fn nanoseconds(ns: u64) -> String {
    scaled(ns as f64, 1000.0, &TIME_UNITS)
}

/// Formats a stored value of a case: a time, or a value of its measure, which is multiplied by `operations`.
pub(crate) fn value_of(measure: Option<&Measure>, operations: Option<u64>, stored: u64) -> String {
    let Some(measure) = measure else { return nanoseconds(stored) };
    let value = stored as f64 / operations.unwrap_or(1) as f64;
    match measure.unit.as_str() {
        "ns" => scaled(value, 1000.0, &TIME_UNITS),
        "B" => scaled(value, 1024.0, &BYTE_UNITS),
        "B/s" => scaled(value, 1024.0, &["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"]),
        "" => figure(value),
        unit => format!("{} {unit}", figure(value)),
    }
}

/// A change of a time.
pub(crate) fn signed_nanoseconds(ns: f64) -> String {
    format!("{}{}", if ns < 0.0 { "-" } else { "+" }, nanoseconds(whole(ns.abs())))
}

/// Formats a size: exact if it is a whole number of a unit, else with three significant digits.
pub(crate) fn bytes(bytes: u64) -> String {
    scaled(bytes as f64, 1024.0, &BYTE_UNITS)
}

pub(crate) fn count(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A number with its noun, whose plural ends in -s.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number as u64))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
pub(crate) fn whole(value: f64) -> u64 {
    value.round() as u64
}

#[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
pub(crate) fn whole_signed(value: f64) -> i64 {
    value.round() as i64
}

/// Formats a share in percent, with two significant digits.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let decimals = if percent.abs() < 0.995 { 2 } else { usize::from(percent.abs() < 9.95) };
    format!("{percent:.decimals$} %")
}

pub(crate) fn signed_percent(share: f64) -> String {
    let sign = if share < 0.0 { "-" } else { "+" };
    format!("{sign}{}", percent(share.abs()))
}

pub(crate) fn change_interval([low, high]: [f64; 2]) -> String {
    format!("{} to {}", signed_percent(low), signed_percent(high))
}

/// A ratio in three digits: `1.12` or `164`.
pub(crate) fn digits(ratio: f64) -> String {
    let decimals = if ratio < 9.995 { 2 } else { usize::from(ratio < 99.95) };
    format!("{ratio:.decimals$}")
}

/// Rounds to six significant digits: the others are noise.
pub(crate) fn rounded(value: f64) -> f64 {
    // The format is always a valid number.
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Formats a number without a known unit, with at most six significant digits.
pub(crate) fn figure(value: f64) -> String {
    let value = rounded(value);
    let is_plain = value == 0.0 || (1e-4..1e12).contains(&value.abs());
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

pub(crate) fn half_width(low: u64, high: u64, middle: u64) -> String {
    percent((high - low) as f64 / 2.0 / middle.max(1) as f64)
}

fn scaled(value: f64, step: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut units = units.iter().peekable();
    while let Some(unit) = units.next() {
        // 999.6 ns would round to 1000 ns, so it becomes 1.00 µs.
        if units.peek().is_none() || value < step.min(999.5) {
            let decimals = match value {
                _ if value.fract() == 0.0 => 0,
                v if v < 9.995 => 2,
                v if v < 99.95 => 1,
                _ => 0,
            };
            return format!("{value:.decimals$} {unit}");
        }
        value /= step;
    }
    String::new()
}

/// A size as `--size` accepts it, exactly.
pub(crate) fn size_text(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units.into_iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    unit.map_or_else(|| bytes.to_string(), |(unit, name)| format!("{}{name}", bytes / unit))
}

/// Reads a size: bytes, or a number with a unit.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim_start() {
        "" | "B" => Some(1),
        "KiB" => Some(1 << 10),
        "MiB" => Some(1 << 20),
        "GiB" => Some(1 << 30),
        _ => None,
    };
    let bytes =
        number.parse().ok().zip(factor).and_then(|(number, factor): (u64, u64)| number.checked_mul(factor));
    bytes.ok_or_else(|| "expected a number of bytes, or a number with B, KiB, MiB or GiB: 64, 1KiB".into())
}

/// Parses a date or time as tools write it. Without a zone, it is UTC.
pub(crate) fn parse_time(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    // `StartTime` of HdrHistogram logs.
    if let Some((seconds, _)) = text.split_once(" (seconds since epoch)") {
        let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
        let milliseconds: u32 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
        return DateTime::from_timestamp(whole.parse().ok()?, milliseconds * 1_000_000);
    }
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    if let Ok(time) = DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z") {
        return Some(time.to_utc());
    }
    let naive = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
    let time = naive.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
    let day = || Some(NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_time(NaiveTime::MIN));
    Some(time.or_else(day)?.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_dates_that_tools_write() {
        for (text, expected) in [
            ("2026-11-22", "2026-11-22T00:00:00Z"),
            ("2026-11-22T08:19:15+02:00", "2026-11-22T06:19:15Z"),
            ("2026-11-22T08:19:15.5+0200", "2026-11-22T06:19:15.5Z"),
            ("2026-11-22T08:19:15.437131", "2026-11-22T08:19:15.437131Z"),
            ("2026-11-22 08:19:15", "2026-11-22T08:19:15Z"),
            ("1441812279.474 (seconds since epoch), Wed Sep 09", "2015-09-09T15:24:39.474Z"),
        ] {
            let expected: DateTime<Utc> = expected.parse().unwrap();
            assert_eq!(parse_time(text), Some(expected), "{text}");
        }
        for wrong in ["", "now", "2026-13-01", "22.11.2026", "x (seconds since epoch)"] {
            assert_eq!(parse_time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn formats_times() {
        for (ns, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (4_016, "4.02 µs"),
            (12_345, "12.3 µs"),
            (999_600, "1.00 ms"),
            (60_000_000_000, "60 s"),
        ] {
            assert_eq!(nanoseconds(ns), text);
        }
    }

    #[test]
    fn formats_counts_and_shares() {
        assert_eq!(count(1_048_576), "1,048,576");
        assert_eq!([0.000_4, 0.012, 0.34].map(percent), ["0.04 %", "1.2 %", "34 %"]);
    }

    #[test]
    fn formats_changes_with_a_sign() {
        assert_eq!([0.051, -0.34, 12.0].map(signed_percent), ["+5.1 %", "-34 %", "+1200 %"]);
    }

    #[test]
    fn formats_figures() {
        for (value, text) in [
            (344.000_000_000_1, "344"),
            (101.034_56, "101.035"),
            (1_234_567.8, "1234570"),
            (0.000_123_456_7, "0.000123457"),
            (1.5e-9, "1.5e-9"),
            (f64::MAX, "1.79769e308"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(figure(value), text);
        }
    }

    #[test]
    fn formats_round_sizes_exactly() {
        for (size, text) in [(64, "64 B"), (1_024, "1 KiB"), (65_536, "64 KiB"), (1_500, "1.46 KiB")] {
            assert_eq!(bytes(size), text);
        }
    }

    #[test]
    fn reads_sizes_as_it_prints_them() {
        for (text, bytes) in
            [("64", 64), ("1KiB", 1 << 10), ("64 KiB", 1 << 16), ("3MiB", 3 << 20), ("2GiB", 2 << 30)]
        {
            assert_eq!(parse_size(text), Ok(bytes));
            assert_eq!(parse_size(&size_text(bytes)), Ok(bytes));
        }
        assert_eq!(size_text(1_500), "1500");
        for wrong in ["", "KiB", "1k", "-1", "1.5KiB", "99999999999GiB"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
