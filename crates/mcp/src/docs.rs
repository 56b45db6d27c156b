//! The documentation pages: read by the tool `read_docs`, and served as Markdown.

use rust_embed::Embed;

/// The title and the first lines of `llms.txt`.
const ABOUT: &str = "# Roundtrip\n\n> Continuous performance tracking for inter-process communication (IPC): measures transports, \
    finds the commits that change their latency, and explains why.\n";

#[derive(Embed)]
#[folder = "../../docs"]
#[include = "*.md"]
#[include = "**/*.md"]
struct Files;

/// A documentation page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its path below `docs/`, without `.md`: `how-to/measure`.
    pub path: String,
    /// Its first heading.
    pub title: String,
    /// The Markdown.
    pub text: String,
}

impl Page {
    /// Reads the page at this path, with or without `docs/` and `.md`.
    pub fn read(path: &str) -> Option<Self> {
        let path = path.trim_matches('/');
        let path = path.strip_prefix("docs/").unwrap_or(path);
        let path = path.strip_suffix(".md").unwrap_or(path);
        let file = Files::get(&format!("{path}.md"))?;
        let text = String::from_utf8_lossy(&file.data).into_owned();
        let heading = text.lines().find_map(|line| line.strip_prefix("# "));
        Some(Self { path: path.to_owned(), title: heading.unwrap_or(path).to_owned(), text })
    }

    /// The lines with any of these words, those with most of them first, each with the heading above it.
    fn excerpts(&self, words: &[String]) -> Vec<Excerpt> {
        let mut heading = "";
        let mut found = Vec::new();
        for line in self.text.lines() {
            if line.starts_with('#') {
                heading = line.trim_start_matches('#').trim();
            }
            let word_count = count_of(words, line);
            if word_count > 0 {
                found.push(Excerpt { word_count, heading: heading.to_owned(), line: line.trim().to_owned() });
            }
        }
        found.sort_by_key(|excerpt| std::cmp::Reverse(excerpt.word_count));
        found
    }
}

struct Excerpt {
    word_count: usize,
    heading: String,
    line: String,
}

/// A result of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The page.
    pub page: Page,
    /// Its best lines, each after its heading.
    pub lines: Vec<String>,
}

/// All pages, by path.
pub fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = Files::iter().filter_map(|path| Page::read(&path)).collect();
    pages.sort_by(|one, other| one.path.cmp(&other.path));
    pages
}

/// The pages with most of these words, best first, each with its best lines.
pub fn search(words: &str, page_count: usize, line_count: usize) -> Vec<Found> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let mut found: Vec<(usize, usize, Found)> = pages()
        .into_iter()
        .filter_map(|page| {
            let excerpts = page.excerpts(&words);
            // Words in the title weigh more than the same words in some line.
            let in_title = count_of(&words, &page.title);
            let best = excerpts.first()?.word_count + in_title;
            let total = count_of(&words, &page.text);
            let lines = excerpts.into_iter().take(line_count);
            let lines = lines.map(|Excerpt { heading, line, .. }| format!("{heading}: {line}")).collect();
            Some((total + in_title, best, Found { page, lines }))
        })
        .collect();
    found.sort_by_key(|(total, best, _)| std::cmp::Reverse((*total, *best)));
    found.into_iter().take(page_count).map(|(_, _, found)| found).collect()
}

fn count_of(words: &[String], text: &str) -> usize {
    let text = text.to_lowercase();
    words.iter().filter(|word| text.contains(word.as_str())).count()
}

/// The text of `/llms.txt` (<https://llmstxt.org>): every page and interface in a line each.
pub fn llms_txt() -> String {
    let mut text = format!(
        "{ABOUT}\n## API\n\n\
         - [REST API](/api/v1/openapi.json): every endpoint, as an OpenAPI document\n\
         - [MCP](/docs/how-to/coding-agents.md): tools for coding agents at `/mcp` (streamable HTTP)\n\n## Docs\n\n"
    );
    for Page { path, title, .. } in pages() {
        text.push_str(&format!("- [{title}](/docs/{path}.md)\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_page_with_and_without_folder_and_extension() {
        for path in ["reference/glossary", "docs/reference/glossary.md", "/reference/glossary.md"] {
            assert_eq!(Page::read(path).map(|page| page.title).as_deref(), Some("Glossary"), "{path}");
        }
        for path in ["", "..", "../README", "reference/roundtrip.schema.json", "how-to"] {
            assert!(Page::read(path).is_none(), "{path}");
        }
    }

    #[test]
    fn finds_the_page_about_a_subject_first() {
        let first = |words: &str| search(words, 3, 2).first().map(|found| found.page.path.clone());
        assert_eq!(first("bisect slow commit").as_deref(), Some("how-to/bisect"));
        assert_eq!(first("notifications webhook channel mail").as_deref(), Some("how-to/notifications"));
        assert_eq!(first("zyzzyva"), None);
    }

    #[test]
    fn lists_every_page() {
        let text = llms_txt();
        assert!(pages().len() > 40);
        for page in pages() {
            assert!(text.contains(&format!("(/docs/{}.md)", page.path)), "{}", page.path);
        }
    }
}
