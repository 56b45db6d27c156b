//! References in documents must exist: files, tests by name, commands with their options. `cargo xtask docs`
//! runs the commands in blocks.

use super::{Finding, Source};
use crate::workspace;
use clap::CommandFactory;
use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

/// The generated references of all commands and options.
const REFERENCES: [&str; 2] = ["docs/reference/roundtrip.md", "docs/reference/roundtrip-server.md"];

/// The options of each command, both as written: `roundtrip service install`, `--print`.
type Verbs = BTreeMap<String, Vec<String>>;

static VERBS: LazyLock<Verbs> = LazyLock::new(|| {
    let read = |path: &&str| workspace::read(path).unwrap_or_default();
    REFERENCES.iter().flat_map(|path| verbs_in(&read(path))).chain(xtask_verbs()).collect()
});

/// Links within the tree must have a target. If the text is a name in code and the target is a Rust file, the
/// name must be a test or function in it: [`the_tree_is_tidy`](mod.rs). Commands and options in code must
/// exist, except in the changelog, which may name removed ones.
pub(super) fn references_lead_somewhere(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["md"]) {
        return Vec::new();
    }
    let has_commands = source.path != "CHANGELOG.md" && !REFERENCES.contains(&source.path);
    let mut findings = Vec::new();
    let mut link = None;
    for (event, range) in Parser::new(source.text).into_offset_iter() {
        let messages = match event {
            Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) => {
                let file = dest_url.split('#').next().unwrap_or_default().to_owned();
                let is_within = !file.is_empty() && !file.contains(':') && link_type != LinkType::Email;
                link = is_within.then_some(file);
                let gone = link.iter().filter(|file| !workspace::root().join(path_of(source, file)).exists());
                gone.map(|_| format!("links to {dest_url}, which does not exist")).collect()
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                link = None;
                continue;
            }
            Event::Code(code) => {
                let gone = link.iter().filter(|file| lacks_function(source, file, &code));
                let gone = gone.map(|file| format!("names {code}, which is not in {file}"));
                gone.chain(has_commands.then(|| unknown(&code)).into_iter().flatten()).collect()
            }
            _ => Vec::new(),
        };
        let line = source.text[..range.start].matches('\n').count() + 1;
        findings.extend(messages.iter().map(|message| source.finding(line, message)));
    }
    findings
}

/// The path of a linked file from the root. The system resolves `..`.
fn path_of(source: &Source, file: &str) -> std::path::PathBuf {
    Path::new(source.path).with_file_name(file)
}

/// Whether a Rust file lacks the name in the link text. Checks only names of several words, not `Kind`.
fn lacks_function(source: &Source, file: &str, name: &str) -> bool {
    let is_name = name.contains('_')
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    is_name && file.ends_with(".rs") && {
        let text = std::fs::read_to_string(workspace::root().join(path_of(source, file)));
        !text.is_ok_and(|text| text.contains(&format!("fn {name}(")))
    }
}

fn unknown(code: &str) -> Vec<String> {
    let words: Vec<&str> = code.split_whitespace().collect();
    // The commands of other programs, such as `cargo install`, are not ours.
    let mut beginnings = (1..=words.len()).rev().map(|count| words[..count].join(" "));
    let Some(verb) = beginnings.find(|verb| VERBS.contains_key(verb)) else { return Vec::new() };
    let rest = &words[verb.split(' ').count()..];
    // A word that can only be a subcommand: file names and placeholders look different. Every program with
    // subcommands has `help`.
    let is_verb = |word: &&&str| {
        let is_lower = |character: char| character.is_ascii_lowercase() || character == '-';
        **word != "help" && word.chars().all(is_lower) && !word.starts_with('-')
    };
    let has_verbs = VERBS.keys().any(|other| other.starts_with(&format!("{verb} ")));
    let word = rest.first().filter(is_verb).filter(|_| has_verbs);
    let word = word.map(|word| format!("names `{verb} {word}`, which does not exist"));
    let known = |option: &&str| {
        VERBS[&verb].iter().any(|known| known == option) || ["--help", "--version"].contains(option)
    };
    let options = rest.iter().filter_map(|word| option(word)).filter(|option| !known(option));
    let options =
        options.map(|option| format!("gives `{verb}` the option `{option}`, which it does not have"));
    word.into_iter().chain(options).collect()
}

/// The name of an option, such as `--option=value`.
fn option(word: &str) -> Option<&str> {
    let end = word.find(|character: char| !character.is_ascii_lowercase() && character != '-');
    Some(&word[..end.unwrap_or(word.len())]).filter(|name| name.starts_with("--") && name.len() > 2)
}

/// Reads the reference: headings are commands in code, and the list items below begin with an option in code.
fn verbs_in(page: &str) -> Verbs {
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

fn xtask_verbs() -> Verbs {
    fn add(command: &clap::Command, name: &str, verbs: &mut Verbs) {
        let long = |argument: &clap::Arg| Some(format!("--{}", argument.get_long()?));
        verbs.insert(name.to_owned(), command.get_arguments().filter_map(long).collect());
        command.get_subcommands().for_each(|verb| add(verb, &format!("{name} {}", verb.get_name()), verbs));
    }
    let mut verbs = Verbs::new();
    add(&crate::Arguments::command(), "cargo xtask", &mut verbs);
    verbs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_references_to_missing_things() {
        for (text, expected) in [
            ("[one](../../README.md#there), [two](https://example.org), [three](#here)", &[][..]),
            ("x\n[one](gone.md)", &["2: links to gone.md, which does not exist"]),
            ("```\n[one](gone.md)\n```", &[]),
            ("[`the_tree_is_tidy`](../../xtask/src/tidy/mod.rs) [`Kind`](../../xtask/src/tidy/mod.rs)", &[]),
            (
                "[`the_tree`](../../xtask/src/tidy/mod.rs)",
                &["1: names the_tree, which is not in ../../xtask/src/tidy/mod.rs"],
            ),
            (
                "`roundtrip`, `roundtrip run --output FILE`, `roundtrip run FILE --help`, `other walk --fast`",
                &[],
            ),
            ("`cargo xtask chaos --only ring`, `cargo xtask bench server`", &[]),
            ("`roundtrip walk`", &["1: names `roundtrip walk`, which does not exist"]),
            (
                "a\n\n`cargo xtask chaos --fast=2`",
                &["3: gives `cargo xtask chaos` the option `--fast`, which it does not have"],
            ),
        ] {
            let findings = references_lead_somewhere(&Source { path: "docs/how-to/a.md", text });
            let found: Vec<_> =
                findings.iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
