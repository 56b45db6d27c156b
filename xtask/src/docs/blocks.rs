//! The blocks of commands of a page, as a reader of Markdown sees them.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// The languages that say that something is to be typed. In `console` what begins with `$ ` is, the rest is the answer.
const TYPED: [&str; 2] = ["console", "sh"];

/// Commands that stand in a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Where its first command is, from 1.
    pub(super) line: usize,
    /// The commands.
    pub(super) text: String,
}

/// All of them, from top to bottom.
pub(super) fn of(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, Block)> = None;
    for (event, range) in Parser::new(page).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) if TYPED.contains(&&*language) => {
                let line_of_fence = page[..range.start].matches('\n').count() + 1;
                let line = line_of_fence + 1;
                open = Some((language.into_string(), Block { line, text: String::new() }));
            }
            Event::Text(text) => {
                if let Some((_, block)) = &mut open {
                    block.text.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let closed = open.take().map(|(language, block)| typed(&language, block));
                blocks.extend(closed.filter(|block| !block.text.is_empty()));
            }
            _ => {}
        }
    }
    blocks
}

fn typed(language: &str, block: Block) -> Block {
    if language == "sh" {
        return block;
    }
    let commands = block.text.lines().filter_map(|line| line.strip_prefix("$ "));
    Block { text: commands.map(|command| format!("{command}\n")).collect(), ..block }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(line: usize, text: &str) -> Block {
        Block { line, text: text.into() }
    }

    #[test]
    fn commands_are_found_wherever_they_stand_and_nothing_else_is() {
        let page = "# Page\n\n```sh\none \\\n    two\n```\n\n1. First:\n\n   ```sh\n   three\n     four\n   ```\n\n\
                    ```toml\nfive = 5\n```\n\n```console\n$ six\nseven\n$ eight\n```\n\n```console\nnine\n```\n";
        assert_eq!(
            of(page),
            [block(4, "one \\\n    two\n"), block(11, "three\n  four\n"), block(20, "six\neight\n")]
        );
    }
}
