//! `roundtrip doctor`: finds sources of noise and limits on this machine, and how to fix them; with
//! `--server`, tests the connection.
//!
//! As JSON: `{"findings": [...]}`, each with `slug`, `topic` (`processor`, `sharing`, `kernel`, `limit`,
//! `server`), `state` (`noisy`, `limiting`, `unknown`, `fine`), `found`, `why`, and `fix`, which has lines of
//! commands or advice, or is null. Members are only ever added.

mod server;

use crate::cli::{DoctorArguments, Format};
use crate::failure::Failure;
use crate::format::counted;
use crate::output::{self, WIDTH, is_coloured, paragraph, styled};
use clap::builder::styling::{AnsiColor, Style};
use comfy_table::{ContentArrangement, Table, presets};
use roundtrip_bench::doctor::{Finding, State};
use serde::Serialize;

/// Examines this machine or a server, and prints the findings. A server with problems fails the command; findings on this
/// machine are advice.
pub(crate) fn doctor(arguments: &DoctorArguments) -> crate::Result<()> {
    let (findings, limiting, summary): (_, _, fn(&[Finding]) -> String) = match &arguments.server {
        Some(url) => (server::examine(url, &arguments.token)?, "Connection problems", server::summary),
        None => (roundtrip_bench::doctor::examine(), LIMITING, summary),
    };
    match arguments.format {
        Format::Json => output::print_json(&Answer { findings: &findings })?,
        Format::Human => output::print(&render(&findings, limiting, &summary(&findings), is_coloured()))?,
    }
    let has_problems = !with_state(&findings, State::Limiting).is_empty();
    if arguments.server.is_some() && has_problems { Err(Failure::Printed) } else { Ok(()) }
}

const LIMITING: &str = "Limits which benchmarks run";

#[derive(Serialize)]
struct Answer<'a> {
    findings: &'a [Finding],
}

/// Prints the findings to fix, with commands; then one line for each other finding; then the summary.
fn render(findings: &[Finding], limiting: &str, summary: &str, coloured: bool) -> String {
    let bold = Style::new().bold();
    let mut text = String::new();
    for (state, heading, colour) in
        [(State::Noisy, "Sources of noise", AnsiColor::Yellow), (State::Limiting, limiting, AnsiColor::Cyan)]
    {
        let problems = with_state(findings, state);
        if problems.is_empty() {
            continue;
        }
        text.push_str(&format!("{}\n\n", styled(heading, bold, coloured)));
        for finding in problems {
            let slug = styled(finding.slug, colour.on_default().bold(), coloured);
            let found = paragraph(&format!("{}: {}", finding.slug, finding.found), 2);
            text.push_str(&format!("{}\n", found.replacen(finding.slug, &slug, 1)));
            text.push_str(&format!("{}\n", paragraph(finding.why, 4)));
            // Commands are copied, so they are not wrapped.
            for line in finding.fix.iter().flat_map(|fix| fix.lines()) {
                text.push_str(&format!("    → {}\n", styled(line, bold, coloured)));
            }
            text.push('\n');
        }
    }
    for (state, heading) in [(State::Unknown, "Unknown"), (State::Fine, "Fine")] {
        let rest = with_state(findings, state);
        if rest.is_empty() {
            continue;
        }
        text.push_str(&format!("{}\n\n", styled(heading, bold, coloured)));
        text.push_str(&format!("{}\n", lines(&rest)));
        text.push('\n');
    }
    text + &paragraph(summary, 0)
}

fn lines(findings: &[&Finding]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    for finding in findings {
        table.add_row([finding.slug, &finding.found]);
    }
    for (index, padding) in [(0, (2, 1)), (1, (1, 0))] {
        if let Some(column) = table.column_mut(index) {
            column.set_padding(padding);
        }
    }
    table.trim_fmt()
}

fn with_state(findings: &[Finding], state: State) -> Vec<&Finding> {
    findings.iter().filter(|finding| finding.state == state).collect()
}

fn summary(findings: &[Finding]) -> String {
    let noise = match with_state(findings, State::Noisy).len() {
        0 => "No sources of noise found".to_owned(),
        noisy => format!("{} of noise found", counted(noisy, "source")),
    };
    match with_state(findings, State::Limiting).len() {
        0 => format!("{noise}."),
        limiting => format!("{noise}; {} on the benchmarks.", counted(limiting, "limit")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(slug: &'static str, state: State, fix: Option<&str>) -> Finding {
        let (found, why) = ("as found".into(), "A reason.");
        Finding { slug, topic: "kernel", state, found, why, fix: fix.map(str::to_owned) }
    }

    #[test]
    fn prints_noisy_findings_first_and_a_summary_last() {
        let findings = [
            finding("aslr", State::Fine, None),
            finding("swap", State::Noisy, Some("sudo swapoff --all")),
            finding("pipe-size", State::Limiting, Some("sudo sysctl")),
        ];
        let text = render(&findings, LIMITING, &summary(&findings), false);
        let at = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("no {needle} in {text}"));
        assert!(at("swap: as found\n    A reason.\n    → sudo swapoff --all\n") < at("pipe-size: as found"));
        assert!(at("pipe-size: as found") < at("  aslr  as found\n"));
        let text = text.replace('\n', " ");
        assert!(text.ends_with("1 source of noise found; 1 limit on the benchmarks."), "{text}");
    }

    #[test]
    fn reports_a_quiet_machine() {
        assert_eq!(summary(&[finding("aslr", State::Fine, None)]), "No sources of noise found.");
    }

    #[test]
    fn colours_only_on_request() {
        let findings = [finding("swap", State::Noisy, Some("sudo swapoff --all"))];
        assert!(render(&findings, LIMITING, "", true).contains("\u{1b}[1m"));
        assert!(!render(&findings, LIMITING, "", false).contains('\u{1b}'));
    }
}
