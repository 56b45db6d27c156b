//! The wording of documentation, help, user-interface texts and errors: phrases that readers stumble over, and sentences that
//! are too long.
//!
//! A line with `prose: allow`, or the line above it, exempts a line.

use super::{Finding, Source};
use proc_macro2::{Group, TokenStream, TokenTree};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Words of a sentence, at most. Half as many is usual.
const SENTENCE_WORDS: usize = 35;
const ALLOW: &str = "prose: allow";
/// This list itself, and generated descriptions of an API.
const EXEMPT: &[&str] = &["xtask/src/tidy/prose.rs", "web/src/api/schema.gen.ts"];

/// The code with SQL, whose columns keep their names.
const STORAGE: &str = "crates/storage/src/";

/// Phrases that we avoid, in lower case, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    ("anew", "again"),
    ("anyone who", "you, users who"),
    ("anybody", "anyone, any user"),
    ("are asked", "the command or the request"),
    ("are said", "reports, shows, prints"),
    ("as it stands", "unchanged"),
    ("as they stand", "unchanged"),
    ("at once", "immediately, at the same time"),
    ("beside", "next to, vs."),
    ("everybody", "everyone, all users"),
    ("is asked", "the command or the request"),
    ("is said", "reports, shows, prints"),
    ("keeps quiet", "is idle"),
    ("mend", "fix"),
    ("mended", "fixed"),
    ("mending", "fixing"),
    ("mends", "fixes"),
    ("nobody", "no user, no one"),
    ("of its own accord", "automatically"),
    ("says so", "reports it"),
    ("so many", "the number"),
    ("somebody", "a user, someone"),
    ("such a", "a, this kind of"),
    ("such an", "an, this kind of"),
    ("tells", "reports, shows"),
    ("there and back", "round trip"),
    ("thereby", "delete it"),
    ("told", "reported, shown, notified"),
    ("whatever", "any, all"),
    ("whoever", "you, the user"),
];

/// A text that users read, with its line in the file.
struct Passage {
    line: usize,
    text: String,
}

impl Passage {
    fn end_line(&self) -> usize {
        self.line + self.text.matches('\n').count()
    }
}

pub(super) fn reads_plainly(source: &Source) -> Vec<Finding> {
    let passages = if source.is_test() || EXEMPT.contains(&source.path) {
        return Vec::new();
    } else if source.has_extension(&["md"]) {
        markdown_passages(source.text)
    } else if source.has_extension(&["rs"]) && source.path.contains("/src/") {
        let mut passages = rust_passages(source.without_own_tests());
        passages.retain(|passage| !(source.path.starts_with(STORAGE) && is_sql(&passage.text)));
        passages
    } else if source.has_extension(&["ts", "tsx"]) && source.path.starts_with("web/src/") {
        typescript_passages(source.text)
    } else {
        return Vec::new();
    };
    let lines: Vec<&str> = source.text.lines().collect();
    let is_allowed = |line: usize| {
        let nearby = [line.checked_sub(2), line.checked_sub(1)].into_iter().flatten();
        nearby.filter_map(|index| lines.get(index)).any(|line| line.contains(ALLOW))
    };
    let mut findings = Vec::new();
    for passage in passages {
        let mut add = |line: usize, message: String| {
            if !is_allowed(line) {
                findings.push(source.finding(line, &message));
            }
        };
        let flat = passage.text.to_lowercase().replace('\n', " ");
        for (phrase, instead) in PHRASES {
            for at in places(&flat, phrase) {
                let line = passage.line + passage.text.chars().take(at).filter(|c| *c == '\n').count();
                add(line, format!("uses \"{phrase}\": write {instead}"));
            }
        }
        for sentence in flat.split_inclusive(['.', '!', '?', ';', ':']).flat_map(|part| part.split("  ")) {
            let count = sentence.split(' ').filter(|word| word.contains(char::is_alphabetic)).count();
            if count > SENTENCE_WORDS {
                let beginning: Vec<_> = sentence.split_whitespace().take(6).collect();
                let message = format!(
                    "has a sentence of {count} words, \"{} ...\": split it, the limit is {SENTENCE_WORDS}",
                    beginning.join(" ")
                );
                add(passage.line, message);
            }
        }
    }
    findings
}

/// The positions of a phrase as whole words, in characters.
fn places(text: &str, phrase: &str) -> Vec<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let is_whole =
        |at: usize| !text[..at].ends_with(is_part) && !text[at + phrase.len()..].starts_with(is_part);
    let found = text.match_indices(phrase).filter(|(at, _)| is_whole(*at));
    found.map(|(at, _)| text[..at].chars().count()).collect()
}

/// Paragraphs, items, cells and headings, without code.
fn markdown_passages(page: &str) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let (mut text, mut start, mut is_code) = (String::new(), 0, false);
    let mut end = |text: &mut String, start: usize| {
        let line = page[..start].matches('\n').count() + 1;
        passages.push(Passage { line, text: std::mem::take(text) });
    };
    for (event, range) in Parser::new_ext(page, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Text(_) if is_code => {}
            Event::Text(part) => {
                if text.is_empty() {
                    start = range.start;
                }
                text.push_str(&part);
            }
            // Lists of names are no sentences: a name does not count as a word.
            Event::Code(_) => text.push('_'),
            Event::SoftBreak | Event::HardBreak => text.push('\n'),
            Event::Start(
                Tag::Paragraph | Tag::Item | Tag::TableCell | Tag::Heading { .. } | Tag::List(_),
            )
            | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell | TagEnd::Heading(_))
                if !text.is_empty() =>
            {
                end(&mut text, start);
            }
            _ => {}
        }
    }
    passages
}

/// String literals with a space, and doc comments in files that declare arguments, which are their help.
fn rust_passages(code: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    // The compiler reports a file that is not Rust.
    if let Ok(tokens) = code.parse() {
        add_texts(tokens, code.contains("clap::"), &mut passages);
    }
    passages.retain(|passage| passage.text.trim().contains(' '));
    passages
}

fn add_texts(tokens: TokenStream, has_help: bool, passages: &mut Vec<Passage>) {
    let mut previous = ' ';
    for tree in tokens {
        let line = tree.span().start().line;
        let mut punctuation = ' ';
        match tree {
            TokenTree::Group(group) => match doc_line(&group) {
                // Not `#!`: a module's documentation is not help.
                Some(doc) if has_help && previous == '#' => match passages.last_mut() {
                    Some(last) if last.text.ends_with('\n') && last.end_line() == line => last.text += &doc,
                    _ => passages.push(Passage { line, text: doc }),
                },
                Some(_) => {}
                None => add_texts(group.stream(), has_help, passages),
            },
            TokenTree::Literal(literal) => {
                passages.extend(string_content(&literal.to_string()).map(|text| Passage { line, text }));
            }
            TokenTree::Punct(punct) => punctuation = punct.as_char(),
            TokenTree::Ident(_) => {}
        }
        previous = punctuation;
    }
}

/// The line of a doc comment, which is parsed as the attribute `[doc = "..."]`.
fn doc_line(attribute: &Group) -> Option<String> {
    let mut tokens = attribute.stream().into_iter();
    let is_doc = tokens.next().is_some_and(|name| name.to_string() == "doc");
    let literal = tokens.nth(1).filter(|_| is_doc)?;
    Some(string_content(&literal.to_string())? + "\n")
}

/// The text of a string literal, with one line break for each in the source.
fn string_content(literal: &str) -> Option<String> {
    let quoted = literal.trim_start_matches(['r', '#']).trim_end_matches('#');
    let content = quoted.strip_prefix('"')?.strip_suffix('"')?;
    if literal.starts_with('r') {
        return Some(content.to_owned());
    }
    // A line that ends with a backslash continues without the indentation of the next one.
    let lines: Vec<_> = content.split("\\\n").map(|line| line.trim_matches(' ')).collect();
    Some(lines.join("\n").replace("\\n", "  ").replace("\\\"", "\""))
}

fn is_sql(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    ["select", "insert", "update", "delete", "with", "from", "where"].contains(&first)
}

/// Lines without comments and imports; lines of text that follow each other in JSX are one passage.
fn typescript_passages(code: &str) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let (mut is_comment, mut is_prose) = (false, false);
    for (line, full) in (1..).zip(code.lines()) {
        let text = full.trim();
        is_comment |= text.starts_with("/*");
        let skips = is_comment || text.starts_with("//") || text.starts_with("import ");
        if is_comment && text.ends_with("*/") {
            is_comment = false;
        }
        if skips {
            is_prose = false;
            continue;
        }
        let text = text.split(" // ").next().unwrap_or(text);
        let continues = is_prose;
        is_prose = !text.is_empty() && !text.contains(['{', '}', '<', '>', '=', ';', '(', '\'', '`', '"']);
        match passages.last_mut() {
            Some(last) if continues && is_prose => {
                last.text.push('\n');
                last.text.push_str(text);
            }
            _ => passages.push(Passage { line, text: text.to_owned() }),
        }
    }
    passages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let findings = reads_plainly(&Source { path, text });
        findings.iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect()
    }

    #[track_caller]
    fn finds(path: &str, text: &str, expected: &[&str]) {
        let found = found(path, text);
        let matches = found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected));
        assert!(found.len() == expected.len() && matches, "{path}: {text}\n{found:?}, expected {expected:?}");
    }

    #[test]
    fn finds_phrases_in_texts_but_not_in_code() {
        for (path, text, expected) in [
            ("docs/a.md", "# Nobody\n\nOne.\nIt is\ntold.", &["1: uses \"nobody\"", "5: uses \"told\""][..]),
            ("docs/a.md", "`nobody`\n\n```\nnobody\n```\n", &[]),
            ("docs/a.md", "| a | b |\n|---|---|\n| x | mend it |\n", &["3: uses \"mend\": write fix"]),
            ("docs/a.md", "Amend it. Besides, whatever-it-takes.", &[]),
            ("docs/a.md", "<!-- prose: allow -->\nA quotation: nobody.\n", &[]),
            (
                "server/src/a.rs",
                "//! Nobody.\nfn told() { log(\"saved at \\\n    once\") }",
                &["2: uses \"at once\""],
            ),
            (
                "server/src/a.rs",
                "let text = r#\"is \"told\" by\"#; let quote = '\"'; // \"nobody is\"\n",
                &["1: uses \"told\""],
            ),
            ("crates/storage/src/a.rs", "let a = query!(\"select told from a\");", &[]),
            ("server/src/a.rs", "/// Whoever reads.\nstruct A;\n", &[]),
            (
                "server/src/a.rs",
                "#[derive(clap::Args)]\nstruct A {\n    /// The one\n    /// whoever asks.\n    a: u8,\n}\n",
                &["4: uses \"whoever\""],
            ),
            ("server/src/a.rs", "let a = \"for nobody\"; // prose: allow\n", &[]),
            (
                "server/src/a.rs",
                "fn a() {}\n#[cfg(test)]\nmod tests { const A: &str = \"for nobody\"; }\n",
                &[],
            ),
            ("server/tests/it/a.rs", "const A: &str = \"for nobody\";\n", &[]),
            (
                "web/src/a.tsx",
                "// nobody\nimport nobody from 'x';\nreturn <p>For nobody</p>;\n",
                &["3: uses \"nobody\""],
            ),
            ("web/src/a.tsx", "<p>\n  This is\n  told here\n</p>\n", &["3: uses \"told\""]),
        ] {
            finds(path, text, expected);
        }
    }

    #[test]
    fn finds_long_sentences() {
        let sentence = |words: usize| format!("{}.", vec!["word"; words].join(" "));
        let [longest, too_long] = [sentence(SENTENCE_WORDS), sentence(SENTENCE_WORDS + 1)];
        let wrapped = too_long.replacen(' ', "\n", 1);
        for (path, text, expected) in [
            ("docs/a.md", format!("{longest} {longest}\n"), &[][..]),
            ("docs/a.md", format!("One.\n\n{wrapped}\n"), &["3: has a sentence of 36 words"]),
            ("server/src/a.rs", format!("a(\"{too_long}\")"), &["1: has a sentence of 36 words"]),
            ("web/src/a.tsx", format!("<p>\n  {wrapped}\n</p>"), &["2: has a sentence of 36 words"]),
        ] {
            finds(path, &text, expected);
        }
    }
}
