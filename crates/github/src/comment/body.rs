//! The comment on a pull request: verdict, next step, changed rows and machines; the rest is folded. A comment that is too
//! long loses rows, never the verdict.

use super::check::progress;
use super::text::{change, count, counted, duration, escaped, interval, short_sha, size, upper_first, value};
use super::{ComparedSeries, Leg, LegState, PullRequestReport, State, Verdict};
use roundtrip_stats::percent;

/// GitHub allows 65,536 characters. The rest is left for quoting.
const BYTES_MAX: usize = 60_000;
/// Rows shown without unfolding.
const ROWS_SEEN: usize = 20;
/// Maximum bytes of the list of machines.
const LEGS_BYTES_MAX: usize = 8_000;
/// Maximum bytes of the lines about machines that moved.
const MOVEMENTS_BYTES_MAX: usize = 4_000;
/// Maximum bytes of a user's text.
const TEXT_BYTES_MAX: usize = 6_000;
/// Reserved for the line that counts omitted rows.
const BYTES_LEFT_OUT: usize = 400;

/// Maximum bytes of the list of inconclusive series.
const INCONCLUSIVE_BYTES_MAX: usize = 4_000;

// Colour and word: either is enough.
const WORSE: &str = "🔴";
const BETTER: &str = "🟢";

const HEAD: &str =
    "| | series | machine | base | head | change | 95 % interval |\n|---|---|---|--:|--:|--:|--:|\n";
const HEAD_OF_ONE_MACHINE: &str =
    "| | series | base | head | change | 95 % interval |\n|---|---|--:|--:|--:|--:|\n";

/// The first line, by which the comment is found again. A project has one comment per pull request.
pub fn marker(project: &str) -> String {
    let plain = |character: char| {
        if character.is_ascii_alphanumeric() || "-_.".contains(character) { character } else { '-' }
    };
    let project: String = project.chars().map(plain).collect();
    format!("<!-- roundtrip:v1 project={project} -->")
}

/// The comment.
pub fn body(report: &PullRequestReport) -> String {
    format!("{}\n{}", marker(&report.project), summary(report))
}

/// The comment without its marker, for checks.
pub fn summary(report: &PullRequestReport) -> String {
    let opening = format!("### {}\n\n{}{}\n\n", headline(report), movements(report), commits(report));
    let next = next_step(report).map(|next| format!("{next}\n\n")).unwrap_or_default();
    let below = [why(report), acknowledgement(report), machines(report)].concat();
    let folded = folded(report);
    let used = marker(&report.project).len() + opening.len() + next.len() + below.len() + folded.len();
    let table = table(report, BYTES_MAX.saturating_sub(used + BYTES_LEFT_OUT));
    [opening, next, table, below, folded].concat()
}

/// The verdict, in one line without Markdown.
pub(super) fn headline(report: &PullRequestReport) -> String {
    match report.state() {
        State::Waiting => progress(report),
        State::Incomplete => {
            let is_done = |leg: &&Leg| matches!(leg.state, LegState::Measured | LegState::Identical);
            let missing = report.legs.len() - report.legs.iter().filter(is_done).count();
            let machines = counted(report.legs.len(), "machine", "machines");
            let missing = format!("no results from {} of {machines}", count(missing));
            match report.state_of_rows() {
                _ if report.rows.is_empty() => format!("Incomplete: {missing}"),
                State::Regressed | State::Improved | State::Mixed => {
                    format!("{}; {missing}", verdict(report))
                }
                _ => format!("Incomplete: {missing}; {}", lower_first(&verdict(report))),
            }
        }
        _ => verdict(report),
    }
}

/// What these series became: slower or faster, if all of them are times.
fn word<'a>(verdict: Verdict, rows: impl IntoIterator<Item = &'a ComparedSeries>) -> &'static str {
    let are_times = rows.into_iter().filter(|row| row.verdict == verdict).all(|row| row.is_time);
    match (verdict, are_times) {
        (Verdict::Regressed, true) => "slower",
        (Verdict::Regressed, false) => "worse",
        (_, true) => "faster",
        (_, false) => "better",
    }
}

/// The verdict over all measured series.
fn verdict(report: &PullRequestReport) -> String {
    let counts = report.counts();
    let all = counted(counts.all(), "series", "series");
    let most = |verdict: Verdict| {
        let changes = report.rows.iter().filter(|row| row.verdict == verdict).filter_map(|row| row.change);
        changes
            .map(f64::abs)
            .reduce(f64::max)
            .map_or_else(String::new, |most| format!(", by up to {}", change(most).trim_start_matches('+')))
    };
    let [worse, better] = [Verdict::Regressed, Verdict::Improved].map(|verdict| word(verdict, &report.rows));
    match report.state_of_rows() {
        State::Regressed => {
            let number = count(counts.slower);
            format!("{WORSE} {}: {number} of {all}{}", upper_first(worse), most(Verdict::Regressed))
        }
        State::Improved => {
            let number = count(counts.faster);
            format!("{BETTER} {}: {number} of {all}{}", upper_first(better), most(Verdict::Improved))
        }
        State::Mixed => format!(
            "{WORSE} {}: {}{}; {BETTER} {better}: {}{}; {all} in total",
            upper_first(worse),
            count(counts.slower),
            most(Verdict::Regressed),
            count(counts.faster),
            most(Verdict::Improved)
        ),
        State::Inconclusive => [
            format!("Inconclusive: {} of {all}", count(counts.inconclusive)),
            more(counts.unchanged, "unchanged"),
            more(counts.not_comparable, "not comparable"),
        ]
        .concat(),
        State::Identical => "Not measured: base and head run identical programs".to_owned(),
        State::NotComparable if report.rows.is_empty() => "No results to compare".to_owned(),
        State::NotComparable if report.machines_changed() => {
            format!("Not comparable: the machine changed between base and head in {all}")
        }
        State::NotComparable => format!("Not comparable: base and head were measured differently in {all}"),
        _ => {
            let detectable = report.detectable_changes().map(|ends| ends.map(percent::tenths));
            let detectable = detectable.map_or_else(String::new, |[low, high]| match low == high {
                true => format!("; detects {low}"),
                false => format!("; detects {low} to {high}, by series"),
            });
            let unchanged = match counts.not_comparable {
                0 => all,
                _ => format!("{} of {all}", count(counts.unchanged)),
            };
            format!("No change in {unchanged}{}{detectable}", more(counts.not_comparable, "not comparable"))
        }
    }
}

fn more(number: usize, what: &str) -> String {
    if number == 0 { String::new() } else { format!("; {} {what}", count(number)) }
}

/// A line per machine that moved enough to limit verdicts.
fn movements(report: &PullRequestReport) -> String {
    let limiting = report.movements.iter().filter(|(_, moved)| moved.limits_verdicts);
    let lines = limiting.map(|(machine, moved)| {
        let consequence = match moved.comparable {
            true => "Only larger changes count. A paired A/B finds smaller ones.",
            false => "Not comparable; run a paired A/B.",
        };
        format!("Machine {} moved: {}. {consequence}\n\n", escaped(machine), escaped_long(&moved.to_string()))
    });
    fitting(lines, MOVEMENTS_BYTES_MAX).concat()
}

fn commits(report: &PullRequestReport) -> String {
    let (base, head) = (short_sha(&report.base_sha), short_sha(&report.head_sha));
    // GitHub links plain commit ids.
    format!("{base} → {head} · [full comparison]({})", report.comparison_url)
}

fn next_step(report: &PullRequestReport) -> Option<String> {
    let is_slower = matches!(report.state_of_rows(), State::Regressed | State::Mixed);
    match report.state() {
        State::Waiting => None,
        _ if is_slower && report.acknowledgement.is_none() => {
            Some("Intended? Comment `/roundtrip ack <reason>`. Re-run: `/roundtrip retry`.".to_owned())
        }
        State::Incomplete => Some("Fix the cause, then comment `/roundtrip retry`.".to_owned()),
        State::Inconclusive => {
            Some("No action needed. For more repetitions, comment `/roundtrip retry`.".to_owned())
        }
        _ if is_slower => None,
        State::NotComparable if report.machines_changed() => None,
        State::NotComparable if !report.rows.is_empty() => {
            Some(format!("See [the differences]({}).", report.comparison_url))
        }
        _ => Some("No action needed.".to_owned()),
    }
}

/// The changed rows that fit: the first are shown, the others folded.
fn table(report: &PullRequestReport, bytes_max: usize) -> String {
    let changed = report.changed();
    if changed.is_empty() {
        return String::new();
    }
    let common = Common::of(&changed);
    let head = if common.machine.is_some() { HEAD_OF_ONE_MACHINE } else { HEAD };
    let opening = common.line();
    let bytes_max = bytes_max.saturating_sub(opening.len() + 2 * head.len());
    let lines = fitting(changed.iter().map(|row| line(row, &common)), bytes_max);
    let (seen, folded) = lines.split_at(lines.len().min(ROWS_SEEN));
    let mut table =
        if seen.is_empty() { String::new() } else { format!("{opening}{head}{}\n", seen.concat()) };
    if !folded.is_empty() {
        let title = format!("{} more changed series", count(folded.len()));
        table += &format!("<details><summary>{title}</summary>\n\n{head}{}\n</details>\n\n", folded.concat());
    }
    let left_out = changed.len() - lines.len();
    if left_out > 0 {
        table += &format!(
            "{} not shown: [full comparison]({})\n\n",
            counted(left_out, "changed series is", "changed series are"),
            report.comparison_url
        );
    }
    table
}

/// The parts that all changed rows share, printed once above them.
#[derive(Default)]
struct Common<'a> {
    case: Option<&'a str>,
    metric: Option<&'a str>,
    machine: Option<&'a str>,
}

impl<'a> Common<'a> {
    /// Those of several rows; one row shows everything.
    fn of(rows: &[&'a ComparedSeries]) -> Self {
        let shared = |part: fn(&'a ComparedSeries) -> &'a str| {
            let first = part(rows.first()?);
            (rows.len() > 1 && rows.iter().all(|row| part(row) == first)).then_some(first)
        };
        Self {
            case: shared(|row| &row.case),
            metric: shared(|row| &row.metric),
            machine: shared(|row| &row.machine),
        }
    }

    fn line(&self) -> String {
        let parts = [self.case, self.metric, self.machine].into_iter().flatten().map(escaped);
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { String::new() } else { format!("All: {}\n\n", parts.join(" · ")) }
    }
}

fn line(row: &ComparedSeries, common: &Common<'_>) -> String {
    let mark = if row.verdict == Verdict::Regressed { WORSE } else { BETTER };
    let mark = format!("{mark} {}", word(row.verdict, [row]));
    let name = name(row, common);
    let series = row.url.as_ref().map_or_else(|| name.clone(), |url| format!("[{name}]({url})"));
    let machine = common.machine.is_none().then(|| escaped(&row.machine));
    let cells = [mark.replace(' ', "\u{a0}"), series].into_iter().chain(machine).chain([
        row.base.as_deref().map(value).unwrap_or_default(),
        row.head.as_deref().map(value).unwrap_or_default(),
        row.change.map(|share| format!("**{}**", change(share))).unwrap_or_default(),
        row.interval.map(interval).unwrap_or_default(),
    ]);
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// A series without the common parts.
fn name(row: &ComparedSeries, common: &Common<'_>) -> String {
    let size = row.message_bytes.map(size).unwrap_or_default();
    let case = common.case.is_none().then(|| escaped(&row.case));
    let metric = common.metric.is_none().then(|| escaped(&row.metric));
    let parts = [escaped(&row.transport), size].into_iter().chain(case).chain(metric);
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// The cause of the first slowdown that the job explained.
fn why(report: &PullRequestReport) -> String {
    let slower = report.changed().into_iter().filter(|row| row.verdict == Verdict::Regressed);
    let mut explained = slower.filter_map(|row| Some((row, row.finding.as_deref()?)));
    explained.next().map_or_else(String::new, |(row, finding)| {
        let name = name(row, &Common::default());
        let name = row.url.as_ref().map_or_else(|| name.clone(), |url| format!("[{name}]({url})"));
        format!("**Why:** {name}: {}\n\n", escaped_long(finding))
    })
}

fn acknowledgement(report: &PullRequestReport) -> String {
    report.acknowledgement.as_ref().map_or_else(String::new, |acknowledgement| {
        format!(
            "**Acknowledged** by {}: {}\n\n",
            escaped(&acknowledgement.by),
            escaped_long(&acknowledgement.reason)
        )
    })
}

/// The machines. Those without results come first, with the reason.
fn machines(report: &PullRequestReport) -> String {
    if report.legs.is_empty() {
        return String::new();
    }
    let mut legs: Vec<&Leg> = report.legs.iter().collect();
    legs.sort_by_key(|leg| leg.state == LegState::Measured);
    let named = fitting(legs.iter().map(|leg| machine(leg)), LEGS_BYTES_MAX);
    let more = legs.len() - named.len();
    let more = if more == 0 { String::new() } else { format!(" · and {} more", count(more)) };
    format!("**Machines:** {}{more}\n\n", named.join(" · "))
}

fn machine(leg: &Leg) -> String {
    let (mark, state) = match leg.state {
        LegState::Measured | LegState::Identical => ("✓", ""),
        LegState::Waiting => ("…", "waiting"),
        LegState::Failed => ("✗", "failed"),
        LegState::Offline => ("✗", "offline"),
    };
    let reason = leg.reason.as_deref().map(escaped).unwrap_or_default();
    let why: Vec<&str> = [state, &reason].into_iter().filter(|part| !part.is_empty()).collect();
    let parts = [why.join(": "), leg.took.map(duration).unwrap_or_default()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let why = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) };
    format!("{mark} {}{why}", escaped(&leg.machine))
}

fn folded(report: &PullRequestReport) -> String {
    if report.rows.is_empty() {
        return method(report);
    }
    let (title, undecided, method) = (folded_title(report), undecided(report), method(report));
    format!("<details><summary>{title}</summary>\n\n{undecided}{method}\n</details>\n")
}

fn folded_title(report: &PullRequestReport) -> String {
    let counts = report.counts();
    let parts = [
        (counts.unchanged, "unchanged"),
        (counts.inconclusive, "inconclusive"),
        (counts.not_comparable, "not comparable"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{} {what}", count(number)))
        .collect();
    if parts.is_empty() { "Method".to_owned() } else { format!("{}; method", parts.join(", ")) }
}

/// The inconclusive series, with their reasons.
fn undecided(report: &PullRequestReport) -> String {
    let rows = report.rows.iter().filter(|row| row.verdict == Verdict::Inconclusive);
    let lines = rows.filter_map(|row| {
        let reason = escaped_long(row.undecided.as_deref()?);
        let name = name(row, &Common::default());
        Some(format!("- {name} on {}: {reason}\n", escaped(&row.machine)))
    });
    let all: Vec<String> = lines.collect();
    let shown = fitting(all.iter().cloned(), INCONCLUSIVE_BYTES_MAX);
    if shown.is_empty() {
        return String::new();
    }
    let left = all.len() - shown.len();
    let more = if left == 0 { String::new() } else { format!("- {} more\n", count(left)) };
    format!("Inconclusive:\n\n{}{more}\n", shown.concat())
}

fn method(report: &PullRequestReport) -> String {
    let mut lines = Vec::new();
    if !report.methodology.is_empty() && !report.rows.is_empty() {
        lines.push(format!("{}\n", escaped_long(&report.methodology)));
    }
    if report.is_quarantined {
        lines.push(
            "This pull request is from a fork: its results are quarantined, never used as a base, and send no alerts.\n".to_owned(),
        );
    }
    lines.push(format!("[How to read this, and all commands]({})\n", report.docs_url));
    lines.join("\n")
}

/// A user's text of several words, escaped word by word.
fn escaped_long(text: &str) -> String {
    fitting(text.split_whitespace().map(escaped), TEXT_BYTES_MAX).join(" ")
}

/// The first texts, as many as fit.
fn fitting(texts: impl Iterator<Item = String>, bytes_max: usize) -> Vec<String> {
    let mut left = bytes_max;
    let fits = |text: &String| {
        // Includes the separator.
        left.checked_sub(text.len() + 4).map(|rest| left = rest).is_some()
    };
    texts.take_while(fits).collect()
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}
