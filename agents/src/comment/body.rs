//! The text of a comment: a hidden marker, the summary, and a link to the job.

use super::target::Forge;
use crate::format::count;

/// The start of the comments of this command and of the GitHub action, by which they find their own.
pub(super) const MARKER: &str = "<!-- roundtrip ab -->";
/// The start and end of a code block.
const FENCES: [&str; 2] = ["```", "~~~"];

/// Joins the parts. A summary beyond the forge's limit is cut after a line that is outside of code blocks.
pub(super) fn compose(summary: &str, job: Option<&str>, forge: Forge) -> String {
    // Angle brackets permit parentheses in the address.
    let link =
        job.filter(|url| is_linkable(url)).map(|url| format!("\n[Job](<{url}>)\n")).unwrap_or_default();
    let summary = summary.trim();
    let whole = format!("{MARKER}\n{summary}\n{link}");
    let limit = forge.characters_max();
    if whole.chars().count() <= limit {
        return whole;
    }
    let note = |left_out: usize| {
        format!(
            "\nCut at {} characters: {} more lines in the summary of the job.\n",
            count(limit as u64),
            count(left_out as u64)
        )
    };
    // The count of all lines is the longest.
    let lines = summary.lines().count();
    let room = limit - MARKER.len() - 1 - note(lines).chars().count() - link.chars().count();
    let (kept, line_count) = cut(summary, room);
    format!("{MARKER}\n{kept}{}{link}", note(lines - line_count))
}

fn is_linkable(url: &str) -> bool {
    let is_excluded =
        |character: char| character.is_whitespace() || character.is_control() || "<>".contains(character);
    (url.starts_with("http://") || url.starts_with("https://")) && !url.contains(is_excluded)
}

/// The first lines with at most this many characters, up to a line outside of code blocks; and their number.
fn cut(text: &str, room: usize) -> (&str, usize) {
    let (mut end, mut line_count) = (0, 0);
    let (mut length, mut characters, mut fence) = (0, 0, None);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        characters += line.chars().count();
        if characters > room {
            break;
        }
        length += line.len();
        let mark = FENCES.into_iter().find(|mark| line.trim_start().starts_with(mark));
        fence = match fence {
            None => mark,
            Some(open) if mark == Some(open) => None,
            open => open,
        };
        if fence.is_none() {
            (end, line_count) = (length, index + 1);
        }
    }
    (&text[..end], line_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 65_536;

    #[test]
    fn a_short_summary_is_whole_and_ends_with_the_job() {
        let url = "https://ci.example.org/job/a(b)/7/";
        let text = compose("### None of 2 cases regressed\n\nBase a, head b.\n\n", Some(url), Forge::GitHub);
        assert_eq!(
            text,
            format!("{MARKER}\n### None of 2 cases regressed\n\nBase a, head b.\n\n[Job](<{url}>)\n")
        );
        assert_eq!(compose("a", None, Forge::GitLab), format!("{MARKER}\na\n"));
        assert_eq!(compose("a", Some("javascript:alert(1)"), Forge::GitLab), format!("{MARKER}\na\n"));
        assert_eq!(compose("a", Some("https://a.example.org/>x"), Forge::GitLab), format!("{MARKER}\na\n"));
    }

    #[test]
    fn a_long_table_is_cut_after_a_row() {
        // Characters of several bytes, so that the limit in bytes would cut too much.
        let row = "| courier 64 B | 11.8 µs | 15.3 µs | +28 % |\n";
        let summary = format!("### 3,000 of 3,000 cases regressed\n\n| a |\n| --- |\n{}", row.repeat(3_000));
        let text = compose(&summary, Some("https://ci.example.org/1"), Forge::GitHub);
        let length = text.chars().count();
        assert!((LIMIT - row.chars().count()..=LIMIT).contains(&length), "{length}");
        let lines: Vec<&str> = text.lines().collect();
        let rows = lines.iter().filter(|line| **line == row.trim_end()).count();
        let note = format!(
            "Cut at 65,536 characters: {} more lines in the summary of the job.",
            count(3_000 - rows as u64)
        );
        assert_eq!(lines[lines.len() - 4..], ["", &note, "", "[Job](<https://ci.example.org/1>)"]);
        assert_eq!(lines[lines.len() - 5], row.trim_end());
        // The same summary fits the other forges.
        assert!(!compose(&summary, None, Forge::GitLab).contains("Cut at"));
    }

    #[test]
    fn exactly_the_limit_is_not_cut() {
        let room = LIMIT - MARKER.len() - 2;
        assert_eq!(compose(&"a".repeat(room), None, Forge::GitHub).chars().count(), LIMIT);
        let cut = compose(&"a".repeat(room + 1), None, Forge::GitHub);
        assert!(cut.contains("Cut at 65,536 characters") && cut.chars().count() < LIMIT, "{cut}");
    }

    #[test]
    fn a_code_block_is_kept_whole_or_left_out() {
        let block = format!("```text\n{}\n~~~\n```\n", "line\n".repeat(20_000));
        let text = compose(&format!("before\n\n{block}\nafter"), None, Forge::GitHub);
        assert!(
            text.starts_with(&format!("{MARKER}\nbefore\n\n\nCut at")) && !text.contains("```"),
            "{text}"
        );
        let short = format!("```\nshort\n```\n{block}");
        assert!(
            compose(&short, None, Forge::GitHub).starts_with(&format!("{MARKER}\n```\nshort\n```\n\nCut at"))
        );
    }
}
