//! Whether a tag may be released, and what CHANGELOG.md says of its version.

use crate::workspace;
use anyhow::{Context, Result, ensure};

const CHANGELOG: &str = "CHANGELOG.md";
const INSTALLER: &str = "install.sh";
/// What whoever upgrades looks for, if only to read that there is nothing to do.
const UPGRADING: &str = "### Upgrading";

/// Refuses what would be a release that contradicts itself.
///
/// # Errors
/// The sentence says what does not fit.
pub(super) fn check(tag: &str, version: &str) -> Result<()> {
    ensure!(
        tag == format!("v{version}"),
        "the tag is {tag}: expected v{version}, the version in Cargo.toml with a v before it"
    );
    check_section(&notes(version)?, version)?;
    release_key().map(drop)
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

fn check_section(notes: &str, version: &str) -> Result<()> {
    ensure!(
        notes.lines().any(|line| line == UPGRADING),
        "the section of {version} in {CHANGELOG} does not say how to upgrade: expected the heading `{UPGRADING}`"
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
        check_section(&notes, "1.2.0").unwrap();
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
        let refused = check_section("### Added\n\n- A.\n", "1.2.0").unwrap_err().to_string();
        assert!(refused.contains("does not say how to upgrade"), "{refused}");
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
