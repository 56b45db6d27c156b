//! Shares in sentences.

/// With its sign: `+4.1 %`, `-31 %`.
pub(crate) fn signed(share: f64) -> String {
    let sign = if share < 0.0 { "-" } else { "+" };
    format!("{sign}{}", plain(share))
}

/// Its size: `0.3 %`, `4.1 %`, `31 %`. One decimal below ten, unless it is none.
pub(crate) fn plain(share: f64) -> String {
    let percent = share.abs() * 100.0;
    let tenths = (percent * 10.0).round() / 10.0;
    if tenths < 10.0 { format!("{tenths} %") } else { format!("{percent:.0} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_shares_have_a_decimal_and_large_ones_none() {
        let told = [0.0, 0.041, -0.03, 0.099_99, -0.314, 1.2].map(signed);
        assert_eq!(told, ["+0 %", "+4.1 %", "-3 %", "+10 %", "-31 %", "+120 %"]);
    }
}
