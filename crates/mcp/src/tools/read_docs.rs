//! `read_docs`: the documentation.

use crate::docs::{self, Page};
use crate::{Effect, Refused, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part of a page: the longest pages would fill the context of an agent.
const PART_CHARACTERS: usize = 16_000;
const PAGES_MAX: usize = 8;
const LINES_MAX: usize = 3;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Page to read, such as `how-to/bisect`.
    path: Option<String>,
    /// Where to continue in the page: `next_offset` of the previous answer.
    #[serde(default)]
    offset: usize,
    /// Words to search for instead.
    words: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The Markdown of the page; null for a list of pages.
    text: Option<String>,
    /// Where the page continues; null at its end.
    next_offset: Option<usize>,
    /// The pages that were found, best first; all pages without `path` and `words`.
    pages: Vec<Listed>,
}

/// A page in a list.
#[derive(Serialize, JsonSchema)]
struct Listed {
    /// Its path.
    path: String,
    /// Its title.
    title: String,
    /// Its lines with most of the words.
    lines: Vec<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "read_docs",
        Effect::Reads,
        "Read or search the documentation of Roundtrip: guides, reference (commands, access, charts), methodology, statistics.",
        move |input, _| std::future::ready(read(input)),
    )
}

fn read(Input { path, offset, words }: Input) -> Result<Output, Refused> {
    let listed = |Page { path, title, .. }, lines| Listed { path, title, lines };
    let pages = match (path, words) {
        (Some(path), _) => {
            let page = Page::read(&path).ok_or_else(|| {
                let detail = format!("page not found: {path}. Search with `words`, or call read_docs without arguments for a list");
                Refused::new("unknown-page", detail)
            })?;
            let text: String = page.text.chars().skip(offset).take(PART_CHARACTERS).collect();
            let end = offset + text.chars().count();
            let next_offset = (end < page.text.chars().count()).then_some(end);
            return Ok(Output { text: Some(text), next_offset, pages: Vec::new() });
        }
        (None, Some(words)) => docs::search(&words, PAGES_MAX, LINES_MAX)
            .into_iter()
            .map(|found| listed(found.page, found.lines))
            .collect(),
        (None, None) => docs::pages().into_iter().map(|page| listed(page, Vec::new())).collect(),
    };
    Ok(Output { text: None, next_offset: None, pages })
}
