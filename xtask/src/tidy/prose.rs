//! The wording of documentation, help, user-interface texts and errors: phrases that readers stumble over, and sentences that
//! are too long.
//!
//! A line with `prose: allow`, or the line above it, exempts a line.

use super::{Finding, Source};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Words of a sentence, at most. Half as many is usual.
const SENTENCE_WORDS: usize = 35;
const ALLOW: &str = "prose: allow";
/// This list itself, and generated descriptions of an API.
const EXEMPT: &[&str] = &["xtask/src/tidy/prose.rs", "web/src/api/schema.gen.ts"];

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

pub(super) fn reads_plainly(source: &Source) -> Vec<Finding> {
    let passages = if source.is_test() || EXEMPT.contains(&source.path) {
        return Vec::new();
    } else if source.has_extension(&["md"]) {
        of_markdown(source.text)
    } else if source.has_extension(&["rs"]) && source.path.contains("/src/") {
        of_rust(source.without_own_tests())
    } else if source.has_extension(&["ts", "tsx"]) && source.path.starts_with("web/src/") {
        of_typescript(source.text)
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
                add(line, format!("reads \"{phrase}\": write {instead}"));
            }
        }
        for sentence in flat.split_inclusive(['.', '!', '?', ';', ':']).flat_map(|part| part.split("  ")) {
            let count = sentence.split(' ').filter(|word| word.contains(char::is_alphabetic)).count();
            if count > SENTENCE_WORDS {
                let beginning: Vec<_> = sentence.split_whitespace().take(6).collect();
                let message = format!(
                    "has a sentence of {count} words, \"{} ...\": split it, {SENTENCE_WORDS} are the most",
                    beginning.join(" ")
                );
                add(passage.line, message);
            }
        }
    }
    findings
}

/// Where a phrase begins, in characters, as whole words.
fn places(text: &str, phrase: &str) -> Vec<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let is_whole =
        |at: usize| !text[..at].ends_with(is_part) && !text[at + phrase.len()..].starts_with(is_part);
    let found = text.match_indices(phrase).filter(|(at, _)| is_whole(*at));
    found.map(|(at, _)| text[..at].chars().count()).collect()
}

/// Paragraphs, items, cells and headings, without code.
fn of_markdown(page: &str) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let (mut text, mut start, mut is_code) = (String::new(), 0, false);
    let mut end = |text: &mut String, start: usize| {
        let line = page[..start].matches('\n').count() + 1;
        passages.push(Passage { line, text: std::mem::take(text) });
    };
    for (event, range) in Parser::new_ext(page, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)) => {
                is_code = true;
            }
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

/// String literals with a space; and doc comments of files that declare arguments, which are their help.
fn of_rust(code: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let has_help = code.contains("clap::");
    let (mut rest, mut line) = (code, 1);
    let mut help: Option<Passage> = None;
    while let Some(next) = rest.chars().next() {
        let taken = if let Some(comment) = rest.strip_prefix("//") {
            let comment = comment.split('\n').next().unwrap_or_default();
            if let Some(doc) = comment.strip_prefix('/').filter(|_| has_help) {
                let passage = help.get_or_insert_with(|| Passage { line, text: String::new() });
                passage.text.push_str(doc);
                passage.text.push('\n');
            }
            2 + comment.len()
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            let content = raw.split("\"#").next().unwrap_or_default();
            passages.push(Passage { line, text: content.to_owned() });
            content.len() + 5
        } else if let Some(content) = rest.strip_prefix('"') {
            let (text, length) = literal(content);
            passages.push(Passage { line, text });
            length + 2
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\") {
            3
        } else {
            if !next.is_whitespace() {
                passages.extend(help.take());
            }
            next.len_utf8()
        };
        let taken = taken.min(rest.len());
        line += rest[..taken].matches('\n').count();
        rest = &rest[taken..];
    }
    passages.retain(|passage| passage.text.trim().contains(' ') && !is_sql(&passage.text));
    passages
}

fn is_sql(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    ["select", "insert", "update", "delete", "with", "from", "where"].contains(&first)
}

/// The content of a string literal up to its closing quote, a line that continues on the next one joined to it, and how many bytes
/// it takes.
fn literal(content: &str) -> (String, usize) {
    let (mut text, mut skips) = (String::new(), false);
    let mut characters = content.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (text, at),
            '\\' => match characters.next() {
                // The end of the line stands for the space before it, so that lines can be counted.
                Some((_, '\n')) => {
                    text.truncate(text.trim_end_matches(' ').len());
                    text.push('\n');
                    skips = true;
                }
                Some((_, 'n')) => text.push_str("  "),
                Some((_, other)) => text.push(other),
                None => {}
            },
            ' ' if skips => {}
            other => {
                skips = false;
                text.push(other);
            }
        }
    }
    (text, content.len())
}

/// Lines without comments and imports; lines of text that follow each other in JSX are one passage.
fn of_typescript(code: &str) -> Vec<Passage> {
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
    fn phrases_are_found_in_texts_for_users_and_not_in_code() {
        for (path, text, expected) in [
            (
                "docs/a.md",
                "# Nobody\n\nOne.\nIt is\ntold.",
                &["1: reads \"nobody\"", "5: reads \"told\""][..],
            ),
            ("docs/a.md", "`nobody`\n\n```\nnobody\n```\n", &[]),
            ("docs/a.md", "| a | b |\n|---|---|\n| x | mend it |\n", &["3: reads \"mend\": write fix"]),
            ("docs/a.md", "Amend it. Besides, whatever-it-takes.", &[]),
            ("docs/a.md", "<!-- prose: allow -->\nA quotation: nobody.\n", &[]),
            (
                "server/src/a.rs",
                "//! Nobody.\nfn told() { log(\"saved at \\\n    once\") }",
                &["2: reads \"at once\""],
            ),
            (
                "server/src/a.rs",
                "let text = r#\"is \"told\" by\"#; let quote = '\"'; // \"nobody is\"\n",
                &["1: reads \"told\""],
            ),
            ("crates/storage/src/a.rs", "let a = query!(\"select told from a\");", &[]),
            ("server/src/a.rs", "/// Whoever reads.\nstruct A;\n", &[]),
            (
                "server/src/a.rs",
                "#[derive(clap::Args)]\nstruct A {\n    /// The one\n    /// whoever asks.\n    a: u8,\n}\n",
                &["4: reads \"whoever\""],
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
                &["3: reads \"nobody\""],
            ),
            ("web/src/a.tsx", "<p>\n  This is\n  told here\n</p>\n", &["3: reads \"told\""]),
        ] {
            finds(path, text, expected);
        }
    }

    #[test]
    fn sentences_that_are_too_long_are_found() {
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
