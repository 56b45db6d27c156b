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
use tar::{Archive, Builder, EntryType, Header};

/// The version of the workspace, which every program prints.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The checksums of everything in a release.
pub(crate) const SUMS: &str = "SHA256SUMS";
/// The target of a release for this machine, when the docs are tested.
const LINUX_X86_64: &str = "x86_64-unknown-linux-musl";
/// Packed with every program.
const FOR_ALL: &[&str] = &["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// Packed with the server. The agent writes its own units: `roundtrip service install`.
const FOR_SERVER: &[&str] = &[
    "server/packaging/grafana/roundtrip.json",
    "server/packaging/prometheus/rules.yml",
    "server/packaging/systemd/roundtrip-server.service",
    "server/packaging/systemd/roundtrip-server.sysusers",
];
/// Every file's: 2000-01-01. Time of day would make each archive another one.
const MODIFIED_SECONDS: u64 = 946_684_800;
const PROGRAM_MODE: u32 = 0o755;
const TEXT_MODE: u32 = 0o644;

/// Files by their names in an archive.
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
    let (name, printed) = (name(program)?, Tool::at(&path).arguments(["--version"]).output()?);
    let (printed, expected) = (printed.trim(), format!("{name} {version}"));
    ensure!(printed == expected, "{} calls itself `{printed}`: expected `{expected}`", program.display());
    let manual = tempfile::tempdir().context("no folder for the manual")?;
    let mut files = licences;
    let pages = manual.path().join("man1");
    Tool::at(&path).arguments(["man"]).arguments([&pages]).output()?;
    for page in workspace::sorted(&pages)? {
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(format!("man/man1/{name}"), page);
    }
    for shell in ["bash", "fish", "zsh"] {
        let script = manual.path().join(shell);
        fs::write(&script, Tool::at(&path).arguments(["completions", shell]).output()?)?;
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
    let mut add = |inside: &str, path: &Path, mode: u32| -> Result<()> {
        let bytes = fs::read(path)?;
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_size(bytes.len() as u64);
        header.set_mode(mode);
        header.set_mtime(MODIFIED_SECONDS);
        header.set_uid(0);
        header.set_gid(0);
        let inside = format!("{stem}/{inside}");
        archive.append_data(&mut header, &inside, &*bytes).with_context(|| format!("cannot pack {inside}"))
    };
    let own_name = program.file_name().and_then(|name| name.to_str()).unwrap_or(name);
    add(own_name, program, PROGRAM_MODE)?;
    let for_server = if name == "roundtrip-server" { FOR_SERVER } else { &[] };
    for file in FOR_ALL.iter().chain(for_server) {
        let inside = file.strip_prefix("server/packaging/").unwrap_or(file);
        add(inside, &workspace::root().join(file), TEXT_MODE)?;
    }
    for (inside, path) in files {
        add(inside, path, TEXT_MODE)?;
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

/// The name of a program, on every system.
pub(crate) fn name(program: &Path) -> Result<&str> {
    let name = program.file_name().and_then(|name| name.to_str());
    let name = name.with_context(|| format!("{} has no name", program.display()))?;
    Ok(name.strip_suffix(".exe").unwrap_or(name))
}

/// The file with the checksum of a file.
pub(crate) fn checksum_path(path: &Path) -> PathBuf {
    path.with_added_extension("sha256")
}

/// Writes the checksum of a file next to it, in the form of sha256sum(1).
pub(crate) fn write_checksum(path: &Path) -> Result<()> {
    Ok(fs::write(checksum_path(path), checksum_line(path)?)?)
}

/// A line of sha256sum(1).
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

/// The digest of a file in hexadecimal digits.
pub(crate) fn sha256(path: &Path) -> Result<String> {
    Ok(workspace::hex(&Sha256::digest(fs::read(path)?)))
}

/// The bytes of a file in an archive.
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
    fn the_same_program_makes_the_same_archive_with_its_licences() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("roundtrip.exe");
        fs::write(&program, "a program").unwrap();
        let [one, two] = ["one", "two"].map(|name| {
            write(&program, "1.0.0", "x86_64-pc-windows-msvc", &folder.path().join(name), &Files::new())
                .unwrap()
        });
        assert_eq!(fs::read(&one).unwrap(), fs::read(two).unwrap());
        assert_eq!(one.file_name().unwrap(), "roundtrip-1.0.0-x86_64-pc-windows-msvc.tar.gz");
        let within = |name: &str| member(&one, &format!("roundtrip-1.0.0-x86_64-pc-windows-msvc/{name}"));
        assert_eq!(within("roundtrip.exe").unwrap(), b"a program");
        assert!(within("LICENSE-MIT").unwrap().starts_with(b"MIT License"));
        let refused = within("systemd/roundtrip-server.service").unwrap_err().to_string();
        assert!(refused.contains("holds no"), "{refused}");
    }

    #[test]
    fn a_server_comes_with_its_unit_dashboard_and_rules() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("roundtrip-server");
        fs::write(&program, "a program").unwrap();
        let path = write(&program, "1.0.0", "t", folder.path(), &Files::new()).unwrap();
        for file in FOR_SERVER {
            let inside = file.strip_prefix("server/packaging/").unwrap();
            let bytes = member(&path, &format!("roundtrip-server-1.0.0-t/{inside}")).unwrap();
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
