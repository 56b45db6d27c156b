//! A Markdown summary for GitHub's page of a job and for comments on all forges, with the verdict first.

use crate::comparison::{self, Line, Side};
use crate::failure::OnDisk;
use crate::format::{change_interval, count, signed_percent};
use crate::table;
use roundtrip_wire::{CaseResult, RunReport, Verdict};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// GitHub drops the whole output of a step beyond 1 MiB. Other commands in the step also write to it.
const BYTES_MAX: usize = 512 * 1024;
/// Row limit of a summary; the report has all rows.
const ROWS_MAX: usize = 200;
/// A distribution needs a fixed-width font.
const NOT_SHOWN: &str = "distribution";

#[derive(Debug, Default)]
struct Page {
    text: String,
    row_count: usize,
    left_out: u64,
}

/// Appends to a file that may have other contents.
pub(crate) fn append(path: &Path, text: &str) -> crate::Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.on_disk(path)
}

pub(crate) fn of_run(report: &RunReport) -> crate::Result<String> {
    let RunReport { project, machine, suite, .. } = report;
    let mut page = Page::default();
    page.line(&format!("### {} {}", escaped(project.as_str()), table::revision(report)));
    page.line("");
    let modified = table::modified(report);
    let of_pull_request =
        report.pull_request.map_or(String::new(), |number| format!(", pull request {number}"));
    page.line(&format!(
        "Preset {} on {}{modified}{of_pull_request}",
        escaped(suite.preset.as_str()),
        escaped(machine.slug.as_str())
    ));
    for (title, results) in table::groups(report) {
        page.table_of(&title, &results)?;
    }
    Ok(page.end())
}

pub(crate) fn of_comparison(base: &str, head: &str, lines: &[Line], detectable: Option<f64>) -> String {
    let mut page = Page::default();
    page.line(&format!("### {}", sentence(lines)));
    page.line("");
    let sides = format!("Base {}, head {}.", escaped(base), escaped(head));
    if lines.iter().all(|line| line.identical) {
        page.line(&format!("{} {sides}", comparison::all_identical(lines)));
        return page.end();
    }
    page.line(&format!("{sides} {}", comparison::meaning_of_change(lines)));
    if let Some(power) = comparison::power_in_unchanged(detectable, lines) {
        page.line(&power);
    }
    let is_shown = |line: &&Line| line.verdict != Verdict::NoChange || !line.tail_changes().is_empty();
    let shown: Vec<&Line> = lines.iter().filter(is_shown).collect();
    if !shown.is_empty() {
        let names = ["case", "base p50", "head p50", "change", "95 % interval", "verdict"];
        page.head(&names, |name| !["case", "verdict"].contains(&name));
        shown.iter().for_each(|line| page.row(&cells(line)));
    }
    page.end()
}

fn sentence(lines: &[Line]) -> String {
    let number = |is_one: &dyn Fn(&&Line) -> bool| lines.iter().filter(is_one).count() as u64;
    let with = |verdict: Verdict| number(&|line: &&Line| line.verdict == verdict);
    let regressed = number(&|line: &&Line| line.regressed());
    let all = lines.len() as u64;
    let identical = comparison::identical_count(lines) as u64;
    if identical == all {
        return "Identical programs: nothing to measure".to_owned();
    }
    let begin = match regressed {
        0 => format!("None of {} cases regressed", count(all)),
        _ => format!("{} of {} cases regressed", count(regressed), count(all)),
    };
    let others = [Verdict::Improved, Verdict::Inconclusive, Verdict::NotComparable]
        .into_iter()
        .filter(|&verdict| with(verdict) > 0)
        .map(|verdict| format!(", {} {verdict}", count(with(verdict))));
    let identical =
        (identical > 0).then(|| format!(", {} not measured (identical program)", count(identical)));
    others.chain(identical).fold(begin, |sentence, other| sentence + &other)
}

fn cells(line: &Line) -> Vec<String> {
    let time = |side: Option<Side>| side.map(|side| line.value(side)).unwrap_or_default();
    let verdict =
        std::iter::once(line.verdict_text()).chain(line.other_changes()).collect::<Vec<_>>().join("; ");
    vec![
        line.case.clone(),
        time(line.base),
        time(line.head),
        line.change.map(signed_percent).unwrap_or_default(),
        line.change_interval.map(change_interval).unwrap_or_default(),
        verdict,
    ]
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The first line of a table.
    fn head(&mut self, names: &[&str], is_number: fn(&str) -> bool) {
        self.line("");
        self.line(&format!("| {} |", names.join(" | ")));
        let rule = names.iter().map(|name| if is_number(name) { "---:" } else { "---" });
        self.line(&format!("| {} |", rule.collect::<Vec<_>>().join(" | ")));
    }

    fn row(&mut self, cells: &[String]) {
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        let row = format!("| {} |", cells.join(" | "));
        if self.row_count == ROWS_MAX || self.text.len() + row.len() > BYTES_MAX {
            self.left_out += 1;
            return;
        }
        self.row_count += 1;
        self.line(&row);
    }

    fn table_of(&mut self, title: &str, results: &[&CaseResult]) -> crate::Result<()> {
        let header = table::header(results.first());
        let names: Vec<&str> = header.iter().copied().filter(|name| *name != NOT_SHOWN).collect();
        let (mut rows, mut notes) = (Vec::new(), Vec::new());
        for result in results.iter().filter(|result| result.unsupported.is_none()) {
            match table::row(result)? {
                Ok(cells) => rows.push(cells),
                Err(note) => notes.push(format!("{}: {note}", table::name(result))),
            }
        }
        if rows.is_empty() && notes.is_empty() {
            return Ok(());
        }
        self.line("");
        self.line(&format!("**{}**", escaped(title)));
        if !rows.is_empty() {
            self.head(&names, table::is_number);
        }
        for cells in rows {
            let shown = header.iter().zip(cells).filter(|(name, _)| **name != NOT_SHOWN);
            self.row(&shown.map(|(_, cell)| cell).collect::<Vec<_>>());
        }
        self.line("");
        for note in notes {
            self.row_count += 1;
            if self.row_count <= ROWS_MAX {
                self.line(&format!("- {}", escaped(&note)));
            } else {
                self.left_out += 1;
            }
        }
        Ok(())
    }

    fn end(mut self) -> String {
        if self.left_out > 0 {
            let left_out = count(self.left_out);
            self.line("");
            self.line(&format!("{left_out} more in the report."));
        }
        self.line("");
        self.text
    }
}

/// Escapes a text for Markdown: names come from definitions and programs.
fn escaped(text: &str) -> String {
    text.char_indices().fold(String::new(), |mut escaped, (index, character)| {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // A zero-width space prevents a mention: forges decode the escape before they look for names.
            '@' if text[index + 1..].starts_with(char::is_alphanumeric) => escaped.push_str("&#64;&#8203;"),
            // Prevent accidental links and mentions.
            '@' => escaped.push_str("&#64;"),
            ':' => escaped.push_str("&#58;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' => escaped.extend(['\\', character]),
            _ if character.is_control() => escaped.push(' '),
            _ => escaped.push(character),
        }
        escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden_report;
    use roundtrip_wire::Slug;

    #[test]
    fn prints_a_table_with_units() {
        let text = of_run(&golden_report()).unwrap();
        let report = golden_report();
        assert!(
            text.starts_with(&format!("### {} at {}\n", report.project, report.commit.sha.short())),
            "{text}"
        );
        assert!(text.contains("| transport | message | p50 |") && !text.contains(NOT_SHOWN), "{text}");
        assert!(text.contains("| --- | ---: | ---: |"), "{text}");
        assert!(text.contains(" µs |") || text.contains(" ns |"), "{text}");
    }

    #[test]
    fn escapes_names_in_cells() {
        let text = escaped("a|b\n<img src=x> [c](http://d) `e` *f* @g HEAD@{1}");
        let expected =
            "a\\|b &lt;img src=x&gt; \\[c\\](http&#58;//d) \\`e\\` \\*f\\* &#64;&#8203;g HEAD&#64;{1}";
        assert_eq!(text, expected);
    }

    #[test]
    fn counts_rows_beyond_the_limit() {
        let mut report = golden_report();
        let result = report.results[0].clone();
        report.results = (0..1_000)
            .map(|number| {
                let mut result = result.clone();
                result.case.variant = Some(Slug::from_name(&format!("v{number}")));
                result
            })
            .collect();
        let text = of_run(&report).unwrap();
        assert!(text.contains("800 more in the report") && text.len() < BYTES_MAX, "{text}");
    }

    #[test]
    fn limits_long_rows() {
        let mut page = Page::default();
        page.row(&["a".to_owned()]);
        page.row(&["b".repeat(BYTES_MAX)]);
        let text = page.end();
        assert!(text.len() < 1_000 && text.contains("1 more in the report"), "{text}");
    }

    #[test]
    fn appends_to_existing_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.md");
        append(&path, "one\n").unwrap();
        append(&path, "two\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    }
}
