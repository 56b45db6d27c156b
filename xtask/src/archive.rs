//! Archives of a release: one for each program and target, with its checksum in a file next to it. The same files always make the
//! same archive.

use crate::tool::Tool;
use crate::workspace;
use anyhow::{Context, Result, ensure};
use flate2::{Compression, write::GzEncoder};
use fs_err::{self as fs, File};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tar::{Builder, HeaderMode};

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
/// The files of an archive, by their names in it.
pub(crate) type Files = BTreeMap<String, PathBuf>;

/// Packs a program that prints the right version of itself, with its manual and these licences.
pub(crate) fn pack(program: &Path, target: &str, output: &Path, mut files: Files) -> Result<PathBuf> {
    let path = std::path::absolute(program)?;
    let name = name(program)?;
    let run = |arguments: &[&str]| Tool::at(&path).arguments(arguments).output();
    let (printed, expected) = (run(&["--version"])?, format!("{name} {VERSION}"));
    let printed = printed.trim();
    ensure!(printed == expected, "{} calls itself `{printed}`: expected `{expected}`", program.display());
    let manual = tempfile::tempdir()?;
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
    write(program, target, output, files)
}

/// The same without running the program.
pub(crate) fn write(program: &Path, target: &str, output: &Path, mut files: Files) -> Result<PathBuf> {
    fs::create_dir_all(output)?;
    let name = name(program)?;
    let stem = stem(name, target);
    let path = output.join(format!("{stem}.tar.gz"));
    let mut archive = Builder::new(GzEncoder::new(File::create(&path)?, Compression::default()));
    // Without owners and times, which would make each archive another one.
    archive.mode(HeaderMode::Deterministic);
    // Holes depend on the disk that a program was written to, and not every tar can unpack them.
    archive.sparse(false);
    let own_name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    files.insert(own_name, program.to_owned());
    let for_server = if name == "roundtrip-server" { FOR_SERVER } else { &[] };
    for file in FOR_ALL.iter().chain(for_server) {
        let inside = file.trim_start_matches("server/packaging/");
        files.insert(inside.to_owned(), workspace::root().join(file));
    }
    for (inside, path) in files {
        let packed = archive.append_path_with_name(&path, format!("{stem}/{inside}"));
        packed.with_context(|| format!("cannot pack {}", path.display()))?;
    }
    archive.into_inner().and_then(GzEncoder::finish)?.sync_all()?;
    write_checksum(&path)?;
    Ok(path)
}

/// A release of these programs for Linux on x86-64, without the licences of others.
pub(crate) fn release_of_this_machine(programs: &[PathBuf], folder: &Path) -> Result<()> {
    for program in programs {
        pack(program, LINUX_X86_64, folder, Files::new())?;
    }
    write_sums(folder)
}

/// An archive's name without its ending, and the only folder in it.
pub(crate) fn stem(name: &str, target: &str) -> String {
    format!("{name}-{VERSION}-{target}")
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
    let mut paths = workspace::sorted(folder)?;
    paths.retain(|path| {
        !path.ends_with(SUMS)
            && path.extension().is_none_or(|ending| ending != "sha256" && ending != "minisig")
    });
    let sums: Result<String> = paths.iter().map(|path| checksum_line(path)).collect();
    Ok(fs::write(folder.join(SUMS), sums?)?)
}

pub(crate) fn sha256(path: &Path) -> Result<String> {
    Ok(workspace::hex(&Sha256::digest(fs::read(path)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of an archive.
    fn member(archive: &Path, inside: &str) -> Result<String> {
        let tar = Tool::named("tar")?.words("-xzOf").arguments([archive.file_name().unwrap()]);
        tar.arguments([inside]).folder(archive.parent().unwrap()).output()
    }

    #[test]
    fn the_same_program_makes_the_same_archive_with_what_belongs_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let pack = |name: &str, target: &str, to: &str| {
            let program = folder.path().join(name);
            fs::write(&program, "a program").unwrap();
            write(&program, target, &folder.path().join(to), Files::new()).unwrap()
        };
        let [one, two] = ["one", "two"].map(|to| pack("roundtrip.exe", "x86_64-pc-windows-msvc", to));
        assert_eq!(fs::read(&one).unwrap(), fs::read(two).unwrap());
        let stem = format!("roundtrip-{VERSION}-x86_64-pc-windows-msvc");
        assert_eq!(one, folder.path().join(format!("one/{stem}.tar.gz")));
        let within = |name: &str| member(&one, &format!("{stem}/{name}"));
        assert_eq!(within("roundtrip.exe").unwrap(), "a program\n");
        assert!(within("LICENSE-MIT").unwrap().starts_with("MIT License"));
        assert!(within("systemd/roundtrip-server.service").is_err(), "it belongs to the server");
        let server = pack("roundtrip-server", "t", "one");
        for file in FOR_SERVER {
            let inside = file.strip_prefix("server/packaging/").unwrap();
            let bytes = member(&server, &format!("roundtrip-server-{VERSION}-t/{inside}")).unwrap();
            assert!(!bytes.is_empty(), "{file}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_comes_with_the_manual_that_it_writes_and_the_licences_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("roundtrip");
        let script = "#!/bin/sh\ncase $1 in\n--version) echo roundtrip VERSION ;;\n\
            man) mkdir -p \"$2\"; echo page > \"$2/roundtrip-run.1\" ;;\ncompletions) echo for \"$2\" ;;\nesac\n";
        fs::write(&program, script.replace("VERSION", VERSION)).unwrap();
        crate::platform::make_executable(&program).unwrap();
        let licences = folder.path().join("licences");
        fs::write(&licences, "of others").unwrap();
        let licences = [("THIRD-PARTY-LICENSES.txt".to_owned(), licences)];
        let path = pack(&program, "t", folder.path(), licences.clone().into()).unwrap();
        let within = |name: &str| member(&path, &format!("roundtrip-{VERSION}-t/{name}")).unwrap();
        assert_eq!(within("man/man1/roundtrip-run.1"), "page\n");
        assert_eq!(within("completions/roundtrip.zsh"), "for zsh\n");
        assert_eq!(within("THIRD-PARTY-LICENSES.txt"), "of others\n");
        fs::remove_file(path).unwrap();
        fs::write(&program, script.replace("VERSION", "99.0.0")).unwrap();
        let refused = pack(&program, "t", folder.path(), licences.into()).unwrap_err().to_string();
        let expected = format!("calls itself `roundtrip 99.0.0`: expected `roundtrip {VERSION}`");
        assert!(refused.contains(&expected), "{refused}");
        assert_eq!(workspace::sorted(folder.path()).unwrap().len(), 3, "another version is not packed");
    }
}
