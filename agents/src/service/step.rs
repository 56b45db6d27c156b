//! Steps of an installation or removal, which are printed or executed, and the files that they write.

use crate::failure::{Failure, OnDisk};
use crate::platform::{self, ServiceRequest};
use crate::spool;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

#[derive(Clone, Debug)]
pub(super) enum Step {
    Folder(PathBuf),
    Write {
        path: PathBuf,
        /// Permissions, on systems that have a mode.
        mode: u32,
        text: String,
    },
    /// Removes a file, if it exists.
    Remove(PathBuf),
    Run(Vec<String>),
    Ask(ServiceRequest),
}

impl Step {
    pub(super) fn run<const N: usize>(words: [&str; N]) -> Self {
        Self::Run(words.map(str::to_owned).into())
    }

    pub(super) fn take(&self) -> crate::Result<()> {
        match self {
            Self::Folder(path) => fs::create_dir_all(path).on_disk(path),
            Self::Write { path, mode, text } => {
                spool::write(path, text.as_bytes())?;
                platform::set_mode(path, *mode).on_disk(path)
            }
            Self::Remove(path) => spool::remove(path),
            Self::Run(words) => run(words),
            Self::Ask(request) => platform::control(request),
        }
    }
}

fn run(words: &[String]) -> crate::Result<()> {
    let failed = |why: &str| Failure::Other(format!("{}: {why}", shell_words(words)));
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| failed(&error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let printed =
        String::from_utf8_lossy(if output.stderr.is_empty() { &output.stdout } else { &output.stderr });
    Err(failed(&format!("{}: {}", output.status, printed.trim())))
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => writeln!(formatter, "# create the folder {}", path.display()),
            Self::Write { path, mode, text } => {
                write!(formatter, "# write {}, mode {mode:04o}:\n{text}", path.display())
            }
            Self::Remove(path) => writeln!(formatter, "# remove {}", path.display()),
            Self::Run(words) => writeln!(formatter, "# run:\n{}", shell_words(words)),
            Self::Ask(request) => request.fmt(formatter),
        }
    }
}

pub(super) fn listing(steps: &[Step]) -> String {
    steps.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

// Fills the templates in `agents/packaging/`. Each format has its own quoting.

/// Replaces the `{{names}}` in a template. Names within values are not replaced.
pub(super) fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut parts = template.split("{{");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let known = part.split_once("}}").and_then(|(name, rest)| {
            values.iter().find(|(known, _)| *known == name).map(|(_, value)| (value.as_str(), rest))
        });
        // Templates contain no other names; the golden files test this.
        let (value, rest) = known.unwrap_or(("{{", part));
        text.extend([value, rest]);
    }
    text
}

/// Quotes a word in a systemd command line (systemd.service(5)), without specifiers and variables.
pub(super) fn systemd_word(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { systemd_quoted(&text.replace('$', "$$")) }
}

/// Quotes a path in a systemd mount list (systemd.exec(5)), without specifiers, and without a colon before
/// another path.
pub(super) fn systemd_path(text: &str) -> String {
    if is_plain(text) && !text.contains(':') { text.to_owned() } else { systemd_quoted(text) }
}

fn systemd_quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%"))
}

pub(super) fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(super) fn shell(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

pub(super) fn shell_words<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    words.into_iter().map(|word| shell(word)).collect::<Vec<_>>().join(" ")
}

/// Whether a word needs no quoting in any format.
fn is_plain(text: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "+,-./:=@_".contains(character);
    !text.is_empty() && text.chars().all(is_plain)
}
