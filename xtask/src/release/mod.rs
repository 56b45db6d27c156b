//! `release`: what the workflow of releases does beyond running cargo, so that it can be run and tested anywhere.
//! Archives are made by [`crate::archive`], with the licences of [`crate::licences`].

#[cfg(test)]
#[cfg(unix)]
mod install_tests;

use crate::archive::{self, VERSION};
use crate::licences::{self, AGENT, SERVER, TARGETS, Target};
use crate::tool::{self, Tool};
use crate::workspace;
use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;
use fs_err as fs;
use serde_json::{Map, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const CHANGELOG: &str = "CHANGELOG.md";
const INSTALLER: &str = "install.sh";
/// What a section of the changelog must have, if only to say that there is nothing to do.
const UPGRADING: &str = "### Upgrading";
/// What that must mention when migrations change it.
const TABLES: &str = "tables";
const FORMULA: &str = "agents/packaging/homebrew/roundtrip.rb";
const MANIFEST: &str = "manifest.json";

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Refuse a tag that is not the workspace's version, has no section in CHANGELOG.md, or no key to be verified with.
    Check {
        /// As in v1.2.3.
        tag: String,
    },
    /// Print this version's section of CHANGELOG.md.
    Notes,
    /// Make the archive of each program, with its checksum.
    Pack {
        /// What they were built for.
        #[arg(long, value_parser = PossibleValuesParser::new(TARGETS.iter().map(|target| target.triple)))]
        target: String,
        /// The folder that the archives go to.
        #[arg(long)]
        output: PathBuf,
        /// Built programs, as cargo named them; they must run here.
        #[arg(required = true)]
        programs: Vec<PathBuf>,
    },
    /// Print the licences of what is linked into a program, and for the server of its web interface.
    Licences {
        /// What it is built for [default: this machine].
        #[arg(long)]
        target: Option<String>,
        /// Which one.
        #[arg(value_parser = [AGENT, SERVER])]
        program: String,
    },
    /// In a folder with every archive, make the programs and the manifest for agents, the formula and SHA256SUMS.
    Finish {
        /// The folder.
        folder: PathBuf,
    },
}

pub(crate) fn release(options: &Options) -> Result<ExitCode> {
    match &options.verb {
        Verb::Check { tag } => check(tag)?,
        Verb::Notes => print!("{}", section(&workspace::read(CHANGELOG)?, VERSION)?),
        Verb::Pack { target, output, programs } => {
            for program in programs {
                let folder = tempfile::tempdir()?;
                let licences = licences::write(archive::name(program)?, target, folder.path())?;
                println!("{}", archive::pack(program, target, output, licences)?.display());
            }
        }
        Verb::Licences { target, program } => {
            let target = target.clone().map_or_else(licences::host, Ok)?;
            print!("{}", licences::text(program, &target)?);
        }
        Verb::Finish { folder } => finish(folder)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn check(tag: &str) -> Result<()> {
    ensure!(
        tag.strip_prefix('v') == Some(VERSION),
        "the tag is {tag}: expected v{VERSION}, the version in Cargo.toml with a v before it"
    );
    let notes = section(&workspace::read(CHANGELOG)?, VERSION)?;
    check_section(&notes, VERSION, &new_migrations(workspace::root(), tag)?)?;
    check_key(&workspace::read(INSTALLER)?)
}

/// The migrations since the last release, as git knows them; none where there was no release.
fn new_migrations(root: &Path, tag: &str) -> Result<Vec<String>> {
    // Tags of what HEAD comes from, the newest version first.
    let tags = tool::git(root, &["tag", "--list", "v*", "--merged", "HEAD", "--sort", "-version:refname"])?;
    let Some(before) = tags.lines().find(|known| *known != tag) else { return Ok(Vec::new()) };
    let added = ["diff", "--name-only", "--diff-filter", "A", before, "HEAD", "--", "migrations/*.sql"];
    Ok(tool::git(root, &added)?.lines().map(str::to_owned).collect())
}

/// Without a public key that the installer trusts, releases cannot be verified.
fn check_key(installer: &str) -> Result<()> {
    let key = installer.lines().find_map(|line| line.strip_prefix("release_key=\"")?.strip_suffix('"'));
    ensure!(
        key.is_some_and(|key| !key.is_empty()),
        "{INSTALLER} names no key: expected the public half of the release key in the line `release_key=\"...\"`"
    );
    Ok(())
}

/// The section of a version in the changelog, without its heading.
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
    line.strip_prefix(&format!("## {version} - ")).is_some_and(|day| {
        let parts = day.split('-').map(|part| (part.len(), part.parse::<u16>().is_ok()));
        parts.eq([(4, true), (2, true), (2, true)])
    })
}

fn check_section(notes: &str, version: &str, new_migrations: &[String]) -> Result<()> {
    let place = format!("`{UPGRADING}` of {version} in {CHANGELOG}");
    let mut lines = notes.lines();
    ensure!(lines.by_ref().any(|line| line == UPGRADING), "{place} is missing: expected how to upgrade");
    let upgrading: String = lines.take_while(|line| !line.starts_with('#')).collect();
    ensure!(
        !upgrading.trim().is_empty(),
        "{place} is empty: expected what to do, if only that there is nothing"
    );
    ensure!(
        new_migrations.is_empty() || upgrading.contains(TABLES),
        "{place} does not mention the {TABLES}, which {} changes: expected how long that takes and what it blocks",
        new_migrations.join(", ")
    );
    Ok(())
}

/// Makes what describes all archives of a folder together: programs and a manifest for agents that update themselves, the formula
/// for Homebrew, and the checksums of everything. Signatures come afterwards, where the key is.
fn finish(folder: &Path) -> Result<()> {
    for target in TARGETS {
        for name in target.programs {
            check_archive(folder, &format!("{}.tar.gz", archive::stem(name, target.triple)))?;
        }
    }
    let mut programs = Map::new();
    for target in TARGETS.iter().filter(|target| !target.updates.is_empty()) {
        let stem = archive::stem(AGENT, target.triple);
        let tar = Tool::named("tar")?.words("--strip-components 1 -xzf").folder(folder);
        tar.arguments([format!("{stem}.tar.gz"), format!("{stem}/{AGENT}")]).output()?;
        let program = folder.join(&stem);
        fs::rename(folder.join(AGENT), &program)?;
        let length = fs::metadata(&program)?.len();
        let about = json!({ "file": stem, "length_bytes": length, "sha256": archive::sha256(&program)? });
        programs.extend(target.updates.iter().map(|triple| ((*triple).to_owned(), about.clone())));
    }
    let manifest = json!({ "version": VERSION, "programs": programs });
    fs::write(folder.join(MANIFEST), format!("{manifest:#}\n"))?;
    fs::write(folder.join("roundtrip.rb"), formula(folder)?)?;
    archive::write_sums(folder)
}

/// An archive is there, as it was packed.
fn check_archive(folder: &Path, name: &str) -> Result<()> {
    let path = folder.join(name);
    ensure!(path.is_file(), "{} holds no {name}: expected every archive of a release", folder.display());
    let (found, expected) =
        (archive::checksum_line(&path)?, fs::read_to_string(archive::checksum_path(&path))?);
    ensure!(
        found == expected,
        "{name} is not what was packed: its checksum is `{}`, expected `{}`",
        found.trim_end(),
        expected.trim_end()
    );
    Ok(())
}

/// The formula, with the version and the checksum of each archive that it names.
fn formula(folder: &Path) -> Result<String> {
    let mut text = workspace::read(FORMULA)?.replace("{{version}}", VERSION);
    for Target { triple, .. } in TARGETS {
        let archive = folder.join(format!("{}.tar.gz", archive::stem(AGENT, triple)));
        text = text.replace(&format!("{{{{sha256 {triple}}}}}"), &archive::sha256(&archive)?);
    }
    ensure!(!text.contains("{{"), "{FORMULA} names a target that no release is made for");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::SUMS;
    use crate::fixture::Repository;
    use serde_json::Value;
    use tempfile::TempDir;

    fn refused<T: std::fmt::Debug>(result: Result<T>, expected: &str) {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn notes_are_the_dated_section_of_that_version_alone() {
        let changelog = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.2.0 - 2027-01-31\n\n### Added\n\n- A thing.\n\n\
            ### Upgrading\n\nNothing to do.\n\n## 1.1.0 - 2026-12-24\n\n- Old.\n";
        let notes = "### Added\n\n- A thing.\n\n### Upgrading\n\nNothing to do.\n";
        assert_eq!(section(changelog, "1.2.0").unwrap(), notes);
        assert_eq!(section(changelog, "1.1.0").unwrap(), "- Old.\n");
        for (text, expected) in [
            ("## 1.2.0\n\n- A.\n", "has no section of 1.2.0"),
            ("## 1.2.0 - soon\n\n- A.\n", "has no section of 1.2.0"),
            ("## 1.2.01 - 2027-01-31\n\n- A.\n", "has no section of 1.2.0"),
            ("- A.\n", "has no section of 1.2.0"),
            ("## 1.2.0 - 2027-01-31\n\n## 1.1.0 - 2026-12-24\n", "is empty"),
        ] {
            refused(section(text, "1.2.0"), expected);
        }
    }

    #[test]
    fn a_section_says_how_to_upgrade_and_what_migrations_do_to_tables() {
        let migrations = ["migrations/20270101000100_point.sql".to_owned()];
        for (notes, migrations, expected) in [
            ("### Upgrading\n\nNothing to do.\n", &[][..], ""),
            ("### Added\n\n- A.\n", &[], "`### Upgrading` of 1.2.0 in CHANGELOG.md is missing"),
            ("### Upgrading\n", &[], "is empty"),
            ("### Upgrading\n\n### Added\n\n- A.\n", &[], "is empty"),
            ("### Upgrading\n\nNothing to do.\n", &migrations, "20270101000100_point.sql"),
            ("### Upgrading\n\n- The tables are brought up to date in seconds.\n", &migrations, ""),
        ] {
            match check_section(notes, "1.2.0", migrations) {
                Ok(()) => assert_eq!(expected, "", "{notes}"),
                checked => refused(checked, expected),
            }
        }
    }

    #[test]
    fn migrations_are_new_that_the_last_release_did_not_have() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("migrations")).unwrap();
        let repository = Repository::init(folder.path()).unwrap();
        let commit = |file: &str| {
            repository.commit(file, &[(&format!("migrations/{file}"), "select 1;\n")]).unwrap();
        };
        commit("1_one.sql");
        assert_eq!(new_migrations(folder.path(), "v1.0.0").unwrap(), Vec::<String>::new());
        repository.git("tag v1.0.0").unwrap();
        commit("2_two.sql");
        repository.git("tag v1.1.0").unwrap();
        commit("README.md");
        assert_eq!(new_migrations(folder.path(), "v1.1.0").unwrap(), ["migrations/2_two.sql"]);
        assert_eq!(new_migrations(folder.path(), "v1.2.0").unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_tag_of_another_version_is_refused() {
        for tag in ["v0.0.1", VERSION, &format!("v{VERSION}-rc1")] {
            refused(check(tag), &format!("expected v{VERSION}"));
        }
    }

    #[test]
    fn an_installer_without_a_key_is_refused() {
        check_key("set -eu\nrelease_key=\"RWQf6LRC\"\n").unwrap();
        for installer in ["release_key=\"\"\n", "release_key=\"RWQf\n", "set -eu\n"] {
            refused(check_key(installer), "names no key");
        }
    }

    /// Every archive of a release; the content of a program is its name.
    fn packed() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for target in TARGETS {
            for name in target.programs {
                let program = folder.path().join(name);
                fs::write(&program, format!("{name} for {}", target.triple)).unwrap();
                archive::write(&program, target.triple, folder.path(), [].into()).unwrap();
                fs::remove_file(program).unwrap();
            }
        }
        folder
    }

    #[test]
    fn a_finished_release_has_a_manifest_the_sums_and_a_formula_without_blanks() {
        let folder = packed();
        fs::write(folder.path().join("roundtrip.cdx.json"), "{}").unwrap();
        finish(folder.path()).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let manifest: Value = serde_json::from_str(&read(MANIFEST)).unwrap();
        assert_eq!(manifest["version"], VERSION);
        let programs = manifest["programs"].as_object().unwrap();
        assert_eq!(programs.len(), 5);
        for about in programs.values() {
            let path = folder.path().join(about["file"].as_str().unwrap());
            assert_eq!(about["length_bytes"], fs::metadata(&path).unwrap().len());
            assert_eq!(about["sha256"], archive::sha256(&path).unwrap());
        }
        let file = programs["aarch64-apple-darwin"]["file"].as_str().unwrap();
        assert_eq!(read(file), "roundtrip for universal-apple-darwin");
        let sums = read(SUMS);
        let names: Vec<_> = sums.lines().map(|line| line.split_once("  ").unwrap().1).collect();
        // Nine archives, four programs, the manifest, the formula, and a file that was added.
        assert_eq!(names.len(), 9 + 4 + 3, "{sums}");
        assert!(names.contains(&"roundtrip.cdx.json") && names.contains(&MANIFEST));
        let formula = read("roundtrip.rb");
        let archive = format!("{}.tar.gz", archive::stem(AGENT, "universal-apple-darwin"));
        let digest = archive::sha256(&folder.path().join(archive)).unwrap();
        assert!(formula.contains(&digest) && formula.contains(&format!("\"{VERSION}\"")), "{formula}");
    }

    #[test]
    fn an_archive_that_is_missing_or_changed_is_refused() {
        let folder = packed();
        let name = format!("{}.tar.gz", archive::stem(AGENT, "x86_64-unknown-freebsd"));
        fs::write(folder.path().join(&name), "another").unwrap();
        refused(finish(folder.path()), "is not what was packed");
        fs::remove_file(folder.path().join(&name)).unwrap();
        refused(finish(folder.path()), &format!("holds no {name}"));
        assert!(!folder.path().join(SUMS).exists());
    }
}
