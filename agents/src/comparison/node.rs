//! As comparisons of Node are posted: rates, the change of the rate, stars and t. It is for those who know it: the stars
//! are of each row alone, and the verdict is not among them.

use super::{Line, Side};
use crate::format::count;
use std::fmt::Write as _;

/// A table in Markdown.
pub(crate) fn render(lines: &[Line]) -> String {
    let mut text =
        "| Config | old (ops/s) | new (ops/s) | \u{394} | t | sig |\n|---|--:|--:|--:|--:|:--|\n".to_owned();
    for line in lines {
        let (Some(base), Some(head), Some(_)) = (line.base, line.head, line.ratio) else { continue };
        let t = line.t.map(|t| format!("{t:.1}")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {t} | {} |",
            line.case,
            ops(base),
            ops(head),
            delta(base.rate_per_second, head.rate_per_second),
            line.stars
        );
    }
    text
}

fn ops(side: Side) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate is positive and below 10^9"
    )]
    let rounded = side.rate_per_second.round() as u64;
    count(rounded)
}

/// The change of a rate in percent, with its sign and one decimal.
pub(crate) fn delta(old: f64, new: f64) -> String {
    format!("{:+.1}%", (new / old - 1.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables that were published with nodejs/node#64072, row by row: rates before and after, and the change. Two of
    /// the published changes do not follow from the rates beside them: +4.7 of the seventh row, which are 4.65, and -0.7
    /// of the fourteenth, which are 0.75.
    #[test]
    fn the_published_changes_follow_from_the_published_rates() {
        for (before, after, published) in [
            (559_040, 626_255, "+12.0%"),
            (311_284, 330_153, "+6.1%"),
            (104_077, 125_181, "+20.3%"),
            (31_921, 35_739, "+12.0%"),
            (467_991, 488_482, "+4.4%"),
            (399_774, 411_011, "+2.8%"),
            (321_322, 336_254, "+4.6%"),
            (210_270, 225_204, "+7.1%"),
            (91_388, 104_764, "+14.6%"),
            (21_868, 21_574, "-1.3%"),
            (692_902, 689_566, "-0.5%"),
            (519_877, 513_564, "-1.2%"),
            (334_806, 332_229, "-0.8%"),
            (161_677, 160_458, "-0.8%"),
            (57_085, 56_531, "-1.0%"),
            (13_297, 13_161, "-1.0%"),
        ] {
            assert_eq!(delta(f64::from(before), f64::from(after)), published, "{before} {after}");
        }
    }
}
