//! Taking the pictures: `web/screenshots/` opens the pages and writes them, here they are weighed and put in their place.

use super::history::PROJECT;
use crate::screen::{self, Step};
use crate::server;
use crate::test::chromium;
use crate::{web, workspace};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// What all of them may take: whoever clones the repository fetches them.
const BYTES_MAX: u64 = 3_000_000;
/// The name of the account that settings are shown to.
const ACCOUNT: &str = "mira";

/// Where the docs have them.
pub(super) fn folder() -> PathBuf {
    workspace::root().join("docs/images/pages")
}

/// Where those of a short history are put.
pub(super) fn trial_folder() -> PathBuf {
    web::folder().join("test-results/screenshots")
}

/// The token of a new administrator.
///
/// # Errors
/// The server makes none.
pub(super) fn administrator(program: &Path, data_folder: &Path) -> Result<String> {
    // One of a time before has a token that nobody kept. The first time there is none.
    server::verb(program, data_folder, &["account", "delete", ACCOUNT]).run_silently()?;
    server::administrator(program, data_folder, ACCOUNT)
}

/// Takes them all `without` those of some pages, and puts them in a folder in place of those that are there.
///
/// # Errors
/// A page cannot be shown or complains, or pictures are too large together.
pub(super) fn take(url: &str, browser: &Path, token: &str, without: &[&str], folder: &Path) -> Result<()> {
    let step = Step::start("pictures");
    let taken = tempfile::tempdir().context("no temporary folder")?;
    web::npm(&["run", "screenshots"])?
        .variable("ROUNDTRIP_URL", url)
        .variable("ROUNDTRIP_PROJECT", PROJECT)
        .variable("ROUNDTRIP_USER_TOKEN", token)
        .variable("ROUNDTRIP_PICTURES", taken.path())
        .variable("ROUNDTRIP_WITHOUT", without.join(","))
        .variable(chromium::VARIABLE, browser)
        .with_all_it_starts()
        .run(&step)?
        .successful()?;
    let pictures = pictures_in(taken.path())?;
    let bytes = sum(&pictures)?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for Picture { path, .. } in pictures_in(folder)? {
        std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    for Picture { path, .. } in &pictures {
        let name = path.file_name().unwrap_or(path.as_os_str());
        std::fs::copy(path, folder.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
    }
    step.done(&format!("{} of {} KiB together in {}", pictures.len(), bytes / 1024, folder.display()));
    if let Some(largest) = pictures.iter().max_by_key(|picture| picture.bytes) {
        let name = largest.path.file_name().unwrap_or_default().display();
        screen::note(&format!("the largest is {name}, {} KiB", largest.bytes / 1024));
    }
    Ok(())
}

/// One picture.
struct Picture {
    path: PathBuf,
    bytes: u64,
}

fn pictures_in(folder: &Path) -> Result<Vec<Picture>> {
    let mut pictures = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "webp") {
            let bytes = path.metadata().with_context(|| format!("cannot read {}", path.display()))?.len();
            pictures.push(Picture { path, bytes });
        }
    }
    pictures.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(pictures)
}

/// What they take together, which must not be too much.
fn sum(pictures: &[Picture]) -> Result<u64> {
    let bytes = pictures.iter().map(|picture| picture.bytes).sum();
    ensure!(bytes > 0, "no picture was taken");
    ensure!(bytes <= BYTES_MAX, "all pictures together are {bytes} bytes: expected at most {BYTES_MAX}");
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u64]) -> Vec<Picture> {
        bytes.iter().map(|&bytes| Picture { path: "p.webp".into(), bytes }).collect()
    }

    #[test]
    fn pictures_that_are_too_large_together_are_refused() {
        assert_eq!(sum(&of(&[1_000_000, 2_000_000])).unwrap(), 3_000_000);
        let error = sum(&of(&[1_000_000, 2_000_001])).unwrap_err().to_string();
        assert_eq!(error, "all pictures together are 3000001 bytes: expected at most 3000000");
        assert!(sum(&[]).is_err());
    }

    #[test]
    fn only_pictures_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("b.webp"), "12").unwrap();
        std::fs::write(folder.path().join("a.webp"), "123").unwrap();
        std::fs::write(folder.path().join("measured.json"), "{}").unwrap();
        let sizes: Vec<u64> =
            pictures_in(folder.path()).unwrap().iter().map(|picture| picture.bytes).collect();
        assert_eq!(sizes, [3, 2]);
    }
}
