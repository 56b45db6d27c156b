//! `docs`: runs the commands of the documentation as printed, each page on a temporary [`machine`].
//! `xtask/docs/pages.toml` lists how to run each block; `xtask/docs/reader.sh` has functions for all pages.

mod machine;

use crate::programs::{self, Profile};
use crate::screen::{self, Step};
use crate::tally::{self, Outcome, Tally};
use crate::{fixture, workspace};
use anyhow::{Context, Result, ensure};
use machine::{MachineBuilder, cannot_be_made};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use serde::Deserialize;
use std::fmt::Write as _;
use std::process::ExitCode;

const PAGES: &str = "xtask/docs/pages.toml";
const READER: &str = "xtask/docs/reader.sh";
/// The languages of command blocks. In `console`, commands are the lines with `$ `; the rest is output.
const LANGUAGES: [&str; 2] = ["console", "sh"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only pages with this text in their path.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Also list commands that are not run as printed, and why.
    #[arg(long)]
    verbose: bool,
}

pub(crate) fn docs(options: &Options) -> Result<ExitCode> {
    let only = options.only.as_deref().unwrap_or_default();
    let mut pages = pages()?;
    pages.retain(|page| page.path.contains(only));
    ensure!(!pages.is_empty(), "no page with commands matches {only}");
    if options.verbose {
        pages.iter().flat_map(Page::left_out).for_each(|line| screen::note(&line));
    }
    tally::verb(|tally| {
        fixture::build(tally)?;
        run_pages(tally, &pages)
    })
}

/// Runs the commands of all pages.
pub(crate) fn run(tally: &mut Tally) -> Result<()> {
    run_pages(tally, &pages()?)
}

fn run_pages(tally: &mut Tally, pages: &[Page]) -> Result<()> {
    if let Some(reason) = cannot_be_made() {
        return tally.skip("docs", &reason);
    }
    let builder = tally.prepare("docs: machine", |step| {
        MachineBuilder::prepare(&programs::build(step, &programs::BOTH, Profile::Dev)?, step)
    })?;
    let Some(builder) = builder else { return Ok(()) };
    for page in pages.iter().filter(|page| page.blocks().any(Block::is_run)) {
        let name = page.path.trim_start_matches("docs/").trim_end_matches(".md");
        tally.step(&format!("docs: {name}"), |step| run_page(page, &builder, step))?;
    }
    Ok(())
}

fn run_page(page: &Page, builder: &MachineBuilder, step: &Step) -> Result<Outcome> {
    let script = page.script(&commands(&workspace::read(&page.path)?))?;
    step.message("creating a machine");
    let machine = builder.machine()?;
    step.message("running");
    machine.run(&script).with_context(|| format!("the commands of {} failed", page.path))?;
    Ok(Outcome::Passed)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pages {
    page: Vec<Page>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    /// The path from the root of the checkout.
    path: String,
    #[serde(default)]
    given: String,
    #[serde(rename = "block")]
    entries: Vec<Block>,
}

/// The way to run a block of commands, or `times` blocks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    times: Option<usize>,
    #[serde(default)]
    changes: Vec<Change>,
    then: Option<String>,
    run_by: Option<String>,
    not_run: Option<String>,
}

/// A difference between the printed and the executed commands.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Change {
    Text { from: String, to: String, because: String },
    Glance { glance: String },
}

fn pages() -> Result<Vec<Page>> {
    let pages: Pages = toml::from_str(&workspace::read(PAGES)?).context(PAGES)?;
    Ok(pages.page)
}

impl Block {
    fn is_run(&self) -> bool {
        self.run_by.is_none() && self.not_run.is_none()
    }
}

impl Change {
    fn parts(&self) -> (&str, String, &str) {
        match self {
            Self::Text { from, to, because } => (from, to.clone(), because),
            Self::Glance { glance } => {
                (glance, format!("glance {glance}"), "runs for minutes: stopped as soon as it measures")
            }
        }
    }
}

impl Page {
    /// One for each block of commands.
    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.entries.iter().flat_map(|block| std::iter::repeat_n(block, block.times.unwrap_or(1)))
    }

    /// One line for each command that is not run as printed.
    fn left_out(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, block) in (1..).zip(self.blocks()) {
            let place = format!("{}, block {index}", self.path);
            lines.extend(block.run_by.iter().map(|file| format!("{place}: run by {file}")));
            lines.extend(block.not_run.iter().map(|reason| format!("{place}: not run: {reason}")));
            for (from, to, because) in block.changes.iter().map(Change::parts) {
                let to = if to.trim().is_empty() { "is left out" } else { &to };
                lines.push(format!("{place}: {from} -> {to}: {because}"));
            }
        }
        lines
    }

    fn script(&self, printed: &[Commands]) -> Result<String> {
        let (path, count) = (&self.path, self.blocks().count());
        ensure!(
            printed.len() == count,
            "{path} has {} command blocks, but {PAGES} lists {count}. Add an entry for each.",
            printed.len()
        );
        let mut script = format!("{}\n{}\n", workspace::read(READER)?, self.given);
        for (Commands { line, text }, block) in printed.iter().zip(self.blocks()) {
            if !block.is_run() {
                continue;
            }
            let mut text = text.clone();
            for (from, to, _) in block.changes.iter().map(Change::parts) {
                ensure!(text.contains(from), "no `{from}` in {path} line {line}");
                text = text.replace(from, &to);
            }
            // The commands may end with a comment or with `&`.
            let then = block.then.as_deref().unwrap_or_default();
            write!(script, "echo '--- {path} line {line}' >&2\n{text}\n{then}\n")?;
        }
        Ok(script)
    }
}

/// A block of commands in a page.
#[derive(Debug, PartialEq, Eq)]
struct Commands {
    /// The line of its first command, from 1.
    line: usize,
    text: String,
}

fn commands(page: &str) -> Vec<Commands> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, Commands)> = None;
    for (event, range) in Parser::new(page).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language)))
                if LANGUAGES.contains(&&*language) =>
            {
                let line = page[..range.start].matches('\n').count() + 2;
                open = Some((language.into_string(), Commands { line, text: String::new() }));
            }
            Event::Text(text) => {
                if let Some((_, block)) = &mut open {
                    block.text.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some((language, mut block)) = open.take() else { continue };
                if language == "console" {
                    let commands = block.text.lines().filter_map(|line| line.strip_prefix("$ "));
                    block.text = commands.flat_map(|command| [command, "\n"]).collect();
                }
                blocks.extend(Some(block).filter(|block| !block.text.is_empty()));
            }
            _ => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn finds_all_commands() {
        let page = "# Page\n\n```sh\none \\\n    two\n```\n\n1. First:\n\n   ```sh\n   three\n     four\n   ```\n\n\
                    ```toml\nfive = 5\n```\n\n```console\n$ six\nseven\n$ eight\n```\n\n```console\nnine\n```\n";
        let block = |line, text: &str| Commands { line, text: text.into() };
        let expected =
            [block(4, "one \\\n    two\n"), block(11, "three\n  four\n"), block(20, "six\neight\n")];
        assert_eq!(commands(page), expected);
    }

    #[test]
    fn every_command_block_is_listed() {
        let pages = pages().unwrap();
        let files = workspace::files().unwrap();
        let has_commands =
            |path: &&String| path.ends_with(".md") && !commands(&workspace::read(path).unwrap()).is_empty();
        let with_commands: BTreeSet<_> = files.iter().filter(has_commands).collect();
        let listed: BTreeSet<_> = pages.iter().map(|page| &page.path).collect();
        assert_eq!(listed, with_commands);
        assert_eq!(listed.len(), pages.len(), "a page is listed twice");
    }

    #[test]
    fn changes_apply_to_printed_commands() {
        for page in pages().unwrap() {
            page.script(&commands(&workspace::read(&page.path).unwrap())).unwrap();
            for block in page.blocks().filter(|block| !block.is_run()) {
                assert!(
                    block.changes.is_empty() && block.then.is_none(),
                    "{} changes what is not run",
                    page.path
                );
                assert!(
                    block.run_by.is_none() || block.not_run.is_none(),
                    "{} has both run_by and not_run",
                    page.path
                );
            }
        }
    }

    #[test]
    fn other_runners_name_their_page() {
        for page in pages().unwrap() {
            for file in page.blocks().filter_map(|block| block.run_by.as_ref()) {
                assert!(
                    workspace::read(file).unwrap().contains(&page.path),
                    "{file} does not name {}",
                    page.path
                );
            }
        }
    }
}
