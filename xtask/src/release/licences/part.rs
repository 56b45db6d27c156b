//! One package of somebody else, with the texts of its licences: those that come with it, or the standard ones.

use anyhow::{Context, Result, anyhow, ensure};
use spdx::{Expression, ParseMode};
use std::ffi::OsStr;
use std::path::Path;

/// How names of such files begin.
const NAMES: &[&str] = &["copying", "copyright", "licence", "license", "notice", "patents", "unlicense"];
/// How names of others end that begin so.
const SOURCES: &[&str] = &["c", "h", "html", "js", "json", "py", "rs", "toml", "yml"];

/// A package of somebody else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) version: String,
    /// As it says itself, by SPDX.
    pub(super) licence: String,
    /// All that it asks to be handed on.
    pub(super) texts: Vec<String>,
}

impl Part {
    /// A package whose sources are in this folder.
    ///
    /// # Errors
    /// It says nothing of its licence, or a name without a text.
    pub(super) fn read(
        name: &str,
        version: &str,
        licence: Option<&str>,
        declared: Option<&Path>,
        authors: &[String],
        folder: &Path,
    ) -> Result<Self> {
        let mut texts = Vec::new();
        if let Some(file) = declared {
            texts.push(text_of(&folder.join(file))?);
        }
        collect(folder, false, &mut texts)?;
        texts.sort();
        texts.dedup();
        if texts.is_empty() {
            let licence = licence.with_context(|| format!("{name} {version} says nothing of its licence"))?;
            texts = standard(licence, authors).with_context(|| format!("{name} {version}"))?;
        }
        let licence = licence.unwrap_or("as its text says").to_owned();
        Ok(Self { name: name.to_owned(), version: version.to_owned(), licence, texts })
    }

    /// The C library that Rust's programs for musl carry. Its text does not come with the compiler.
    ///
    /// # Errors
    /// Never: its licence has a text.
    pub(super) fn musl() -> Result<Self> {
        let texts = standard("MIT", &["Rich Felker and others".to_owned()])?;
        let version = "as it comes with Rust".to_owned();
        Ok(Self { name: "musl".to_owned(), version, licence: "MIT".to_owned(), texts })
    }

    /// Name and version.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// Adds the texts of a folder and of those below it, where code of third parties lies; `all`: whatever the files are called.
fn collect(folder: &Path, all: bool, texts: &mut Vec<String>) -> Result<()> {
    let unreadable = || format!("cannot read {}", folder.display());
    for entry in std::fs::read_dir(folder).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let (path, kind) = (entry.path(), entry.file_type().with_context(unreadable)?);
        let is_licence = all || is_licence(&path);
        if kind.is_dir() {
            collect(&path, is_licence, texts)?;
        } else if kind.is_file() && is_licence {
            texts.push(text_of(&path)?);
        }
    }
    Ok(())
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    NAMES.iter().any(|start| name.starts_with(start)) && !SOURCES.contains(&ending.as_str())
}

fn text_of(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    Ok(text.trim().to_owned())
}

/// The texts that SPDX has for an expression, each with who wrote the package.
fn standard(licence: &str, authors: &[String]) -> Result<Vec<String>> {
    let expression = Expression::parse_mode(licence, ParseMode::LAX);
    let expression = expression.map_err(|error| anyhow!("`{licence}` is no expression of SPDX: {error}"))?;
    let who = match authors {
        [] => String::new(),
        authors => format!("It is by {}. ", authors.join(", ")),
    };
    let mut texts = Vec::new();
    for requirement in expression.requirements() {
        let name = requirement.req.license.to_string();
        let text = requirement.req.license.id().map(|id| id.text()).unwrap_or_default();
        ensure!(!text.is_empty(), "`{name}` has no standard text");
        texts
            .push(format!("The package brings no text. {who}The standard one of {name}:\n\n{}", text.trim()));
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files.
    fn package(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn read(files: &[(&str, &str)], licence: Option<&str>, declared: Option<&str>) -> Result<Part> {
        let authors = ["Ada <ada@example.org>".to_owned()];
        Part::read("tool", "1.0.0", licence, declared.map(Path::new), &authors, package(files).path())
    }

    #[test]
    fn texts_are_those_that_come_with_it_also_of_code_that_it_carries() {
        let files = [
            ("LICENSE-MIT", "MIT\r\nof tool\n"),
            ("NOTICE.txt", "Notice"),
            ("LICENSES/Zlib.txt", "Zlib"),
            ("vendored/lib/COPYING", "BSD"),
            ("src/license.rs", "fn license() {}"),
            ("README.md", "Read me"),
        ];
        let part = read(&files, Some("MIT AND Zlib"), None).unwrap();
        assert_eq!(part.texts, ["BSD", "MIT\nof tool", "Notice", "Zlib"]);
        assert_eq!((part.title().as_str(), part.licence.as_str()), ("tool 1.0.0", "MIT AND Zlib"));
    }

    #[test]
    fn a_file_that_it_declares_counts_whatever_it_is_called() {
        let part = read(&[("terms.txt", "Terms")], None, Some("terms.txt")).unwrap();
        assert_eq!((part.texts, part.licence.as_str()), (vec!["Terms".to_owned()], "as its text says"));
    }

    #[test]
    fn without_a_text_it_has_the_standard_ones_and_its_authors() {
        let part = read(&[("src/lib.rs", "")], Some("MIT/Apache-2.0"), None).unwrap();
        assert_eq!(part.texts.len(), 2);
        assert!(
            part.texts[0].contains("by Ada <ada@example.org>") && part.texts[0].contains("MIT"),
            "{part:?}"
        );
        assert!(part.texts[1].contains("Apache License") && part.texts[1].contains("Version 2.0"));
    }

    #[test]
    fn what_says_nothing_of_its_licence_is_refused_by_name() {
        let refused = read(&[], None, None).unwrap_err().to_string();
        assert!(refused.contains("tool 1.0.0 says nothing of its licence"), "{refused}");
        let refused = format!("{:#}", read(&[], Some("LicenseRef-mine"), None).unwrap_err());
        assert!(refused.contains("tool 1.0.0: `LicenseRef-mine` has no standard text"), "{refused}");
    }
}
