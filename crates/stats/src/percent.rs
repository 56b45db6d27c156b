//! Formats shares as percentages.

/// Formats a share with its sign: `+4.1 %`, `-31 %`.
pub fn signed(share: f64) -> String {
    let sign = if share < 0.0 { "-" } else { "+" };
    format!("{sign}{}", plain(share))
}

/// Formats the absolute value of a share: `0.3 %`, `4.1 %`, `31 %`. Below ten, one decimal if it is not 0.
pub fn plain(share: f64) -> String {
    let percent = share.abs() * 100.0;
    let tenths = (percent * 10.0).round() / 10.0;
    if tenths < 10.0 { format!("{tenths} %") } else { format!("{percent:.0} %") }
}

/// Formats the absolute value of a share with one decimal if it is not 0: `3 %`, `13.3 %`.
pub fn tenths(share: f64) -> String {
    format!("{} %", (share.abs() * 1_000.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shares_below_ten_percent_have_a_decimal() {
        let texts = [0.0, 0.041, -0.03, 0.099_99, -0.314, 1.2].map(signed);
        assert_eq!(texts, ["+0 %", "+4.1 %", "-3 %", "+10 %", "-31 %", "+120 %"]);
        assert_eq!([0.03, 0.0815, 0.133].map(tenths), ["3 %", "8.2 %", "13.3 %"]);
    }
}
