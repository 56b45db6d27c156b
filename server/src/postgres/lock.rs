//! Two locks of the data directory. The operating system releases both when their holders end, so neither is ever
//! stale.
//!
//! The server holds `server.lock`: one server per directory. The guard holds `postgres.lock`, and every PostgreSQL
//! process inherits it. So it is free exactly when the last of them has ended, even if the server and the guard were
//! killed.

use super::layout::Layout;
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// The maximum wait for a stopping server.
const PREDECESSOR_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const STOPPING: &str = "stopping";

/// The lock that allows one server per data directory.
#[derive(Debug)]
pub(crate) struct ServerLock {
    file: File,
}

impl ServerLock {
    /// Takes the lock. Waits only for a server that is stopping. Fails if another server runs on this directory.
    pub(crate) async fn take(path: &Path) -> Result<Self> {
        let mut lock = Self { file: open(path)? };
        let started = Instant::now();
        while !try_lock(&lock.file, path)? {
            // Its holder may have ended meanwhile.
            let note = std::fs::read_to_string(path).unwrap_or_default();
            if !note.contains(STOPPING) || started.elapsed() > PREDECESSOR_TIMEOUT {
                let process = note.split_whitespace().next().unwrap_or("unknown");
                let directory = path.parent().unwrap_or(path).display();
                bail!(
                    "another server (process {process}) already uses the data directory {directory}: stop it, or \
                     choose another with --data-dir"
                );
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        lock.write(&format!("{}\n", std::process::id()))
            .with_context(|| format!("cannot write to {}", path.display()))?;
        Ok(lock)
    }

    /// Announces that this server is stopping, so that the next one waits.
    pub(crate) fn announce_stop(&mut self) {
        if let Err(error) = self.write(&format!("{} {STOPPING}\n", std::process::id())) {
            tracing::warn!("cannot write to server.lock that this server is stopping: {error}");
        }
    }

    fn write(&mut self, note: &str) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(note.as_bytes())
    }
}

/// The lock that PostgreSQL's processes inherit.
#[derive(Debug)]
pub(crate) struct TreeLock {
    file: File,
}

impl TreeLock {
    /// Takes the lock; the server lock must be held. If the lock is taken, the previous server was killed, and its
    /// PostgreSQL is stopped first.
    pub(crate) async fn take(layout: &Layout, patience: Duration) -> Result<Self> {
        let path = layout.tree_lock();
        let file = open(&path)?;
        let mut orphan = Orphan::new(layout, patience);
        while !try_lock(&file, &path)? {
            orphan.stop()?;
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Ok(Self { file })
    }

    /// Makes processes started from now on inherit the lock.
    pub(crate) fn inherit(&self) -> Result<()> {
        rustix::io::fcntl_setfd(&self.file, rustix::io::FdFlags::empty())
            .context("cannot pass the lock to PostgreSQL")
    }
}

/// Waits until the last process of a stopping PostgreSQL has ended. Also requests the stop, because its guard may
/// have been killed before it could.
pub(crate) fn end_tree(layout: &Layout, patience: Duration) -> Result<()> {
    let path = layout.tree_lock();
    let file = open(&path)?;
    let mut orphan = Orphan::new(layout, patience);
    while !try_lock(&file, &path)? {
        orphan.stop()?;
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// A PostgreSQL whose server has ended.
struct Orphan<'a> {
    layout: &'a Layout,
    signalled: Option<Pid>,
    patience: Duration,
    since: Instant,
}

impl<'a> Orphan<'a> {
    fn new(layout: &'a Layout, patience: Duration) -> Self {
        Self { layout, signalled: None, patience, since: Instant::now() }
    }

    /// Requests a fast shutdown, once.
    fn stop(&mut self) -> Result<()> {
        let shown = self.layout.data_dir.display();
        if self.since.elapsed() > self.patience {
            bail!(
                "the PostgreSQL of an earlier server still runs on {shown} and did not stop within {} s: stop it, \
                 then start again; its process is named in {}",
                self.patience.as_secs(),
                self.layout.pid_file().display()
            );
        }
        // Missing during startup. A later poll finds it.
        let Ok(note) = std::fs::read_to_string(self.layout.pid_file()) else { return Ok(()) };
        let pid = note.lines().next().and_then(|line| line.trim().parse().ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid.filter(|pid| pid.as_raw_nonzero().get() > 1 && self.signalled != Some(*pid)) {
            tracing::info!("stopping the PostgreSQL left by an earlier server on {shown}");
            // It may have just ended, which the lock shows.
            let _ = kill_process(pid, Signal::INT);
            self.signalled = Some(pid);
        }
        Ok(())
    }
}

fn open(path: &Path) -> Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        // Any user that can open the file can lock it.
        .mode(0o600)
        .open(path)
        .with_context(|| format!("cannot open {}", path.display()))
}

/// False if another process holds the lock.
fn try_lock(file: &File, path: &Path) -> Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn second_server_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.lock");
        let _first = ServerLock::take(&path).await.unwrap();
        let error = ServerLock::take(&path).await.unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        assert!(error.contains(&folder.path().display().to_string()), "{error}");
    }

    #[tokio::test]
    async fn waits_for_a_stopping_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.lock");
        let mut first = ServerLock::take(&path).await.unwrap();
        first.announce_stop();
        let second = tokio::spawn(async move { ServerLock::take(&path).await.map(|_| ()) });
        tokio::task::yield_now().await;
        assert!(!second.is_finished());
        drop(first);
        second.await.unwrap().unwrap();
    }
}
