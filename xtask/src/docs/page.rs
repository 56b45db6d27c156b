//! [`Page`]: a page of the docs, and who runs the commands that stand there.

use super::blocks;
use anyhow::{Result, ensure};
use std::fmt::Write as _;

/// What every reader knows.
const READER: &str = include_str!("../../docs/reader.sh");

/// A page with commands.
pub(super) struct Page {
    /// From the root of the checkout.
    pub(super) path: &'static str,
    /// What its reader has at hand before the first command: bash.
    pub(super) given: &'static str,
    /// One for each block of commands, in order.
    pub(super) blocks: &'static [Block],
}

/// Who runs a block of commands.
pub(super) enum Block {
    /// A reader types them, and afterwards `then` must succeed, which is bash, too.
    Typed { changes: &'static [Change], then: &'static str },
    /// This file of the project runs them, which names the page.
    Elsewhere(&'static str),
    /// Nobody does, because of this.
    Not(&'static str),
}

/// What a reader here types in place of what stands there.
pub(super) struct Change {
    from: &'static str,
    to: To,
    because: &'static str,
}

enum To {
    Text(&'static str),
    /// The same, ended once it has begun to measure: `glance` of the reader's.
    Glance,
}

/// Commands that are typed as they stand, and what must be true afterwards.
pub(super) const fn typed(then: &'static str) -> Block {
    Block::Typed { changes: &[], then }
}

/// The same with changes.
pub(super) const fn changed(changes: &'static [Change], then: &'static str) -> Block {
    Block::Typed { changes, then }
}

/// A change.
pub(super) const fn change(from: &'static str, to: &'static str, because: &'static str) -> Change {
    Change { from, to: To::Text(to), because }
}

/// A command that measures for minutes, or for ever.
pub(super) const fn glance(command: &'static str) -> Change {
    Change { from: command, to: To::Glance, because: "it goes on for minutes: it is ended once it has begun" }
}

impl Change {
    fn to(&self) -> String {
        match self.to {
            To::Text(text) => text.to_owned(),
            To::Glance => format!("glance {}", self.from),
        }
    }
}

impl Page {
    /// What it is called in the list of steps.
    pub(super) fn name(&self) -> &str {
        self.path.trim_start_matches("docs/").trim_end_matches(".md")
    }

    /// Whether a reader types anything of it.
    pub(super) fn is_typed(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Typed { .. }))
    }

    /// A line for whatever is not typed as it stands.
    pub(super) fn left_out(&self) -> Vec<String> {
        let of_block = |(index, block): (usize, &Block)| -> Vec<String> {
            let place = format!("{}, block {}", self.path, index + 1);
            match block {
                Block::Typed { changes, .. } => {
                    let line = |change: &Change| {
                        let to = change.to();
                        let to = if to.trim().is_empty() { "is left out" } else { &to };
                        format!("{place}: {} -> {to}: {}", change.from, change.because)
                    };
                    changes.iter().map(line).collect()
                }
                Block::Elsewhere(file) => vec![format!("{place}: run by {file}")],
                Block::Not(because) => vec![format!("{place}: not run: {because}")],
            }
        };
        self.blocks.iter().enumerate().flat_map(of_block).collect()
    }

    /// All that its reader types, as bash.
    ///
    /// # Errors
    /// The page has other blocks than the list says.
    pub(super) fn script(&self, blocks: &[blocks::Block]) -> Result<String> {
        ensure!(
            blocks.len() == self.blocks.len(),
            "{} has {} blocks of commands, xtask/src/docs/pages has {}: say who runs each",
            self.path,
            blocks.len(),
            self.blocks.len()
        );
        let mut script = format!("{READER}\n{}\n", self.given);
        for (stands, block) in blocks.iter().zip(self.blocks) {
            let Block::Typed { changes, then } = block else { continue };
            let mut text = stands.text.clone();
            for change in *changes {
                let from = change.from;
                ensure!(text.contains(from), "{} line {} has no `{from}` any more", self.path, stands.line);
                text = text.replace(from, &change.to());
            }
            // What the page says may end with a comment, or with `&`.
            write!(script, "echo '--- {} line {}' >&2\n{text}\n{then}\n", self.path, stands.line)?;
        }
        Ok(script)
    }
}
