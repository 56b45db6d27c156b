//! The archive of one program for one target, with its checksum beside it. The same files always make the same archive.

use crate::tool::Tool;
use crate::workspace;
use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use tar::{Archive, Builder, EntryType, Header};

/// What lies beside every program.
const FOR_ALL: &[&str] = &["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// What lies beside the server. The agent writes its own units: `roundtrip service install`.
const FOR_SERVER: &[&str] = &[
    "server/packaging/grafana/roundtrip.json",
    "server/packaging/prometheus/rules.yml",
    "server/packaging/systemd/roundtrip-server.service",
    "server/packaging/systemd/roundtrip-server.sysusers",
];
/// Of every file: 2000-01-01. Time of day would make each archive another one.
const MODIFIED_SECONDS: u64 = 946_684_800;
const PROGRAM_MODE: u32 = 0o755;
const TEXT_MODE: u32 = 0o644;

/// Makes the archive of a program that says the right version of itself; its name is that of its file. `licences` lie beside
/// it, by the names in the archive.
///
/// # Errors
/// It does not run here, says another version, or the archive cannot be written.
pub(super) fn pack(
    program: &Path,
    version: &str,
    target: &str,
    output: &Path,
    licences: BTreeMap<String, PathBuf>,
) -> Result<PathBuf> {
    let path = std::path::absolute(program).with_context(|| format!("{} has no place", program.display()))?;
    let said = Tool::at(&path).arguments(["--version"]).run_silently()?.successful()?.output;
    let expected = format!("{} {version}", name(program)?);
    ensure!(
        said.trim() == expected,
        "{} calls itself `{}`: expected `{expected}`",
        program.display(),
        said.trim()
    );
    let manual = tempfile::tempdir().context("no folder for the manual")?;
    let mut files = manual_of(&path, name(program)?, manual.path())?;
    files.extend(licences);
    write(program, version, target, output, &files)
}

/// What a program writes of itself: pages for man, and completions for shells. By the names that they have in the archive.
fn manual_of(program: &Path, name: &str, folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut files = BTreeMap::new();
    let pages = folder.join("man1");
    Tool::at(program).arguments(["man"]).arguments([&pages]).run_silently()?.successful()?;
    for entry in std::fs::read_dir(&pages).with_context(|| format!("cannot read {}", pages.display()))? {
        let path = entry.with_context(|| format!("cannot read {}", pages.display()))?.path();
        let page = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(format!("man/man1/{page}"), path);
    }
    for shell in ["bash", "fish", "zsh"] {
        let script = Tool::at(program).arguments(["completions", shell]).run_silently()?.successful()?.output;
        let path = folder.join(shell);
        std::fs::write(&path, script).with_context(|| format!("cannot write {}", path.display()))?;
        files.insert(format!("completions/{name}.{shell}"), path);
    }
    Ok(files)
}

/// The same, whatever the program says of itself; `manual` has what lies beside it, by the names in the archive.
///
/// # Errors
/// The archive cannot be written.
pub(super) fn write(
    program: &Path,
    version: &str,
    target: &str,
    output: &Path,
    manual: &BTreeMap<String, PathBuf>,
) -> Result<PathBuf> {
    std::fs::create_dir_all(output).with_context(|| format!("cannot make {}", output.display()))?;
    let name = name(program)?;
    let stem = stem(name, version, target);
    let path = output.join(format!("{stem}.tar.gz"));
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut archive = Builder::new(GzEncoder::new(file, Compression::default()));
    let own_name = program.file_name().and_then(|name| name.to_str()).unwrap_or(name);
    add(&mut archive, &format!("{stem}/{own_name}"), program, PROGRAM_MODE)?;
    let beside = if name == "roundtrip-server" { FOR_SERVER } else { &[] };
    for file in FOR_ALL.iter().chain(beside) {
        let inside = file.strip_prefix("server/packaging/").unwrap_or(file);
        add(&mut archive, &format!("{stem}/{inside}"), &workspace::root().join(file), TEXT_MODE)?;
    }
    for (inside, path) in manual {
        add(&mut archive, &format!("{stem}/{inside}"), path, TEXT_MODE)?;
    }
    let file = archive.into_inner().and_then(GzEncoder::finish);
    file.and_then(|file| file.sync_all()).with_context(|| format!("cannot write {}", path.display()))?;
    let checksum = checksum_path(&path);
    std::fs::write(&checksum, format!("{}  {stem}.tar.gz\n", sha256(&path)?))
        .with_context(|| format!("cannot write {}", checksum.display()))?;
    Ok(path)
}

/// What an archive is called without its ending, and the only folder in it.
pub(super) fn stem(name: &str, version: &str, target: &str) -> String {
    format!("{name}-{version}-{target}")
}

/// Where the checksum of a file is, in the form of sha256sum(1).
pub(super) fn checksum_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".sha256");
    PathBuf::from(name)
}

/// The digest of a file in hexadecimal digits.
///
/// # Errors
/// It cannot be read.
pub(super) fn sha256(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The bytes of a file in an archive.
///
/// # Errors
/// The archive is damaged, or does not hold it.
pub(super) fn member(archive: &Path, inside: &str) -> Result<Vec<u8>> {
    let damaged = || format!("{} is damaged", archive.display());
    let file = File::open(archive).with_context(|| format!("cannot read {}", archive.display()))?;
    let mut files = Archive::new(GzDecoder::new(file));
    for entry in files.entries().with_context(damaged)? {
        let mut entry = entry.with_context(damaged)?;
        if entry.path_bytes().as_ref() == inside.as_bytes() {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).with_context(damaged)?;
            return Ok(bytes);
        }
    }
    anyhow::bail!("{} holds no {inside}", archive.display())
}

fn add(archive: &mut Builder<GzEncoder<File>>, inside: &str, path: &Path, mode: u32) -> Result<()> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut header = Header::new_ustar();
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes.len() as u64);
    header.set_mode(mode);
    header.set_mtime(MODIFIED_SECONDS);
    header.set_uid(0);
    header.set_gid(0);
    archive
        .append_data(&mut header, inside, bytes.as_slice())
        .with_context(|| format!("cannot pack {inside}"))
}

/// What a program is called, on every system.
///
/// # Errors
/// The path ends with none.
pub(super) fn name(program: &Path) -> Result<&str> {
    let name = program.file_name().and_then(|name| name.to_str());
    let name = name.with_context(|| format!("{} has no name", program.display()))?;
    Ok(name.strip_suffix(".exe").unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_program_makes_the_same_archive_with_its_licences() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("roundtrip.exe");
        std::fs::write(&program, "a program").unwrap();
        let [one, two] = ["one", "two"].map(|name| {
            let output = folder.path().join(name);
            write(&program, "1.0.0", "x86_64-pc-windows-msvc", &output, &BTreeMap::new()).unwrap()
        });
        assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(two).unwrap());
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
        std::fs::write(&program, "a program").unwrap();
        let path = write(&program, "1.0.0", "t", folder.path(), &BTreeMap::new()).unwrap();
        for file in FOR_SERVER {
            let inside = file.strip_prefix("server/packaging/").unwrap();
            assert!(
                !member(&path, &format!("roundtrip-server-1.0.0-t/{inside}")).unwrap().is_empty(),
                "{file}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_comes_with_the_manual_that_it_writes_itself_and_the_licences_of_others() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("roundtrip");
        let script = "#!/bin/sh\ncase $1 in\n--version) echo roundtrip 1.0.0 ;;\n\
            man) mkdir -p \"$2\"; echo page > \"$2/roundtrip-run.1\" ;;\ncompletions) echo for \"$2\" ;;\nesac\n";
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(PROGRAM_MODE)).unwrap();
        let licences = folder.path().join("licences");
        std::fs::write(&licences, "of others").unwrap();
        let licences = [("THIRD-PARTY-LICENSES.txt".to_owned(), licences)].into();
        let path = pack(&program, "1.0.0", "t", folder.path(), licences).unwrap();
        let within = |name: &str| member(&path, &format!("roundtrip-1.0.0-t/{name}")).unwrap();
        assert_eq!(within("man/man1/roundtrip-run.1"), b"page\n");
        assert_eq!(within("completions/roundtrip.zsh"), b"for zsh\n");
        assert_eq!(within("THIRD-PARTY-LICENSES.txt"), b"of others");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_says_another_version_is_not_packed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("roundtrip");
        std::fs::write(&program, "#!/bin/sh\necho roundtrip 0.9.0\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(PROGRAM_MODE)).unwrap();
        let refused = pack(&program, "1.0.0", "t", folder.path(), BTreeMap::new()).unwrap_err().to_string();
        assert!(refused.contains("calls itself `roundtrip 0.9.0`: expected `roundtrip 1.0.0`"), "{refused}");
        assert!(!folder.path().join("roundtrip-1.0.0-t.tar.gz").exists());
    }
}
