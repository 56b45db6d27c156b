//! What documents refer to exists: files, tests by their names, commands with their options. Commands in a block are run:
//! `cargo xtask docs`.

use super::{Finding, Source};
use crate::workspace;
use clap::CommandFactory;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

/// The generated pages that have all verbs with their options.
const REFERENCES: [&str; 2] = ["docs/reference/roundtrip.md", "docs/reference/roundtrip-server.md"];

/// Links within the tree lead to something. One whose text is a name in code, and which leads to a Rust file, names a test or
/// another function of it: [`the_tree_is_tidy`](mod.rs).
pub(super) fn links_lead_somewhere(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["md"]) {
        return Vec::new();
    }
    let read = |path: &Path| std::fs::read_to_string(workspace::root().join(path)).ok();
    let exists = |path: &Path| workspace::root().join(path).exists();
    broken(source, exists, read)
}

fn broken(
    source: &Source,
    exists: impl Fn(&Path) -> bool,
    read: impl Fn(&Path) -> Option<String>,
) -> Vec<Finding> {
    let folder = Path::new(source.path).parent().unwrap_or(Path::new(""));
    let mut findings = Vec::new();
    let mut is_code = false;
    for (number, line) in (1..).zip(source.text.lines()) {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        for (text, target) in links(line).filter(|_| !is_code) {
            let file = target.split('#').next().unwrap_or(target);
            if file.is_empty() || file.contains(':') {
                continue;
            }
            let path = within(folder, file);
            if !exists(&path) {
                findings.push(source.finding(number, &format!("links to {target}, which does not exist")));
            } else if let Some(name) = text.strip_prefix('`').and_then(|text| text.strip_suffix('`'))
                && path.extension().is_some_and(|extension| extension == "rs")
                && is_name(name)
                && !read(&path).is_some_and(|text| text.contains(&format!("fn {name}(")))
            {
                findings.push(source.finding(number, &format!("names {name}, which {file} does not have")));
            }
        }
    }
    findings
}

/// The links of a line: text and target.
fn links(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.match_indices("](").filter_map(|(middle, _)| {
        let text = &line[line[..middle].rfind('[')? + 1..middle];
        let rest = &line[middle + 2..];
        Some((text, &rest[..rest.find(')')?]))
    })
}

/// A path from a folder of the tree, without the steps up.
fn within(folder: &Path, file: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for component in folder.join(file).components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(part) => path.push(part),
            _ => {}
        }
    }
    path
}

/// A name in code of several words: `the_tree_is_tidy`, and not `sleep(1)` or `Kind`.
fn is_name(text: &str) -> bool {
    text.contains('_')
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The options of each verb, as both are written: `roundtrip service install`, `--print`.
type Verbs = BTreeMap<String, Vec<String>>;

/// A verb or an option that a page names in a sentence exists. The changelog may name what is gone.
pub(super) fn commands_exist(source: &Source) -> Vec<Finding> {
    static VERBS: LazyLock<Verbs> = LazyLock::new(|| {
        let read = |path: &&str| workspace::read(path).unwrap_or_default();
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
        let mut beginnings = (1..=words.len()).rev().map(|count| words[..count].join(" "));
        let Some(verb) = beginnings.find(|verb| verbs.contains_key(verb)) else { continue };
        let rest = &words[verb.split(' ').count()..];
        let line = source.text[..range.start].matches('\n').count() + 1;
        if let Some(word) = rest.first().filter(|word| is_verb(word) && has_verbs(&verb, verbs)) {
            findings.push(source.finding(line, &format!("names `{verb} {word}`, which does not exist")));
        }
        for option in rest.iter().filter_map(|word| option(word)) {
            if !verbs[&verb].iter().any(|known| known == option) && !["--help", "--version"].contains(&option)
            {
                let message = format!("gives `{verb}` the option `{option}`, which it does not have");
                findings.push(source.finding(line, &message));
            }
        }
    }
    findings
}

/// A word that can only be a verb: names of files and placeholders are written otherwise. Every program with verbs has `help`.
fn is_verb(word: &str) -> bool {
    let is_lower = |character: char| character.is_ascii_lowercase() || character == '-';
    word != "help" && word.chars().all(is_lower) && !word.starts_with('-')
}

fn has_verbs(verb: &str, verbs: &Verbs) -> bool {
    verbs.keys().any(|other| other.strip_prefix(verb).is_some_and(|rest| rest.starts_with(' ')))
}

/// The name of an option, as in `--option=value`.
fn option(word: &str) -> Option<&str> {
    let end = word.find(|character: char| !character.is_ascii_lowercase() && character != '-');
    Some(&word[..end.unwrap_or(word.len())]).filter(|name| name.starts_with("--") && name.len() > 2)
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

    const PAGE: &str = "## `tool`\n\n* `run` — Runs\n\n## `tool run`\n\n###### **Options:**\n\n* `-o`, `--output <FILE>` — Where to\n";

    fn links(text: &str) -> Vec<String> {
        let source = Source { path: "docs/how-to/a.md", text };
        let exists =
            |path: &Path| ["docs/b.md", "server/src/c.rs"].iter().any(|known| path == Path::new(known));
        let read = |_: &Path| Some("async fn it_works(pool: PgPool) {}".to_owned());
        broken(&source, exists, read).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_link_to_what_is_not_there_is_found() {
        assert_eq!(links("[one](../b.md#there), [two](https://example.org), [three](#here)"), [""; 0]);
        assert_eq!(links("x\n[one](b.md)"), ["docs/how-to/a.md:2: links to b.md, which does not exist"]);
        assert_eq!(links("```\n[one](b.md)\n```"), [""; 0], "an example is no link");
    }

    #[test]
    fn a_test_that_is_named_and_gone_is_found() {
        assert_eq!(links("[`it_works`](../../server/src/c.rs) [`Kind`](../../server/src/c.rs)"), [""; 0]);
        let gone = "docs/how-to/a.md:1: names it_worked, which ../../server/src/c.rs does not have";
        assert_eq!(links("[`it_worked`](../../server/src/c.rs)"), [gone]);
    }

    #[test]
    fn verbs_and_options_that_do_not_exist_are_found() {
        let found = |text: &str| -> Vec<String> {
            let findings = unknown(&Source { path: "docs/page.md", text }, &of_reference(PAGE));
            findings.iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect()
        };
        let existing = "`tool`, `tool run --output FILE`, `tool run FILE --help`, `other walk --fast`\n";
        assert_eq!(found(existing), [""; 0]);
        let expected = [
            "1: names `tool walk`, which does not exist",
            "4: gives `tool run` the option `--fast`, which it does not have",
        ];
        assert_eq!(found("`tool walk`\n\nand\n`tool run --fast=2`\n"), expected);
    }

    #[test]
    fn our_own_verbs_are_known() {
        let verbs = of_xtask();
        assert!(verbs["cargo xtask chaos"].contains(&"--only".to_owned()));
        assert!(verbs.contains_key("cargo xtask release pack"));
    }
}
