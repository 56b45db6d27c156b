//! Finds PostgreSQL's programs: in `ROUNDTRIP_PG_BIN`, else by `pg_config`, else in the usual folders, newest first.

use super::account::Account;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The major version, which determines whether database files are compatible.
pub(crate) type MajorVersion = u32;

const VARIABLE: &str = "ROUNDTRIP_PG_BIN";
/// The oldest version that PostgreSQL still maintains.
const OLDEST: MajorVersion = 15;
/// Folders with a subfolder per version.
const VERSIONED: [&str; 4] = ["/usr/lib/postgresql", "/usr", "/opt/homebrew/opt", "/usr/local/opt"];
const PLAIN: [&str; 2] = ["/Applications/Postgres.app/Contents/Versions/latest/bin", "/usr/local/bin"];

/// Installed programs that run.
#[derive(Debug)]
pub(crate) struct Programs {
    pub(super) folder: PathBuf,
    pub(super) version: MajorVersion,
}

impl Programs {
    /// Finds programs that `account` can run. With several versions, selects `wanted`, the version of the database
    /// files.
    pub(crate) fn find(account: &Account, wanted: Option<MajorVersion>) -> Result<Self> {
        if let Some(folder) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            return Self::in_folder(Path::new(&folder), account)
                .with_context(|| format!("cannot use {VARIABLE}={}", Path::new(&folder).display()));
        }
        Self::find_among(folder_of_pg_config().into_iter().chain(usual_folders()), account, wanted)
    }

    fn find_among(
        folders: impl IntoIterator<Item = PathBuf>,
        account: &Account,
        wanted: Option<MajorVersion>,
    ) -> Result<Self> {
        let mut fallback = None;
        let mut complaints = Vec::new();
        for folder in folders {
            if !holds_programs(&folder) {
                continue;
            }
            match Self::in_folder(&folder, account) {
                Ok(programs) if wanted.is_none_or(|wanted| wanted == programs.version) => {
                    return Ok(programs);
                }
                Ok(programs) => fallback = fallback.or(Some(programs)),
                Err(error) => complaints.push(format!("{}: {error:#}", folder.display())),
            }
        }
        let found = match complaints.as_slice() {
            [] => String::new(),
            complaints => format!(" ({})", complaints.join("; ")),
        };
        fallback.with_context(|| {
            format!(
                "no PostgreSQL {OLDEST} or newer was found{found}: install its server from your system's packages, \
                 or set {VARIABLE} to the folder of its programs, or DATABASE_URL to a database that runs elsewhere"
            )
        })
    }

    fn in_folder(folder: &Path, account: &Account) -> Result<Self> {
        if !holds_programs(folder) {
            bail!("no initdb and postgres found there");
        }
        let folder = std::path::absolute(folder)?;
        let postgres = folder.join("postgres");
        let mut command = Command::new(&postgres);
        account.apply(&mut command);
        let output = command
            .arg("--version")
            .output()
            .with_context(|| format!("the user {account} cannot run {}", postgres.display()))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!("its postgres does not run: {}", errors.lines().next().unwrap_or("no error message"));
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        let version = major_version(&printed)
            .with_context(|| format!("its postgres printed {:?}: expected a version", printed.trim()))?;
        if version < OLDEST {
            bail!("it has PostgreSQL {version}: expected {OLDEST} or newer");
        }
        Ok(Self { folder, version })
    }
}

/// `pg_config` is also installed with only the client library.
fn folder_of_pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    let printed = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(printed.trim()))
}

fn usual_folders() -> impl Iterator<Item = PathBuf> {
    let versioned = VERSIONED.iter().flat_map(|parent| newest_first(Path::new(parent)));
    versioned.chain(PLAIN.iter().map(PathBuf::from))
}

/// The `bin` folders of the versions in `parent`: `15/bin`, `pgsql-16/bin`, `postgresql@17/bin`.
fn newest_first(parent: &Path) -> Vec<PathBuf> {
    let Ok(entries) = parent.read_dir() else { return Vec::new() };
    let mut versions: Vec<(MajorVersion, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let version = ["postgresql@", "pgsql-"].iter().find_map(|prefix| name.strip_prefix(prefix));
            Some((version.unwrap_or(&name).parse().ok()?, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    versions.into_iter().rev().map(|(_, folder)| folder).collect()
}

fn holds_programs(folder: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|name| folder.join(name).is_file())
}

/// The 15 in `postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)`, the 19 in `postgres (PostgreSQL) 19beta1`.
fn major_version(printed: &str) -> Option<MajorVersion> {
    let version = printed.split_once("(PostgreSQL) ")?.1;
    let digits = version.find(|character: char| !character.is_ascii_digit()).unwrap_or(version.len());
    version[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_major_version() {
        let printed = "postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)\n";
        assert_eq!(major_version(printed), Some(15));
        assert_eq!(major_version("postgres (PostgreSQL) 19beta1\n"), Some(19));
        assert_eq!(major_version("postgres: not a version\n"), None);
    }

    #[test]
    fn newest_version_comes_first() {
        let parent = tempfile::tempdir().unwrap();
        for version in ["9", "postgresql@17", "pgsql-16", "common"] {
            std::fs::create_dir_all(parent.path().join(version).join("bin")).unwrap();
        }
        let expected = ["postgresql@17/bin", "pgsql-16/bin", "9/bin"].map(|name| parent.path().join(name));
        assert_eq!(newest_first(parent.path()), expected);
    }

    /// A folder with programs that only print their version.
    fn installed(version: &str) -> tempfile::TempDir {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        for name in ["initdb", "postgres"] {
            let script = format!("#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n");
            std::fs::write(folder.path().join(name), script).unwrap();
            std::fs::set_permissions(folder.path().join(name), Permissions::from_mode(0o755)).unwrap();
        }
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        folder
    }

    #[test]
    fn existing_files_select_the_version() {
        let account = Account::for_cluster(Path::new("/nowhere")).unwrap();
        let (client_only, old, newer, fitting) =
            (tempfile::tempdir().unwrap(), installed("14.9"), installed("17.1"), installed("16.2"));
        let find = |wanted, folders: &[&tempfile::TempDir]| {
            let folders = folders.iter().map(|folder| folder.path().to_owned());
            Programs::find_among(folders, &account, wanted)
        };
        let all = [&client_only, &old, &newer, &fitting];
        assert_eq!(find(None, &all).unwrap().folder, newer.path());
        assert_eq!(find(Some(16), &all).unwrap().folder, fitting.path());
        assert_eq!(find(Some(15), &all).unwrap().folder, newer.path(), "the mismatch is reported later");
        let error = find(None, &[&client_only, &old]).unwrap_err().to_string();
        assert!(
            error.contains("no PostgreSQL 15 or newer") && error.contains("has PostgreSQL 14"),
            "{error}"
        );
    }

    #[test]
    fn rejects_a_folder_without_programs() {
        let folder = tempfile::tempdir().unwrap();
        let account = Account::for_cluster(folder.path()).unwrap();
        let error = Programs::in_folder(folder.path(), &account).unwrap_err().to_string();
        assert!(error.contains("initdb"), "{error}");
    }
}
