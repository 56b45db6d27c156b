//! Signs what everything else is checked against, and makes sure that it is the key that people believe.

use super::changelog;
use crate::tool::{self, Tool};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The checksums of everything, and what agents update themselves by.
const SIGNED: [&str; 2] = ["SHA256SUMS", "manifest.json"];

/// Signs both files of a finished release with minisign, which reads the password of the key from standard input.
///
/// # Errors
/// minisign is missing or fails, or the key is not the one that `install.sh` names.
pub(super) fn sign(folder: &Path, key: &Path, version: &str) -> Result<()> {
    let files = SIGNED.map(|name| folder.join(name));
    let comment = format!("roundtrip {version}");
    let status = tool::run_attached(
        Command::new(tool::find("minisign")?)
            .args(["-S", "-H", "-t", &comment, "-s"])
            .arg(key)
            .arg("-m")
            .args(&files),
    )?;
    ensure!(status.success(), "minisign has not signed: {status}");
    let public = changelog::release_key()?;
    files.iter().try_for_each(|file| verify(file, &public))
}

fn verify(file: &PathBuf, public: &str) -> Result<()> {
    let verify = Tool::named("minisign")?.arguments(["-V", "-P", public, "-m"]).arguments([file]);
    verify.run_silently()?.successful().with_context(|| {
        format!(
            "{} is signed by another key than the one in install.sh: nobody would believe it",
            file.display()
        )
    })?;
    Ok(())
}
