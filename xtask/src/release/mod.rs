//! `release`: what the workflow of releases does beyond running cargo, so that it can be run and tested anywhere.
//! Archives are made by [`crate::archive`], with the licences of [`crate::licences`].

#[cfg(test)]
#[cfg(unix)]
mod install_tests;

use crate::archive::{self, VERSION};
use crate::licences::{self, AGENT, SERVER, TARGETS, Target};
use crate::{tool, workspace};
use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;
use fs_err as fs;
use serde_json::{Map, Value, json};
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
        Verb::Check { tag } => check(tag, VERSION)?,
        Verb::Notes => print!("{}", section(&workspace::read(CHANGELOG)?, VERSION)?),
        Verb::Pack { target, output, programs } => {
            for program in programs {
                let folder = tempfile::tempdir()?;
                let licences = licences::write(archive::name(program)?, target, folder.path())?;
                println!("{}", archive::pack(program, VERSION, target, output, licences)?.display());
            }
        }
        Verb::Licences { target, program } => {
            let target = target.clone().map_or_else(licences::host, Ok)?;
            print!("{}", licences::text(program, &target)?);
        }
        Verb::Finish { folder } => finish(folder, VERSION)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn check(tag: &str, version: &str) -> Result<()> {
    ensure!(
        tag == format!("v{version}"),
        "the tag is {tag}: expected v{version}, the version in Cargo.toml with a v before it"
    );
    let notes = section(&workspace::read(CHANGELOG)?, version)?;
    check_section(&notes, version, &new_migrations(workspace::root(), tag)?)?;
    release_key(&workspace::read(INSTALLER)?).map(drop)
}

/// The migrations since the last release, as git knows them; none where there was no release.
fn new_migrations(root: &Path, tag: &str) -> Result<Vec<String>> {
    // Tags of what HEAD comes from, the newest version first.
    let tags = tool::git(root, &["tag", "--list", "v*", "--merged", "HEAD", "--sort", "-version:refname"])?;
    let Some(before) = tags.lines().find(|known| *known != tag) else { return Ok(Vec::new()) };
    let added = ["diff", "--name-only", "--diff-filter", "A", before, "HEAD", "--", "migrations/*.sql"];
    Ok(tool::git(root, &added)?.lines().map(str::to_owned).collect())
}

/// The public key that the installer trusts. Without one, releases cannot be verified.
fn release_key(installer: &str) -> Result<String> {
    let key = installer.lines().find_map(|line| line.strip_prefix("release_key=\"")?.strip_suffix('"'));
    key.filter(|key| !key.is_empty()).map(str::to_owned).with_context(|| {
        format!(
            "{INSTALLER} names no key: expected the public half of the release key in the line `release_key=\"...\"`"
        )
    })
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
    let day = line.strip_prefix(&format!("## {version} - "));
    let parts = day.map(|day| day.split('-').map(|part| (part.len(), part.parse::<u16>().is_ok())));
    parts.is_some_and(|parts| parts.eq([(4, true), (2, true), (2, true)]))
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
fn finish(folder: &Path, version: &str) -> Result<()> {
    for target in TARGETS {
        for name in target.programs {
            check_archive(folder, &format!("{}.tar.gz", archive::stem(name, version, target.triple)))?;
        }
    }
    let mut programs = Map::new();
    for target in TARGETS.iter().filter(|target| !target.updates.is_empty()) {
        let stem = archive::stem(AGENT, version, target.triple);
        let program = archive::member(&folder.join(format!("{stem}.tar.gz")), &format!("{stem}/{AGENT}"))?;
        fs::write(folder.join(&stem), &program)?;
        let sha256 = archive::sha256(&folder.join(&stem))?;
        let about = json!({ "file": stem, "length_bytes": program.len(), "sha256": sha256 });
        programs.extend(target.updates.iter().map(|triple| ((*triple).to_owned(), about.clone())));
    }
    let manifest = json!({ "version": version, "programs": Value::Object(programs) });
    fs::write(folder.join(MANIFEST), format!("{manifest:#}\n"))?;
    fs::write(folder.join("roundtrip.rb"), formula(folder, version)?)?;
    archive::write_sums(folder)
}

/// An archive is there, as it was packed.
fn check_archive(folder: &Path, name: &str) -> Result<()> {
    let path = folder.join(name);
    ensure!(path.is_file(), "{} holds no {name}: expected every archive of a release", folder.display());
    let checksum = archive::checksum_path(&path);
    ensure!(
        fs::read_to_string(&checksum)? == archive::checksum_line(&path)?,
        "{name} is not what was packed: its SHA-256 is {}, expected that in {}",
        archive::sha256(&path)?,
        checksum.display()
    );
    Ok(())
}

/// The formula, with the version and the checksum of each archive that it names.
fn formula(folder: &Path, version: &str) -> Result<String> {
    let mut text = workspace::read(FORMULA)?.replace("{{version}}", version);
    for Target { triple, .. } in TARGETS {
        let archive = folder.join(format!("{}.tar.gz", archive::stem(AGENT, version, triple)));
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
        for tag in ["v1.2.1", "1.2.0", "v1.2.0-rc1"] {
            refused(check(tag, "1.2.0"), "expected v1.2.0");
        }
    }

    #[test]
    fn an_installer_without_a_key_is_refused() {
        assert_eq!(release_key("set -eu\nrelease_key=\"RWQf6LRC\"\n").unwrap(), "RWQf6LRC");
        assert!(release_key("release_key=\"\"\n").is_err());
        assert!(release_key("set -eu\n").is_err());
    }

    /// Every archive of a release; the content of a program is its name.
    fn packed() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for target in TARGETS {
            for name in target.programs {
                let program = folder.path().join(name);
                fs::write(&program, format!("{name} for {}", target.triple)).unwrap();
                archive::write(&program, "1.0.0", target.triple, folder.path(), &[].into()).unwrap();
                fs::remove_file(program).unwrap();
            }
        }
        folder
    }

    #[test]
    fn a_finished_release_has_a_manifest_the_sums_and_a_formula_without_blanks() {
        let folder = packed();
        fs::write(folder.path().join("roundtrip.cdx.json"), "{}").unwrap();
        finish(folder.path(), "1.0.0").unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let manifest: Value = serde_json::from_str(&read(MANIFEST)).unwrap();
        assert_eq!(manifest["version"], "1.0.0");
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
        let digest = archive::sha256(&folder.path().join("roundtrip-1.0.0-universal-apple-darwin.tar.gz"));
        assert!(formula.contains(&digest.unwrap()) && formula.contains("\"1.0.0\""), "{formula}");
    }

    #[test]
    fn an_archive_that_is_missing_or_changed_is_refused() {
        let folder = packed();
        let name = "roundtrip-1.0.0-x86_64-unknown-freebsd.tar.gz";
        fs::write(folder.path().join(name), "another").unwrap();
        refused(finish(folder.path(), "1.0.0"), "is not what was packed");
        fs::remove_file(folder.path().join(name)).unwrap();
        refused(finish(folder.path(), "1.0.0"), &format!("holds no {name}"));
        assert!(!folder.path().join(SUMS).exists());
    }
}
