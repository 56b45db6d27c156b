//! Checks of `up` before the build, which takes minutes: tools, port and disk space.

use crate::{http, platform, tool, workspace};
use anyhow::{Context, Result, bail, ensure};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::time::{Duration, Instant};

/// Disk space for a new database and its log.
const DATA_BYTES_MIN: u64 = 300 * MEBIBYTE;
/// Disk space for a full build.
const BUILD_BYTES_MIN: u64 = 2_000 * MEBIBYTE;
/// Disk space for an incremental build.
const REBUILD_BYTES_MIN: u64 = 300 * MEBIBYTE;
pub(crate) const MEBIBYTE: u64 = 1 << 20;

const PORT_RETRY_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) fn tools() -> Result<()> {
    let node = "install Node.js; it builds the web UI";
    for (name, advice) in [
        ("git", "install it; it identifies the measured commit"),
        ("cargo", "install Rust with rustup"),
        ("node", node),
        ("npm", node),
    ] {
        ensure!(tool::find(name).is_ok(), "{name} not found: {advice}");
    }
    let printed = tool::Tool::named("node")?.arguments(["--version"]).output()?;
    node_version(printed.trim(), &node_version_min()?)
}

/// The minimum version in the web UI's package, such as `20.19`.
fn node_version_min() -> Result<String> {
    let text = workspace::read("web/package.json")?;
    let package: serde_json::Value = serde_json::from_str(&text).context("web/package.json is not JSON")?;
    let range = package["engines"]["node"].as_str().context("web/package.json has no engines.node")?;
    let version =
        range.strip_prefix(">=").context("engines.node of web/package.json: expected >= and a version")?;
    Ok(version.trim().to_owned())
}

fn node_version(printed: &str, version_min: &str) -> Result<()> {
    let parts = |version: &str| -> Vec<u32> {
        version.trim_start_matches('v').split('.').map_while(|part| part.parse().ok()).collect()
    };
    ensure!(
        parts(printed) >= parts(version_min),
        "node has version {printed}: the web UI needs {version_min} or newer"
    );
    Ok(())
}

/// Waits until a stopping server releases the port.
pub(crate) fn port(port: u16, timeout: Duration, mut on_wait: impl FnMut(&str)) -> Result<()> {
    let started = Instant::now();
    while let Err(error) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        if error.kind() != ErrorKind::AddrInUse {
            return Err(error).with_context(|| format!("cannot listen on port {port}"));
        }
        let holder =
            if answers_like_roundtrip(port) { "another Roundtrip server" } else { "another program" };
        if holder == "another program" || started.elapsed() >= timeout {
            bail!("port {port} is in use by {holder}. Stop it, or choose another port with --port.");
        }
        on_wait(&format!("waiting for port {port}, in use by {holder}"));
        std::thread::sleep(PORT_RETRY_INTERVAL);
    }
    Ok(())
}

/// Waits only for Roundtrip servers, because other programs will not release the port.
fn answers_like_roundtrip(port: u16) -> bool {
    let answer = http::get_within(Duration::from_secs(1), &format!("http://127.0.0.1:{port}/healthz"));
    answer.is_ok_and(|body| body.trim() == "ok")
}

/// Creates the server's folder if it is missing. Does not look at its contents.
pub(crate) fn data_folder(folder: &Path) -> Result<()> {
    if folder.exists() && !folder.is_dir() {
        bail!("the data directory {} is a file. Choose another with --data-dir.", folder.display());
    }
    platform::create_data_folder(folder)
        .and_then(|()| tempfile::tempfile_in(folder).map(drop).map_err(Into::into))
        .with_context(|| format!("cannot write to the data directory {}", folder.display()))
}

pub(crate) fn disk(data_folder: &Path) -> Result<()> {
    let target = workspace::target_folder()?;
    let build_bytes = if target.join("release").is_dir() { REBUILD_BYTES_MIN } else { BUILD_BYTES_MIN };
    room(data_folder, DATA_BYTES_MIN, "the data")?;
    room(&target, build_bytes, "the build")
}

pub(crate) fn room(folder: &Path, bytes_min: u64, what: &str) -> Result<()> {
    let Some(existing) = folder.ancestors().find(|ancestor| ancestor.is_dir()) else { return Ok(()) };
    let bytes = fs4::available_space(existing)
        .with_context(|| format!("cannot read the free space of {}", existing.display()))?;
    let (left, needed) = (bytes / MEBIBYTE, bytes_min / MEBIBYTE);
    let folder = existing.display();
    ensure!(
        bytes >= bytes_min,
        "not enough disk space for {what} in {folder}: {left} MiB free, {needed} MiB needed"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_port_of_another_program_immediately() {
        let held = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let number = held.local_addr().unwrap().port();
        std::thread::spawn(move || while held.accept().is_ok() {});
        let error = port(number, Duration::MAX, |_| panic!("waited")).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "port {number} is in use by another program. Stop it, or choose another port with --port."
            )
        );
    }

    #[test]
    fn accepts_any_free_port() {
        port(0, Duration::ZERO, |_| panic!("waited")).unwrap();
    }

    #[test]
    fn rejects_an_old_node() {
        node_version("v20.19.0", "20.19").unwrap();
        node_version("v24.0.1", "20.19").unwrap();
        let error = node_version("v20.9.0", "20.19").unwrap_err().to_string();
        assert_eq!(error, "node has version v20.9.0: the web UI needs 20.19 or newer");
        assert!(node_version("", "20.19").is_err());
    }

    #[test]
    fn creates_the_data_folder() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        data_folder(&folder).unwrap();
        assert!(folder.is_dir());
        let file = parent.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = data_folder(&file).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("the data directory {} is a file. Choose another with --data-dir.", file.display())
        );
        assert!(data_folder(&file.join("below")).is_err());
    }

    #[test]
    fn reports_the_free_space_of_a_full_disk() {
        let folder = tempfile::tempdir().unwrap();
        room(&folder.path().join("not/yet/made"), 1, "the data").unwrap();
        let error = room(folder.path(), u64::MAX, "the data").unwrap_err().to_string();
        assert!(error.starts_with("not enough disk space"), "{error}");
        assert!(error.ends_with(" MiB needed"), "{error}");
    }
}
