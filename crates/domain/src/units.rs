//! Formats numbers with units, like the web interface.

use roundtrip_wire::Case;
use std::fmt::Display;

/// Between a number and its unit, so that they stay on one line.
pub const NO_BREAK: char = '\u{a0}';

/// Rounds up to 1 in three digits: 999.5 of the smaller unit.
const ROUNDS_UP: f64 = 0.999_5;

/// A time: three digits, and the unit chosen after rounding, so that 999.6 µs reads 1.00 ms.
pub fn time(ns: f64) -> String {
    three_digits(ns, [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")])
}

/// A stored value of a case: a time, or a value of its measure.
pub fn value(case: &Case, stored: f64) -> String {
    let Some(measure) = &case.measure else { return time(stored) };
    let value = stored / case.operations.unwrap_or(1) as f64;
    match measure.unit.as_str() {
        "ns" => time(value),
        "B" => three_digits(
            value,
            [(1_073_741_824.0, "GiB"), (1_048_576.0, "MiB"), (1_024.0, "KiB"), (1.0, "B")],
        ),
        "B/s" => rate(value),
        "" => digits(value),
        unit => format!("{}{NO_BREAK}{unit}", digits(value)),
    }
}

/// A number without a scale: all digits before the point, three if it is smaller.
fn digits(value: f64) -> String {
    let decimals = if value.fract() == 0.0 || value >= 99.95 { 0 } else { 1 + usize::from(value < 9.995) };
    grouped(&format!("{value:.decimals$}"))
}

/// A value in the largest of these units that it fills, or in the last one. Three digits; a unit of 1 has no decimals.
fn three_digits(value: f64, units: [(f64, &str); 4]) -> String {
    let fills = |(unit, _): &(f64, &str)| value.is_finite() && value / unit >= ROUNDS_UP;
    let (unit, name) = units.into_iter().find(fills).unwrap_or(units[3]);
    let value = rounded(value / unit, unit);
    let decimals = if unit == 1.0 || value >= 100.0 { 0 } else { 1 + usize::from(value < 10.0) };
    format!("{}{NO_BREAK}{name}", grouped(&format!("{value:.decimals$}")))
}

/// Rounds half up to three digits, but keeps whole numbers of the smallest unit and all digits before the point.
fn rounded(value: f64, size: f64) -> f64 {
    let scale = if size == 1.0 || value >= 99.95 {
        1.0
    } else if value >= 9.995 {
        10.0
    } else {
        100.0
    };
    // Slightly above the binary fraction, so that a half such as 1.005 rounds up.
    (value * (1.0 + f64::EPSILON) * scale).round() / scale
}

/// A size, exactly: `64 KiB`, `5,000 B`.
pub fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")];
    let unit = UNITS.into_iter().find(|(size, _)| bytes >= *size && bytes.is_multiple_of(*size));
    let (size, name) = unit.unwrap_or((1, "B"));
    format!("{}{NO_BREAK}{name}", grouped(&(bytes / size).to_string()))
}

/// An estimated size: two digits, or more for a larger whole number. `11 KiB`, `9.1 KiB`, `780 B`.
pub fn about(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let scaled = |(unit, name): &(u64, &'static str)| (bytes as f64 / *unit as f64, *name);
    // A value that rounds up to a unit uses it.
    match UNITS.iter().map(scaled).find(|(value, _)| *value >= ROUNDS_UP) {
        None => size(bytes),
        Some((value, name)) => {
            let decimals = usize::from(value < 9.95);
            format!("{}{NO_BREAK}{name}", grouped(&format!("{value:.decimals$}")))
        }
    }
}

/// Bytes per second, in three digits. `4.65 GiB/s`.
pub fn rate(bytes_per_second: f64) -> String {
    let units = [(1_073_741_824.0, "GiB/s"), (1_048_576.0, "MiB/s"), (1_024.0, "KiB/s"), (1.0, "B/s")];
    three_digits(bytes_per_second, units)
}

/// A ratio in three digits: `1.12` or `164`.
pub fn ratio(times: f64) -> String {
    let decimals = if times < 9.995 { 2 } else { usize::from(times < 99.95) };
    format!("{times:.decimals$}")
}

/// A number and its noun, which takes an `s` in the plural.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let end = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{end}")
}

/// Capitalizes the first letter.
pub fn upper_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Adds thousands separators.
pub fn grouped(number: &str) -> String {
    let (whole, fraction) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundtrip_wire::{Better, Measure};

    const CASE: &str = r#"{"scenario": "benchmark", "message_bytes": 0, "peers": 1, "mode": "unknown",
        "placement": "unknown"}"#;

    #[test]
    fn formats_times_and_sizes_like_the_web_interface() {
        let plain = |text: String| text.replace(NO_BREAK, " ");
        for (ns, text) in [
            (0.0, "0 ns"),
            (990.0, "990 ns"),
            (1_005.0, "1.01 µs"),
            (4_020.0, "4.02 µs"),
            (18_249.0, "18.2 µs"),
            (99_960.0, "100 µs"),
            (999_499.0, "999 µs"),
            (999_600.0, "1.00 ms"),
            (12_345_678.0, "12.3 ms"),
            (61_000_000_000.0, "61.0 s"),
            (2_500_000_000_000.0, "2,500 s"),
        ] {
            assert_eq!(plain(time(ns)), text);
        }
        let sizes = [780, 1_023, 1_024, 9_300, 11_400, 48_000_000].map(about).map(plain);
        assert_eq!(sizes, ["780 B", "1,023 B", "1.0 KiB", "9.1 KiB", "11 KiB", "46 MiB"]);
        let case = |unit: &str| Case {
            measure: Some(Measure { name: "m".into(), unit: unit.into(), better: Better::Higher }),
            operations: Some(1_000),
            ..serde_json::from_str(CASE).unwrap()
        };
        let values =
            [("B", 2_048_000.0), ("B/s", 5e9), ("ns", 1_500.0), ("", 12_500.0), ("widgets", 1_234_567.0)];
        let values = values.map(|(unit, stored)| plain(value(&case(unit), stored)));
        assert_eq!(values, ["2.00 KiB", "4.77 MiB/s", "2 ns", "12.5", "1,235 widgets"]);
        let rates = [4.0, 2_048.0, 1_073_700_000.0, 4_990_000_000.0].map(rate).map(plain);
        assert_eq!(rates, ["4 B/s", "2.00 KiB/s", "1.00 GiB/s", "4.65 GiB/s"]);
        assert_eq!(
            [65_536, 1 << 20, 5_000, 64, 0].map(size).map(plain),
            ["64 KiB", "1 MiB", "5,000 B", "64 B", "0 B"]
        );
    }
}
