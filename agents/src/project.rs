//! `roundtrip.toml` at the root of the measured repository: the project's name.

use crate::failure::Failure;
use roundtrip_wire::Slug;
use serde::Deserialize;
use std::path::Path;

const FILE: &str = "roundtrip.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    project: Slug,
}

/// The project's name: as asked, else as the file says, else the name of the repository.
pub(crate) fn name(asked: Option<&Slug>, root: &Path, repository_name: &str) -> crate::Result<Slug> {
    if let Some(asked) = asked {
        return Ok(asked.clone());
    }
    match std::fs::read_to_string(root.join(FILE)) {
        // The message of the parser has line, column and what was expected.
        Ok(text) => toml::from_str::<Settings>(&text)
            .map(|settings| settings.project)
            .map_err(|error| Failure::Usage(format!("{}: {error}", root.join(FILE).display()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Slug::from_name(repository_name)),
        Err(error) => Err(Failure::Other(format!("cannot read {}: {error}", root.join(FILE).display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slug(text: &str) -> Slug {
        Slug::parse(text).unwrap()
    }

    #[test]
    fn what_is_asked_comes_before_the_file_and_the_file_before_the_repository() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(name(None, root.path(), "My Lib").unwrap(), slug("my-lib"));
        std::fs::write(root.path().join(FILE), "project = 'libfoo'").unwrap();
        assert_eq!(name(None, root.path(), "My Lib").unwrap(), slug("libfoo"));
        assert_eq!(name(Some(&slug("asked")), root.path(), "My Lib").unwrap(), slug("asked"));
    }

    #[test]
    fn a_misspelt_key_is_named_with_its_line() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join(FILE), "project = 'x'\nprojct = 'y'").unwrap();
        let error = name(None, root.path(), "x").unwrap_err().to_string();
        assert!(error.contains("projct") && error.contains("line 2"), "{error}");
    }
}
