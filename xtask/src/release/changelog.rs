//! Whether a tag may be released, and what CHANGELOG.md says of its version.

use crate::{tool, workspace};
use anyhow::{Context, Result, ensure};
use std::path::Path;

const CHANGELOG: &str = "CHANGELOG.md";
const INSTALLER: &str = "install.sh";
/// What whoever upgrades looks for, if only to read that there is nothing to do.
const UPGRADING: &str = "### Upgrading";
/// What it has to speak of where they change.
const TABLES: &str = "tables";

/// Refuses what would be a release that contradicts itself.
///
/// # Errors
/// The sentence says what does not fit.
pub(super) fn check(tag: &str, version: &str) -> Result<()> {
    ensure!(
        tag == format!("v{version}"),
        "the tag is {tag}: expected v{version}, the version in Cargo.toml with a v before it"
    );
    check_section(&notes(version)?, version, &new_migrations(workspace::root(), tag)?)?;
    release_key().map(drop)
}

/// The migrations that the release before did not have, as git knows them; none where there was no release.
fn new_migrations(root: &Path, tag: &str) -> Result<Vec<String>> {
    // Tags of what HEAD comes from, the newest version first.
    let tags = tool::git(root, &["tag", "--list", "v*", "--merged", "HEAD", "--sort", "-version:refname"])?;
    let Some(before) = tags.lines().find(|known| *known != tag) else { return Ok(Vec::new()) };
    let added = ["diff", "--name-only", "--diff-filter", "A", before, "HEAD", "--", "migrations/*.sql"];
    Ok(tool::git(root, &added)?.lines().map(str::to_owned).collect())
}

/// The public key that the installer believes. Without one nobody could tell whose release it is.
///
/// # Errors
/// It names none.
pub(super) fn release_key() -> Result<String> {
    key_of(&read(INSTALLER)?)
}

/// The section of a version, without its heading.
///
/// # Errors
/// There is none, or it is empty.
pub(super) fn notes(version: &str) -> Result<String> {
    section(&read(CHANGELOG)?, version)
}

fn read(name: &str) -> Result<String> {
    std::fs::read_to_string(workspace::root().join(name)).with_context(|| format!("cannot read {name}"))
}

fn section(changelog: &str, version: &str) -> Result<String> {
    let mut lines = changelog.lines();
    lines.by_ref().find(|line| is_heading_of(line, version)).with_context(|| {
        format!(
            "{CHANGELOG} has no section of {version}: expected the heading `## {version} - YEAR-MONTH-DAY`"
        )
    })?;
    let lines: Vec<_> = lines.take_while(|line| !line.starts_with("## ")).collect();
    let text = lines.join("\n");
    ensure!(!text.trim().is_empty(), "the section of {version} in {CHANGELOG} is empty");
    Ok(format!("{}\n", text.trim()))
}

fn is_heading_of(line: &str, version: &str) -> bool {
    let day = line.strip_prefix("## ").and_then(|rest| rest.strip_prefix(version));
    let day = day.and_then(|rest| rest.strip_prefix(" - ")).unwrap_or_default();
    let is_in_place = |(index, byte): (usize, u8)| match index {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    day.len() == 10 && day.bytes().enumerate().all(is_in_place)
}

fn check_section(notes: &str, version: &str, new_migrations: &[String]) -> Result<()> {
    let mut lines = notes.lines();
    ensure!(
        lines.by_ref().any(|line| line == UPGRADING),
        "the section of {version} in {CHANGELOG} does not say how to upgrade: expected the heading `{UPGRADING}`"
    );
    let upgrading = lines.take_while(|line| !line.starts_with('#')).collect::<Vec<_>>().join(" ");
    ensure!(
        !upgrading.trim().is_empty(),
        "`{UPGRADING}` of {version} in {CHANGELOG} is empty: expected what to do, if only that there is nothing"
    );
    ensure!(
        new_migrations.is_empty() || upgrading.contains(TABLES),
        "`{UPGRADING}` of {version} in {CHANGELOG} says nothing of the {TABLES}, which {} changes: expected how long that \
         takes, what waits meanwhile, or that nobody notices",
        new_migrations.join(", ")
    );
    Ok(())
}

fn key_of(installer: &str) -> Result<String> {
    let key = installer.lines().find_map(|line| line.strip_prefix("release_key=\"")?.strip_suffix('"'));
    key.filter(|key| !key.is_empty()).map(str::to_owned).with_context(|| {
        format!(
            "{INSTALLER} names no key: expected the public half of the release key in the line `release_key=\"...\"`"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.2.0 - 2027-01-31\n\n### Added\n\n- A thing.\n\n\
        ### Upgrading\n\nNothing to do.\n\n## 1.1.0 - 2026-12-24\n\n- Old.\n";

    #[test]
    fn notes_are_the_section_of_that_version_alone() {
        let notes = section(TEXT, "1.2.0").unwrap();
        assert_eq!(notes, "### Added\n\n- A thing.\n\n### Upgrading\n\nNothing to do.\n");
        check_section(&notes, "1.2.0", &[]).unwrap();
        assert_eq!(section(TEXT, "1.1.0").unwrap(), "- Old.\n");
    }

    #[test]
    fn a_version_without_a_dated_section_is_refused() {
        for text in
            ["## 1.2.0\n\n- A.\n", "## 1.2.0 - soon\n\n- A.\n", "## 1.2.01 - 2027-01-31\n\n- A.\n", "- A.\n"]
        {
            let refused = section(text, "1.2.0").unwrap_err().to_string();
            assert!(refused.contains("has no section of 1.2.0"), "{refused}");
        }
        let refused = section("## 1.2.0 - 2027-01-31\n\n## 1.1.0 - 2026-12-24\n", "1.2.0").unwrap_err();
        assert!(refused.to_string().contains("is empty"), "{refused}");
    }

    #[test]
    fn a_section_that_does_not_say_how_to_upgrade_is_refused() {
        let refused = check_section("### Added\n\n- A.\n", "1.2.0", &[]).unwrap_err().to_string();
        assert!(refused.contains("does not say how to upgrade"), "{refused}");
        for notes in ["### Upgrading\n", "### Upgrading\n\n### Added\n\n- A.\n"] {
            let refused = check_section(notes, "1.2.0", &[]).unwrap_err().to_string();
            assert!(refused.contains("is empty"), "{refused}");
        }
    }

    #[test]
    fn a_release_with_migrations_has_to_say_what_they_do_to_tables() {
        let migrations = ["migrations/20270101000100_point.sql".to_owned()];
        let refused = check_section("### Upgrading\n\nNothing to do.\n", "1.2.0", &migrations).unwrap_err();
        assert!(refused.to_string().contains("20270101000100_point.sql"), "{refused}");
        let told = "### Upgrading\n\n- The tables are brought up to date in seconds.\n";
        check_section(told, "1.2.0", &migrations).unwrap();
    }

    #[test]
    fn migrations_are_new_that_the_release_before_did_not_have() {
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| tool::git(folder.path(), arguments).unwrap();
        let commit = |file: &str| {
            std::fs::write(folder.path().join("migrations").join(file), "select 1;\n").unwrap();
            git(&["add", "--all"]);
            git(&["commit", "--quiet", "--message", file]);
        };
        std::fs::create_dir(folder.path().join("migrations")).unwrap();
        git(&["init", "--quiet"]);
        commit("1_one.sql");
        assert_eq!(new_migrations(folder.path(), "v1.0.0").unwrap(), Vec::<String>::new());
        git(&["tag", "v1.0.0"]);
        commit("2_two.sql");
        git(&["tag", "v1.1.0"]);
        commit("README.md");
        for tag in ["v1.1.0", "v1.2.0"] {
            let expected: &[&str] = if tag == "v1.1.0" { &["migrations/2_two.sql"] } else { &[] };
            assert_eq!(new_migrations(folder.path(), tag).unwrap(), expected, "{tag}");
        }
    }

    #[test]
    fn a_tag_of_another_version_is_refused() {
        for tag in ["v1.2.1", "1.2.0", "v1.2.0-rc1"] {
            let refused = check(tag, "1.2.0").unwrap_err().to_string();
            assert!(refused.contains("expected v1.2.0"), "{refused}");
        }
    }

    #[test]
    fn an_installer_without_a_key_is_refused() {
        assert_eq!(key_of("set -eu\nrelease_key=\"RWQf6LRC\"\n").unwrap(), "RWQf6LRC");
        assert!(key_of("release_key=\"\"\n").is_err());
        assert!(key_of("set -eu\n").is_err());
    }
}
