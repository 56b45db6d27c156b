//! `roundtrip doctor`: what makes this machine noisy, what limits the suite, how to mend both, and what is fine; with
//! `--server`, how it and that server get on.
//!
//! As JSON: `{"findings": [...]}`, each with `slug`, `topic` (`processor`, `sharing`, `kernel`, `limit`, `server`), `state`
//! (`noisy`, `limiting`, `unknown`, `fine`), `found`, `why`, and `mend`, lines of commands or advice, or null. Members
//! are only ever added.

mod server;

use crate::cli::{DoctorArguments, Format};
use crate::output;
use crate::output::{WIDTH, is_coloured, paragraph, styled};
use clap::builder::styling::{AnsiColor, Style};
use comfy_table::{ContentArrangement, Table, presets};
use roundtrip_bench::doctor::{Finding, State};
use serde::Serialize;

/// Examines this machine, or a server, and prints what was found. It is advice: whatever is found is no failure.
pub(crate) fn doctor(arguments: &DoctorArguments) -> crate::Result<()> {
    let (findings, words) = match &arguments.server {
        Some(url) => (server::examine(url, &arguments.token)?, OF_A_SERVER),
        None => (roundtrip_bench::doctor::examine(), OF_THIS_MACHINE),
    };
    match arguments.format {
        Format::Json => output::print_json(&Answer { findings: &findings }),
        Format::Human => output::print(&render(&findings, words, is_coloured())),
    }
}

/// What stands above troubles, and what is said of them in the end.
#[derive(Clone, Copy)]
struct Words {
    limiting: &'static str,
    summary: fn(&[Finding]) -> String,
}

const OF_THIS_MACHINE: Words = Words { limiting: "Limits a part of the suite", summary };
const OF_A_SERVER: Words = Words { limiting: "Stands in the way", summary: server::summary };

#[derive(Serialize)]
struct Answer<'a> {
    findings: &'a [Finding],
}

/// First what can be mended, with the command; then a line on each thing that is fine; at last one sentence.
fn render(findings: &[Finding], words: Words, coloured: bool) -> String {
    let bold = Style::new().bold();
    let mut text = String::new();
    for (state, heading, colour) in [
        (State::Noisy, "Makes figures noisy", AnsiColor::Yellow),
        (State::Limiting, words.limiting, AnsiColor::Cyan),
    ] {
        let troubles = of(findings, state);
        if troubles.is_empty() {
            continue;
        }
        text.push_str(&format!("{}\n\n", styled(heading, bold, coloured)));
        for finding in troubles {
            let slug = styled(finding.slug, colour.on_default().bold(), coloured);
            let found = paragraph(&format!("{}: {}", finding.slug, finding.found), 2);
            text.push_str(&format!("{}\n", found.replacen(finding.slug, &slug, 1)));
            text.push_str(&format!("{}\n", paragraph(finding.why, 4)));
            // Commands are to be copied, so they are not broken into lines.
            for line in finding.mend.iter().flat_map(|mend| mend.lines()) {
                text.push_str(&format!("    → {}\n", styled(line, bold, coloured)));
            }
            text.push('\n');
        }
    }
    for (state, heading) in [(State::Unknown, "Not known"), (State::Fine, "Fine")] {
        let rest = of(findings, state);
        if rest.is_empty() {
            continue;
        }
        text.push_str(&format!("{}\n\n", styled(heading, bold, coloured)));
        text.push_str(&format!("{}\n", lines(&rest)));
        text.push('\n');
    }
    text + &paragraph(&(words.summary)(findings), 0)
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

fn of(findings: &[Finding], state: State) -> Vec<&Finding> {
    findings.iter().filter(|finding| finding.state == state).collect()
}

fn summary(findings: &[Finding]) -> String {
    let (noisy, limiting) = (of(findings, State::Noisy).len(), of(findings, State::Limiting).len());
    let things = |count| if count == 1 { "1 thing".to_owned() } else { format!("{count} things") };
    let limits = |count| if count == 1 { "limits a part of the suite" } else { "limit a part of the suite" };
    let even = "to mend before figures of this machine are as even as they can be";
    match (noisy, limiting) {
        (0, 0) => "Nothing here makes figures noisy.".into(),
        (0, _) => format!("Nothing here makes figures noisy; {} {}.", things(limiting), limits(limiting)),
        (_, 0) => format!("{} {even}.", things(noisy)),
        (_, _) => format!("{} {even}; {limiting} more {}.", things(noisy), limits(limiting)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(slug: &'static str, state: State, mend: Option<&str>) -> Finding {
        let (found, why) = ("as found".into(), "A reason.");
        Finding { slug, topic: "kernel", state, found, why, mend: mend.map(str::to_owned) }
    }

    #[test]
    fn what_is_noisy_comes_first_with_its_command_and_the_sum_last() {
        let findings = [
            finding("aslr", State::Fine, None),
            finding("swap", State::Noisy, Some("sudo swapoff --all")),
            finding("pipe-size", State::Limiting, Some("sudo sysctl")),
        ];
        let text = render(&findings, OF_THIS_MACHINE, false);
        let at = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("no {needle} in {text}"));
        assert!(at("swap: as found\n    A reason.\n    → sudo swapoff --all\n") < at("pipe-size: as found"));
        assert!(at("pipe-size: as found") < at("  aslr  as found\n"));
        let text = text.replace('\n', " ");
        assert!(text.ends_with("; 1 more limits a part of the suite."), "{text}");
    }

    #[test]
    fn a_quiet_machine_is_told_so() {
        assert_eq!(summary(&[finding("aslr", State::Fine, None)]), "Nothing here makes figures noisy.");
    }

    #[test]
    fn colour_only_when_it_is_asked_for() {
        let findings = [finding("swap", State::Noisy, Some("sudo swapoff --all"))];
        assert!(render(&findings, OF_THIS_MACHINE, true).contains("\u{1b}[1m"));
        assert!(!render(&findings, OF_THIS_MACHINE, false).contains('\u{1b}'));
    }
}
