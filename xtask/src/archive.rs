//! Archives of a release: one for each program and target, with its checksum in a file next to it. The same files always make the
//! same archive.

use crate::tool::Tool;
use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use fs_err::{self as fs, File};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use tar::{Archive, Builder, HeaderMode};

/// The version of the workspace, which every program prints.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
pub(crate) const SUMS: &str = "SHA256SUMS";
/// The target of a release for this machine, when the docs are tested.
const LINUX_X86_64: &str = "x86_64-unknown-linux-musl";
const FOR_ALL: &[&str] = &["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// Packed with the server. The agent writes its own units: `roundtrip service install`.
const FOR_SERVER: &[&str] = &[
    "server/packaging/grafana/roundtrip.json",
    "server/packaging/prometheus/rules.yml",
    "server/packaging/systemd/roundtrip-server.service",
    "server/packaging/systemd/roundtrip-server.sysusers",
];
pub(crate) type Files = BTreeMap<String, PathBuf>;

/// Packs a program that prints the right version of itself, with its manual and these licences.
pub(crate) fn pack(
    program: &Path,
    version: &str,
    target: &str,
    output: &Path,
    licences: Files,
) -> Result<PathBuf> {
    let path = std::path::absolute(program).with_context(|| format!("{} is no path", program.display()))?;
    let name = name(program)?;
    let run = |arguments: &[&str]| Tool::at(&path).arguments(arguments).output();
    let (printed, expected) = (run(&["--version"])?, format!("{name} {version}"));
    let printed = printed.trim();
    ensure!(printed == expected, "{} calls itself `{printed}`: expected `{expected}`", program.display());
    let manual = tempfile::tempdir().context("no folder for the manual")?;
    let mut files = licences;
    let pages = manual.path().join("man1");
    Tool::at(&path).arguments(["man"]).arguments([&pages]).output()?;
    for page in workspace::sorted(&pages)? {
        files.insert(format!("man/man1/{}", page.file_name().unwrap_or_default().display()), page);
    }
    for shell in ["bash", "fish", "zsh"] {
        let script = manual.path().join(shell);
        fs::write(&script, run(&["completions", shell])?)?;
        files.insert(format!("completions/{name}.{shell}"), script);
    }
    write(program, version, target, output, &files)
}

/// The same without asking the program for anything.
pub(crate) fn write(
    program: &Path,
    version: &str,
    target: &str,
    output: &Path,
    files: &Files,
) -> Result<PathBuf> {
    fs::create_dir_all(output)?;
    let name = name(program)?;
    let stem = stem(name, version, target);
    let path = output.join(format!("{stem}.tar.gz"));
    let mut archive = Builder::new(GzEncoder::new(File::create(&path)?, Compression::default()));
    // Without owners and times, which would make each archive another one.
    archive.mode(HeaderMode::Deterministic);
    // Holes depend on the disk that a program was written to, and not every tar can unpack them.
    archive.sparse(false);
    let own_name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut inside = Files::from([(own_name, program.to_owned())]);
    let for_server = if name == "roundtrip-server" { FOR_SERVER } else { &[] };
    inside.extend(
        FOR_ALL.iter().chain(for_server).map(|file| {
            (file.trim_start_matches("server/packaging/").to_owned(), workspace::root().join(file))
        }),
    );
    for (inside, path) in inside.iter().chain(files) {
        let packed = archive.append_path_with_name(path, format!("{stem}/{inside}"));
        packed.with_context(|| format!("cannot pack {}", path.display()))?;
    }
    archive.into_inner().and_then(GzEncoder::finish)?.sync_all()?;
    write_checksum(&path)?;
    Ok(path)
}

/// A release of these programs for Linux on x86-64, without the licences of others.
pub(crate) fn release_of_this_machine(programs: &[PathBuf], folder: &Path) -> Result<()> {
    for program in programs {
        pack(program, VERSION, LINUX_X86_64, folder, Files::new())?;
    }
    write_sums(folder)
}

/// An archive's name without its ending, and the only folder in it.
pub(crate) fn stem(name: &str, version: &str, target: &str) -> String {
    format!("{name}-{version}-{target}")
}

pub(crate) fn name(program: &Path) -> Result<&str> {
    let name = program.file_name().and_then(|name| name.to_str());
    let name = name.with_context(|| format!("{} has no name", program.display()))?;
    Ok(name.strip_suffix(".exe").unwrap_or(name))
}

pub(crate) fn checksum_path(path: &Path) -> PathBuf {
    path.with_added_extension("sha256")
}

/// Writes the checksum of a file next to it, in the form of sha256sum(1).
pub(crate) fn write_checksum(path: &Path) -> Result<()> {
    Ok(fs::write(checksum_path(path), checksum_line(path)?)?)
}

pub(crate) fn checksum_line(path: &Path) -> Result<String> {
    Ok(format!("{}  {}\n", sha256(path)?, path.file_name().unwrap_or_default().to_string_lossy()))
}

/// Writes the checksums of all that is published, except for signatures and what repeats them.
pub(crate) fn write_sums(folder: &Path) -> Result<()> {
    let is_summed = |path: &&PathBuf| {
        let has_ending = |ending: &str| path.extension().is_some_and(|found| found == ending);
        !path.ends_with(SUMS) && !has_ending("sha256") && !has_ending("minisig")
    };
    let paths = workspace::sorted(folder)?;
    let sums: Result<String> = paths.iter().filter(is_summed).map(|path| checksum_line(path)).collect();
    Ok(fs::write(folder.join(SUMS), sums?)?)
}

pub(crate) fn sha256(path: &Path) -> Result<String> {
    Ok(workspace::hex(&Sha256::digest(fs::read(path)?)))
}

pub(crate) fn member(archive: &Path, inside: &str) -> Result<Vec<u8>> {
    let damaged = || format!("{} is damaged", archive.display());
    for entry in Archive::new(GzDecoder::new(File::open(archive)?)).entries().with_context(damaged)? {
        let mut entry = entry.with_context(damaged)?;
        if *entry.path_bytes() == *inside.as_bytes() {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).with_context(damaged)?;
            return Ok(bytes);
        }
    }
    bail!("{} holds no {inside}", archive.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_program_makes_the_same_archive_with_what_belongs_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let pack = |name: &str, target: &str, to: &str| {
            let program = folder.path().join(name);
            fs::write(&program, "a program").unwrap();
            write(&program, "1.0.0", target, &folder.path().join(to), &Files::new()).unwrap()
        };
        let [one, two] = ["one", "two"].map(|to| pack("roundtrip.exe", "x86_64-pc-windows-msvc", to));
        assert_eq!(fs::read(&one).unwrap(), fs::read(two).unwrap());
        assert_eq!(one.file_name().unwrap(), "roundtrip-1.0.0-x86_64-pc-windows-msvc.tar.gz");
        let within = |name: &str| member(&one, &format!("roundtrip-1.0.0-x86_64-pc-windows-msvc/{name}"));
        assert_eq!(within("roundtrip.exe").unwrap(), b"a program");
        assert!(within("LICENSE-MIT").unwrap().starts_with(b"MIT License"));
        let refused = within("systemd/roundtrip-server.service").unwrap_err().to_string();
        assert!(refused.contains("holds no"), "{refused}");
        let server = pack("roundtrip-server", "t", "one");
        for file in FOR_SERVER {
            let inside = file.strip_prefix("server/packaging/").unwrap();
            let bytes = member(&server, &format!("roundtrip-server-1.0.0-t/{inside}")).unwrap();
            assert!(!bytes.is_empty(), "{file}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_comes_with_the_manual_that_it_writes_and_the_licences_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("roundtrip");
        let script = "#!/bin/sh\ncase $1 in\n--version) echo roundtrip 1.0.0 ;;\n\
            man) mkdir -p \"$2\"; echo page > \"$2/roundtrip-run.1\" ;;\ncompletions) echo for \"$2\" ;;\nesac\n";
        fs::write(&program, script).unwrap();
        crate::platform::make_executable(&program).unwrap();
        let licences = folder.path().join("licences");
        fs::write(&licences, "of others").unwrap();
        let licences = [("THIRD-PARTY-LICENSES.txt".to_owned(), licences)];
        let path = pack(&program, "1.0.0", "t", folder.path(), licences.clone().into()).unwrap();
        let within = |name: &str| member(&path, &format!("roundtrip-1.0.0-t/{name}")).unwrap();
        assert_eq!(within("man/man1/roundtrip-run.1"), b"page\n");
        assert_eq!(within("completions/roundtrip.zsh"), b"for zsh\n");
        assert_eq!(within("THIRD-PARTY-LICENSES.txt"), b"of others");
        let refused = pack(&program, "1.1.0", "t", folder.path(), licences.into()).unwrap_err().to_string();
        assert!(refused.contains("calls itself `roundtrip 1.0.0`: expected `roundtrip 1.1.0`"), "{refused}");
        assert!(!folder.path().join("roundtrip-1.1.0-t.tar.gz").exists(), "another version is not packed");
    }
}
