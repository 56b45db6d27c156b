//! What a command says of itself, written out: completions for shells, pages for `man`, and the reference of the docs. All of
//! it comes from the definition of its arguments, so that none of it is older than the program.

use clap::{Command, Subcommand};
use clap_complete::Shell;
use clap_markdown::MarkdownOptions;
use std::io::{self, Write};
use std::path::PathBuf;

/// The verbs of a program by which it writes out its manual; they are flattened into its own.
#[derive(Clone, Debug, Subcommand)]
pub enum Manual {
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write a page for `man` for each verb into a folder, such as /usr/local/share/man/man1.
    Man {
        /// The folder; it is made where there is none.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print all verbs and their options as Markdown.
    #[command(hide = true)]
    Reference,
}

/// Writes what is asked for, to standard output or into the folder.
pub fn write(mut command: Command, manual: &Manual) -> io::Result<()> {
    let name = command.get_name().to_owned();
    match manual {
        Manual::Completions { shell } => {
            // Made in memory: whoever closes the pipe early is no reason to panic.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut command, name, &mut script);
            io::stdout().write_all(&script)
        }
        Manual::Man { folder } => {
            std::fs::create_dir_all(folder)?;
            clap_mangen::generate_to(command, folder)
        }
        Manual::Reference => {
            let options = MarkdownOptions::new().title(format!("`{name}`")).show_footer(false);
            let text = clap_markdown::help_markdown_command_custom(&command, &options);
            io::stdout().write_all(without_spaces_at_ends(&text).as_bytes())
        }
    }
}

/// Each line without the spaces at its end, and one line end at the end of all.
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
    fn lines_end_where_their_words_do() {
        assert_eq!(without_spaces_at_ends("a  \n\nb \n\n"), "a\n\nb\n");
    }
}
