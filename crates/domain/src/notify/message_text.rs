//! The text of a notification for Slack and e-mail: short, the worst change first.

use roundtrip_storage::notification::payload::{CommitItem, Message, RegressionItem, Topic};
use roundtrip_storage::regression::RegressionKind;
use std::cmp::Ordering;

/// The maximum number of described items. More are only counted.
const DESCRIBED_MAX: usize = 5;
const SUBJECT_MAX: usize = 100;
const FINDING_MAX: usize = 200;
/// Larger changes are printed without a decimal.
const COARSE_FROM: f64 = 0.095;

/// The text of a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MessageText {
    /// The title: `2 regressions in libfoo`.
    pub(crate) title: String,
    /// One entry per regression or machine.
    pub(crate) items: Vec<Item>,
    /// A closing sentence.
    pub(crate) rest: Option<String>,
    /// The label of the link to the list.
    pub(crate) page: &'static str,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// The change: `+20 % in 4 series on lab-1`.
    pub(crate) what: String,
    /// Its page, if it has one.
    pub(crate) url: Option<String>,
    /// The commit, or the reason.
    pub(crate) detail: String,
}

impl MessageText {
    pub(crate) fn new(message: &Message) -> Self {
        let mut regressions: Vec<&RegressionItem> = message.regressions.iter().collect();
        regressions.sort_by(|one, other| worst(other).partial_cmp(&worst(one)).unwrap_or(Ordering::Equal));
        let mut items: Vec<Item> =
            regressions.into_iter().map(|item| regression(item, message.event)).collect();
        items.extend(message.machines.iter().map(|machine| Item {
            what: format!("{} {}", machine.machine, machine.why),
            url: None,
            detail: "You get no notification for changes found only on a suspect machine.".to_owned(),
        }));
        items.truncate(DESCRIBED_MAX);
        let more = message.count.saturating_sub(items.len());
        let rest = match message.event {
            Topic::Test => Some("Test notification. No action needed.".to_owned()),
            _ => (more > 0).then(|| format!("And {more} more.")),
        };
        let page = if message.event == Topic::Machine { "All machines" } else { "All regressions" };
        Self { title: title(message), items, rest, page }
    }
}

fn title(message: &Message) -> String {
    let Message { project, count, .. } = message;
    let counted = |one: &str, many: &str| format!("{count} {}", if *count == 1 { one } else { many });
    match message.event {
        Topic::Regressed => format!("{} in {project}", counted("regression", "regressions")),
        Topic::Fixed => format!("{} fixed in {project}", counted("regression", "regressions")),
        Topic::Improved => format!("{} in {project}", counted("improvement", "improvements")),
        Topic::Machine => format!("{} attention in {project}", counted("machine needs", "machines need")),
        Topic::Test => format!("Test from {project}"),
    }
}

fn worst(item: &RegressionItem) -> f64 {
    item.worst_change.map_or(0.0, f64::abs)
}

fn regression(item: &RegressionItem, topic: Topic) -> Item {
    let series =
        if item.series_count == 1 { "1 series".into() } else { format!("{} series", item.series_count) };
    let change = match item.kind {
        RegressionKind::Step => change(item.worst_change, item.series_count),
        RegressionKind::Drift => drift(item.worst_change, item.series_count, &item.after_commit.sha),
    };
    let what = format!("{change} in {series} on {}", item.machines.join(", "));
    let by = match (topic, &item.fixed_by_commit) {
        (Topic::Fixed, Some(commit)) => format!("back to baseline since {}", commit_text(commit)),
        (Topic::Fixed, None) => "back to baseline".to_owned(),
        _ if item.kind == RegressionKind::Drift => {
            let until = short_sha(&item.until_commit.sha);
            format!(
                "small steps over {} commits up to {until}; no single commit is the cause",
                item.commit_count
            )
        }
        _ if item.commit_count == 1 => format!("by {}", commit_text(&item.until_commit)),
        _ => format!("by one of {} commits up to {}", item.commit_count, commit_text(&item.until_commit)),
    };
    let detail = match (topic, &item.finding) {
        (Topic::Regressed, Some(finding)) => {
            format!("{by}: {}", plain(finding).chars().take(FINDING_MAX).collect::<String>())
        }
        _ => by,
    };
    Item { what, url: Some(item.url.clone()), detail }
}

/// `+20 %`, or `up to +20 %` in several series.
fn change(worst: Option<f64>, series_count: i64) -> String {
    let change = worst.map_or_else(|| "a change".to_owned(), percent);
    let up_to = if series_count > 1 { "up to " } else { "" };
    format!("{up_to}{change}")
}

/// Describes a drift by its largest change and the commit at which the level before it began: `drift of +6.1 % since
/// 9c1f02a`.
pub fn drift(worst: Option<f64>, series_count: i64, after_sha: &str) -> String {
    format!("drift of {} since {}", change(worst, series_count), short_sha(after_sha))
}

fn short_sha(sha: &str) -> String {
    sha.chars().take(7).collect()
}

fn commit_text(commit: &CommitItem) -> String {
    let sha = short_sha(&commit.sha);
    let subject: String = plain(&commit.subject).chars().take(SUBJECT_MAX).collect();
    let author = plain(&commit.author);
    let author = if author.is_empty() { String::new() } else { format!(" ({author})") };
    format!("{sha} {subject}{author}")
}

/// `+20 %`, `+3.1 %`, `-4.0 %`.
fn percent(change: f64) -> String {
    if change.abs() < COARSE_FROM {
        format!("{:+.1} %", change * 100.0)
    } else {
        format!("{:+.0} %", change * 100.0)
    }
}

/// User text on one line, without control characters.
fn plain(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn the_worst_change_comes_first() {
        let mut message = example();
        let mild = RegressionItem {
            worst_change: Some(0.031),
            series_count: 1,
            commit_count: 5,
            ..message.regressions[0].clone()
        };
        message.regressions.insert(0, mild);
        message.count = 2;
        let words = MessageText::new(&message);
        assert_eq!(words.title, "2 regressions in libfoo");
        let actual: Vec<_> =
            words.items.iter().map(|item| (item.what.as_str(), item.detail.as_str())).collect();
        let expected = [
            ("up to +20 % in 4 series on lab-1, lab-2", "by 4f2d5c1 Copy twice (Ada)"),
            ("+3.1 % in 1 series on lab-1, lab-2", "by one of 5 commits up to 4f2d5c1 Copy twice (Ada)"),
        ];
        assert_eq!(actual, expected);
        assert_eq!(words.rest, None);
    }

    #[test]
    fn a_finding_follows_the_commit() {
        let mut message = example();
        message.regressions[0].finding = Some("+1.00 `sendmsg`\nper round trip".into());
        let detail = "by 4f2d5c1 Copy twice (Ada): +1.00 `sendmsg` per round trip";
        assert_eq!(MessageText::new(&message).items[0].detail, detail);
        message.event = Topic::Fixed;
        assert_eq!(MessageText::new(&message).items[0].detail, "back to baseline");
    }

    #[test]
    fn a_drift_blames_no_commit() {
        let mut message = example();
        let drift = RegressionItem {
            kind: RegressionKind::Drift,
            worst_change: Some(0.061),
            series_count: 1,
            machines: vec!["lab-1".into()],
            commit_count: 400,
            ..message.regressions[0].clone()
        };
        message.regressions = vec![drift];
        let words = MessageText::new(&message);
        assert_eq!(words.items[0].what, "drift of +6.1 % since 9c1f02a in 1 series on lab-1");
        let detail = "small steps over 400 commits up to 4f2d5c1; no single commit is the cause";
        assert_eq!(words.items[0].detail, detail);
        message.event = Topic::Fixed;
        assert_eq!(MessageText::new(&message).items[0].detail, "back to baseline");
    }

    #[test]
    fn a_fixed_regression_names_the_fixing_commit() {
        let mut message = Message { event: Topic::Fixed, ..example() };
        let commit =
            CommitItem { sha: "0123456789".into(), subject: "Copy\n once".into(), author: String::new() };
        message.regressions[0].fixed_by_commit = Some(commit);
        let words = MessageText::new(&message);
        assert_eq!(words.title, "1 regression fixed in libfoo");
        assert_eq!(words.items[0].detail, "back to baseline since 0123456 Copy once");
    }
}
