//! What is told of all archives together: programs and a manifest for agents that update themselves, the formula for
//! Homebrew, and the checksums of everything. Signatures come afterwards, where the key is.

use super::archive;
use super::targets::{AGENT, TARGETS, Target};
use crate::workspace;
use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};
use std::path::Path;

const FORMULA: &str = "agents/packaging/homebrew/roundtrip.rb";
const SUMS: &str = "SHA256SUMS";
const MANIFEST: &str = "manifest.json";

/// Makes them in the folder that holds every archive.
///
/// # Errors
/// An archive is missing or is not what its checksum says.
pub(super) fn finish(folder: &Path, version: &str) -> Result<()> {
    for target in TARGETS {
        for name in target.programs {
            check(folder, &archive::stem(name, version, target.triple))?;
        }
    }
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes)
            .with_context(|| format!("cannot write {name} in {}", folder.display()))
    };
    let mut programs = Map::new();
    for target in TARGETS.iter().filter(|target| !target.updates.is_empty()) {
        let stem = archive::stem(AGENT, version, target.triple);
        let program = archive::member(&folder.join(format!("{stem}.tar.gz")), &format!("{stem}/{AGENT}"))?;
        write(&stem, &program)?;
        let about = json!({
            "file": stem,
            "length_bytes": program.len(),
            "sha256": archive::sha256(&folder.join(&stem))?,
        });
        programs.extend(target.updates.iter().map(|triple| ((*triple).to_owned(), about.clone())));
    }
    let manifest =
        serde_json::to_string_pretty(&json!({ "version": version, "programs": Value::Object(programs) }))?;
    write(MANIFEST, format!("{manifest}\n").as_bytes())?;
    write("roundtrip.rb", formula(folder, version)?.as_bytes())?;
    write_sums(folder)
}

/// Writes the checksums of what is there.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn write_sums(folder: &Path) -> Result<()> {
    let path = folder.join(SUMS);
    std::fs::write(&path, sums(folder)?).with_context(|| format!("cannot write {}", path.display()))
}

/// An archive as it was packed.
fn check(folder: &Path, stem: &str) -> Result<()> {
    let path = folder.join(format!("{stem}.tar.gz"));
    ensure!(
        path.is_file(),
        "{} holds no {stem}.tar.gz: expected every archive of a release",
        folder.display()
    );
    let checksum = archive::checksum_path(&path);
    let told =
        std::fs::read_to_string(&checksum).with_context(|| format!("cannot read {}", checksum.display()))?;
    let found = archive::sha256(&path)?;
    ensure!(
        told == format!("{found}  {stem}.tar.gz\n"),
        "{stem}.tar.gz is not what was packed: its SHA-256 is {found}, expected that in {}",
        checksum.display()
    );
    Ok(())
}

/// The formula, with the version and the checksum of each archive that it names.
fn formula(folder: &Path, version: &str) -> Result<String> {
    let path = workspace::root().join(FORMULA);
    let mut text = std::fs::read_to_string(path).with_context(|| format!("cannot read {FORMULA}"))?;
    text = text.replace("{{version}}", version);
    for Target { triple, .. } in TARGETS {
        let archive = folder.join(format!("{}.tar.gz", archive::stem(AGENT, version, triple)));
        text = text.replace(&format!("{{{{sha256 {triple}}}}}"), &archive::sha256(&archive)?);
    }
    ensure!(!text.contains("{{"), "{FORMULA} names a target that no release is made for");
    Ok(text)
}

/// Of all that is published but for what signs or repeats it, in the form of sha256sum(1).
fn sums(folder: &Path) -> Result<String> {
    let mut names = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != SUMS && !name.ends_with(".sha256") && !name.ends_with(".minisig") {
            names.push(name);
        }
    }
    names.sort();
    let line = |name: &String| Ok(format!("{}  {name}\n", archive::sha256(&folder.join(name))?));
    names.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use tempfile::TempDir;

    /// Every archive of a release; a program is its own name.
    fn packed() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for target in TARGETS {
            for name in target.programs {
                let program = folder.path().join(name);
                std::fs::write(&program, format!("{name} for {}", target.triple)).unwrap();
                archive::write(&program, "1.0.0", target.triple, folder.path(), &BTreeMap::new()).unwrap();
                std::fs::remove_file(program).unwrap();
            }
        }
        folder
    }

    fn read(folder: &TempDir, name: &str) -> String {
        std::fs::read_to_string(folder.path().join(name)).unwrap()
    }

    #[test]
    fn the_manifest_names_for_each_agent_the_program_that_is_there() {
        let folder = packed();
        finish(folder.path(), "1.0.0").unwrap();
        let manifest: Value = serde_json::from_str(&read(&folder, MANIFEST)).unwrap();
        assert_eq!(manifest["version"], "1.0.0");
        let programs = manifest["programs"].as_object().unwrap();
        assert_eq!(programs.len(), 5);
        for about in programs.values() {
            let path = folder.path().join(about["file"].as_str().unwrap());
            assert_eq!(about["length_bytes"], std::fs::metadata(&path).unwrap().len());
            assert_eq!(about["sha256"], archive::sha256(&path).unwrap());
        }
        let file = programs["aarch64-apple-darwin"]["file"].as_str().unwrap();
        assert_eq!(read(&folder, file), "roundtrip for universal-apple-darwin");
    }

    #[test]
    fn the_sums_hold_everything_else_and_the_formula_has_no_blanks() {
        let folder = packed();
        std::fs::write(folder.path().join("roundtrip.cdx.json"), "{}").unwrap();
        finish(folder.path(), "1.0.0").unwrap();
        let sums = read(&folder, SUMS);
        let names: Vec<_> = sums.lines().map(|line| line.split_once("  ").unwrap().1).collect();
        // Nine archives, four programs, the manifest, the formula, and what somebody has added.
        assert_eq!(names.len(), 9 + 4 + 3, "{sums}");
        assert!(names.contains(&"roundtrip.cdx.json") && names.contains(&MANIFEST));
        let formula = read(&folder, "roundtrip.rb");
        let digest = archive::sha256(&folder.path().join("roundtrip-1.0.0-universal-apple-darwin.tar.gz"));
        assert!(formula.contains(&digest.unwrap()) && formula.contains("\"1.0.0\""), "{formula}");
    }

    #[test]
    fn an_archive_that_is_missing_or_changed_is_told() {
        let folder = packed();
        let path = folder.path().join("roundtrip-1.0.0-x86_64-unknown-freebsd.tar.gz");
        std::fs::write(&path, "another").unwrap();
        let refused = finish(folder.path(), "1.0.0").unwrap_err().to_string();
        assert!(refused.contains("is not what was packed"), "{refused}");
        std::fs::remove_file(&path).unwrap();
        let refused = finish(folder.path(), "1.0.0").unwrap_err().to_string();
        assert!(refused.contains("holds no roundtrip-1.0.0-x86_64-unknown-freebsd.tar.gz"), "{refused}");
        assert!(!folder.path().join(SUMS).exists());
    }
}
