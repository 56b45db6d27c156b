//! Commands that the docs name in a sentence exist, with their options. Those that stand in a block are typed: `cargo xtask docs`.

use super::{Finding, Source};
use crate::workspace;
use clap::CommandFactory;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The generated pages that have all verbs with their options.
const REFERENCES: [&str; 2] = ["docs/reference/roundtrip.md", "docs/reference/roundtrip-server.md"];

/// The options of each verb, as both are written: `roundtrip service install`, `--print`.
type Verbs = BTreeMap<String, Vec<String>>;

/// A verb or an option that a page names in a sentence exists. What is told of the past may be gone.
pub(super) fn commands_exist(source: &Source) -> Vec<Finding> {
    static VERBS: LazyLock<Verbs> = LazyLock::new(|| {
        let read = |path: &str| std::fs::read_to_string(workspace::root().join(path)).unwrap_or_default();
        REFERENCES.iter().flat_map(|path| of_reference(&read(path))).chain(of_xtask()).collect()
    });
    if !source.has_extension(&["md"]) || source.path == "CHANGELOG.md" || REFERENCES.contains(&source.path) {
        return Vec::new();
    }
    unknown(source, &VERBS)
}

fn unknown(source: &Source, verbs: &Verbs) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (event, range) in Parser::new(source.text).into_offset_iter() {
        let Event::Code(code) = event else { continue };
        let words: Vec<&str> = code.split_whitespace().collect();
        // What is done to a command, such as `cargo install`, is not one of ours.
        let verb = (1..=words.len())
            .rev()
            .map(|count| words[..count].join(" "))
            .find(|verb| verbs.contains_key(verb));
        let Some(verb) = verb else { continue };
        let rest = &words[verb.split(' ').count()..];
        let line = source.text[..range.start].matches('\n').count() + 1;
        if let Some(word) = rest.first().filter(|word| is_verb(word) && has_verbs(&verb, verbs)) {
            findings.push(source.finding(line, &format!("names `{verb} {word}`, which does not exist")));
        }
        for option in rest.iter().filter_map(|word| option(word)) {
            if !verbs[&verb].iter().any(|known| known == option) && !["--help", "--version"].contains(&option)
            {
                findings.push(
                    source.finding(
                        line,
                        &format!("gives `{verb}` the option `{option}`, which it does not have"),
                    ),
                );
            }
        }
    }
    findings
}

/// A word that can only be a verb: names of files and what stands for something are written otherwise.
fn is_verb(word: &str) -> bool {
    // Every program with verbs has this one, and its page does not list it.
    word != "help"
        && word.chars().all(|character| character.is_ascii_lowercase() || character == '-')
        && !word.starts_with('-')
}

fn has_verbs(verb: &str, verbs: &Verbs) -> bool {
    verbs.keys().any(|other| other.strip_prefix(verb).is_some_and(|rest| rest.starts_with(' ')))
}

/// The name of an option, as in `--option=value`.
fn option(word: &str) -> Option<&str> {
    let end = word
        .find(|character: char| !character.is_ascii_lowercase() && character != '-')
        .unwrap_or(word.len());
    Some(&word[..end]).filter(|name| name.starts_with("--") && name.len() > 2)
}

/// Headings that are a verb in code, and the items below whose code begins with an option.
fn of_reference(page: &str) -> Verbs {
    let mut verbs = Verbs::new();
    let (mut verb, mut is_heading) = (String::new(), false);
    for event in Parser::new(page) {
        match event {
            Event::Start(Tag::Heading { .. }) => is_heading = true,
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Code(code) if is_heading => {
                verb = code.into_string();
                verbs.entry(verb.clone()).or_default();
            }
            Event::Code(code) => {
                let names = code.split([' ', ',']).filter_map(option).map(str::to_owned);
                verbs.entry(verb.clone()).or_default().extend(names);
            }
            _ => {}
        }
    }
    verbs
}

fn of_xtask() -> Verbs {
    fn add(command: &clap::Command, name: &str, verbs: &mut Verbs) {
        let options =
            command.get_arguments().filter_map(|argument| Some(format!("--{}", argument.get_long()?)));
        verbs.insert(name.to_owned(), options.collect());
        command.get_subcommands().for_each(|verb| add(verb, &format!("{name} {}", verb.get_name()), verbs));
    }
    let mut verbs = Verbs::new();
    add(&crate::Arguments::command(), "cargo xtask", &mut verbs);
    verbs
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "## `tool`\n\n* `run` — Runs\n\n## `tool run`\n\n###### **Options:**\n\n* `-o`, `--output <FILE>` — Where to\n";

    fn found(text: &str) -> Vec<String> {
        let source = Source { path: "docs/page.md", text };
        let findings = unknown(&source, &of_reference(PAGE));
        findings.iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect()
    }

    #[test]
    fn what_exists_is_let_through() {
        assert!(
            found("`tool`, `tool run --output FILE`, `tool run FILE --help`, `other walk --fast`\n")
                .is_empty()
        );
    }

    #[test]
    fn verbs_and_options_that_do_not_exist_are_told() {
        let text = "`tool walk`\n\nand\n`tool run --fast=2`\n";
        assert_eq!(
            found(text),
            [
                "1: names `tool walk`, which does not exist",
                "4: gives `tool run` the option `--fast`, which it does not have"
            ]
        );
    }

    #[test]
    fn our_own_verbs_are_known() {
        let verbs = of_xtask();
        assert!(verbs["cargo xtask chaos"].contains(&"--only".to_owned()));
        assert!(verbs.contains_key("cargo xtask release pack"));
    }
}
