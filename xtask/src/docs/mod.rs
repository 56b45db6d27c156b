//! `docs`: runs the commands of the documentation as they are printed there, each page's on a [`machine`] that is thrown away.
//! `xtask/docs/pages.toml` lists what runs each block; `xtask/docs/reader.sh` is what every page may use.

mod machine;

use crate::programs::{self, Profile};
use crate::screen::{self, Step};
use crate::tally::{self, Outcome, Tally};
use crate::{fixture, workspace};
use anyhow::{Context, Result, ensure};
use machine::{Maker, cannot_be_made};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use serde::Deserialize;
use std::fmt::Write as _;
use std::process::ExitCode;

const PAGES: &str = "xtask/docs/pages.toml";
const READER: &str = "xtask/docs/reader.sh";
/// The languages of blocks with commands. In `console` the lines with `$ ` are, the rest is the answer.
const LANGUAGES: [&str; 2] = ["console", "sh"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only pages whose path has this in it.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Also list what is not run as it is printed, and why.
    #[arg(long)]
    verbose: bool,
}

/// Runs the verb.
pub(crate) fn docs(options: &Options) -> Result<ExitCode> {
    let only = options.only.as_deref().unwrap_or_default();
    let mut pages = pages()?;
    pages.retain(|page| page.path.contains(only));
    ensure!(!pages.is_empty(), "no page with commands has {only} in its path");
    if options.verbose {
        pages.iter().flat_map(Page::left_out).for_each(|line| screen::note(&line));
    }
    tally::verb(|tally| {
        fixture::build(tally)?;
        run_pages(tally, &pages)
    })
}

/// Runs the commands of all pages with the released programs.
pub(crate) fn run(tally: &mut Tally) -> Result<()> {
    run_pages(tally, &pages()?)
}

fn run_pages(tally: &mut Tally, pages: &[Page]) -> Result<()> {
    if let Some(reason) = cannot_be_made() {
        return tally.skip("docs", &reason);
    }
    let maker = tally.prepare("docs: machine", |step| {
        Maker::prepare(&programs::build(step, &programs::BOTH, Profile::Release)?, step)
    })?;
    let Some(maker) = maker else { return Ok(()) };
    for page in pages.iter().filter(|page| page.blocks().any(Block::is_run)) {
        let name = page.path.trim_start_matches("docs/").trim_end_matches(".md");
        tally.step(&format!("docs: {name}"), |step| run_page(page, &maker, step))?;
    }
    Ok(())
}

fn run_page(page: &Page, maker: &Maker, step: &Step) -> Result<Outcome> {
    let script = page.script(&commands(&workspace::read(&page.path)?))?;
    step.message("making a machine");
    let machine = maker.machine()?;
    step.message("running");
    machine.run(&script).with_context(|| format!("the commands of {} do not work", page.path))?;
    Ok(Outcome::Passed)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pages {
    page: Vec<Page>,
}

/// A page with commands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    /// From the root of the checkout.
    path: String,
    #[serde(default)]
    given: String,
    #[serde(rename = "block")]
    entries: Vec<Block>,
}

/// What runs a block of commands, or `times` blocks.
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

/// What is run instead of what is printed.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Change {
    Text { from: String, to: String, because: String },
    Glance { glance: String },
}

/// All pages with commands.
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
            Self::Glance { glance } => (
                glance,
                format!("glance {glance}"),
                "it goes on for minutes: it is stopped once it has begun",
            ),
        }
    }
}

impl Page {
    /// One for each block of commands.
    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.entries.iter().flat_map(|block| std::iter::repeat_n(block, block.times.unwrap_or(1)))
    }

    /// A line for each thing that is not run as it is printed.
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

    /// All that is run for the page, as bash.
    fn script(&self, printed: &[Commands]) -> Result<String> {
        let (path, count) = (&self.path, self.blocks().count());
        ensure!(
            printed.len() == count,
            "{path} has {} blocks of commands, {PAGES} has {count}: say what runs each",
            printed.len()
        );
        let mut script = format!("{}\n{}\n", workspace::read(READER)?, self.given);
        for (Commands { line, text }, block) in printed.iter().zip(self.blocks()) {
            if !block.is_run() {
                continue;
            }
            let mut text = text.clone();
            for (from, to, _) in block.changes.iter().map(Change::parts) {
                ensure!(text.contains(from), "{path} line {line} has no `{from}` any more");
                text = text.replace(from, &to);
            }
            // The commands may end with a comment, or with `&`.
            let then = block.then.as_deref().unwrap_or_default();
            write!(script, "echo '--- {path} line {line}' >&2\n{text}\n{then}\n")?;
        }
        Ok(script)
    }
}

/// A block of commands in a page.
#[derive(Debug, PartialEq, Eq)]
struct Commands {
    /// Where its first command is, from 1.
    line: usize,
    text: String,
}

/// All blocks of commands of a page.
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
    fn commands_are_found_wherever_they_are_and_nothing_else_is() {
        let page = "# Page\n\n```sh\none \\\n    two\n```\n\n1. First:\n\n   ```sh\n   three\n     four\n   ```\n\n\
                    ```toml\nfive = 5\n```\n\n```console\n$ six\nseven\n$ eight\n```\n\n```console\nnine\n```\n";
        let block = |line, text: &str| Commands { line, text: text.into() };
        let expected =
            [block(4, "one \\\n    two\n"), block(11, "three\n  four\n"), block(20, "six\neight\n")];
        assert_eq!(commands(page), expected);
    }

    #[test]
    fn for_every_block_of_commands_in_the_docs_the_list_has_what_runs_it() {
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
    fn what_is_run_is_printed_but_for_changes_that_still_change_something() {
        for page in pages().unwrap() {
            page.script(&commands(&workspace::read(&page.path).unwrap())).unwrap();
            for block in page.blocks().filter(|block| !block.is_run()) {
                assert!(
                    block.changes.is_empty() && block.then.is_none(),
                    "{} changes what is not run",
                    page.path
                );
                assert!(block.run_by.is_none() || block.not_run.is_none(), "{} says two things", page.path);
            }
        }
    }

    #[test]
    fn a_file_that_runs_commands_of_a_page_names_it() {
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
