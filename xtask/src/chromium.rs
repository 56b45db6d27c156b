//! The browser for the end-to-end test and the web interface's budgets: the system's, installed if possible.

use crate::screen::Step;
use crate::{platform, tool};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// The variable that names a browser, for this program and for programs that it starts.
pub(crate) const VARIABLE: &str = "CHROMIUM";

/// Debian's headless Chromium: the end-to-end tests take about a seventh less time in it.
const HEADLESS: &str = "chromium-headless-shell";
const NAMES: &[&str] =
    &[HEADLESS, "chromium", "google-chrome", "google-chrome-stable", "chrome", "chromium-browser"];
const PLACES: &[&str] = &[
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
];

/// Finds the browser. Installs it from the system's packages if it is missing and this user may do so.
pub(crate) fn find_or_install(step: &Step) -> Result<PathBuf> {
    if let Some(path) = find()? {
        return Ok(path);
    }
    if !platform::is_root() || tool::find("apt-get").is_err() {
        bail!(
            "Chromium not found. Install it (Debian: `sudo apt-get install chromium`, macOS: `brew install \
             --cask chromium`, FreeBSD: `pkg install chromium`), or set {VARIABLE} to a Chrome."
        );
    }
    for arguments in [&["update"][..], &["install", "--yes", "--no-install-recommends", HEADLESS]] {
        tool::Tool::named("apt-get")?
            .arguments(arguments)
            .variable("DEBIAN_FRONTEND", "noninteractive")
            .run(step)?
            .successful()
            .context("cannot install Chromium")?;
    }
    find()?.context("apt-get installed Chromium, but it is not on PATH")
}

fn find() -> Result<Option<PathBuf>> {
    if let Some(named) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        if !named.is_file() {
            bail!("{VARIABLE}: {} is not a file", named.display());
        }
        return Ok(Some(named));
    }
    let on_path = NAMES.iter().find_map(|name| tool::find(name).ok());
    Ok(on_path.or_else(|| PLACES.iter().map(PathBuf::from).find(|place| place.is_file())))
}
