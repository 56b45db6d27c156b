//! Generates shell completions, manual pages and the reference page from the definition of a program's arguments.

use clap::{Command, Subcommand};
use clap_complete::Shell;
use clap_markdown::MarkdownOptions;
use std::io::{self, Write};
use std::path::PathBuf;

/// The beginning of the generator's introduction.
const INTRODUCTION: &str = "This document contains the help content for";

/// Verbs that print a program's documentation, to flatten into its own verbs.
#[derive(Clone, Debug, Subcommand)]
pub enum Manual {
    /// Print a completion script for a shell.
    Completions {
        /// Shell.
        shell: Shell,
    },
    /// Write manual pages to a folder, such as /usr/local/share/man/man1.
    Man {
        /// Folder to write to; created if missing.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print all verbs and their options as Markdown.
    #[command(hide = true)]
    Reference,
}

/// Runs a verb: writes to standard output or into the folder.
pub fn write(mut command: Command, manual: &Manual) -> io::Result<()> {
    let name = command.get_name().to_owned();
    match manual {
        Manual::Completions { shell } => {
            // Generated in memory, because clap panics if the pipe is closed early.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut command, name, &mut script);
            io::stdout().write_all(&script)
        }
        Manual::Man { folder } => {
            std::fs::create_dir_all(folder)?;
            clap_mangen::generate_to(command, folder)
        }
        Manual::Reference => {
            let options = MarkdownOptions::new()
                .title(format!("`{name}`"))
                .show_footer(false)
                .show_table_of_contents(false);
            let text = clap_markdown::help_markdown_command_custom(&command, &options);
            io::stdout().write_all(page(&text).as_bytes())
        }
    }
}

/// The generator's page without its introduction, and with indented examples in code blocks.
fn page(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut is_code = false;
    for line in text.lines().filter(|line| !line.starts_with(INTRODUCTION)) {
        let follows_label =
            lines.last().is_some_and(|last| last.ends_with(':') && !last.starts_with([' ', '*']));
        if !is_code && follows_label && line.starts_with("  ") {
            lines.extend(["", "```text"]);
            is_code = true;
        } else if is_code && !line.starts_with("  ") {
            lines.push("```");
            is_code = false;
        }
        lines.push(if is_code { line.strip_prefix("  ").unwrap_or(line) } else { line });
    }
    lines.extend(is_code.then_some("```"));
    without_spaces_at_ends(&lines.join("\n"))
}

/// Removes spaces at line ends, and ends the text with one line end.
fn without_spaces_at_ends(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;

    #[test]
    fn each_verb_that_is_not_hidden_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let command = Command::new("tool")
            .subcommand(Command::new("run").arg(Arg::new("fast").long("fast")))
            .subcommand(Command::new("inner").hide(true));
        write(command, &Manual::Man { folder: folder.path().join("man1") }).unwrap();
        let page = std::fs::read_to_string(folder.path().join("man1/tool-run.1")).unwrap();
        assert!(page.contains(r"\-\-fast"), "{page}");
        assert!(!folder.path().join("man1/tool-inner.1").exists());
    }

    #[test]
    fn examples_are_code_and_the_introduction_is_left_out() {
        let text = format!("# `tool`\n\n{INTRODUCTION} `tool`.\n\nExamples:\n  tool a\n  tool b\n\nMore\n");
        assert_eq!(page(&text), "# `tool`\n\n\nExamples:\n\n```text\ntool a\ntool b\n```\n\nMore\n");
    }

    #[test]
    fn lines_have_no_trailing_spaces() {
        assert_eq!(without_spaces_at_ends("a  \n\nb \n\n"), "a\n\nb\n");
    }
}
