//! Two locks of the data directory. The system frees both when their holders are gone, however they ended, so that
//! neither is ever stale.
//!
//! `server.lock` is held by the server: one to a directory. `postgres.lock` is held by the guard and, inherited,
//! by every process of PostgreSQL: it is free exactly when the last of them is gone, even if the server and the
//! guard were killed before.

use super::layout::Layout;
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a server that said it is stopping may take.
const PREDECESSOR_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const STOPPING: &str = "stopping";

/// One server to a data directory.
#[derive(Debug)]
pub(crate) struct ServerLock {
    file: File,
}

impl ServerLock {
    /// Takes the lock. Waits for a server that is just stopping, and for no other.
    ///
    /// # Errors
    /// Another server runs on this directory.
    pub(crate) async fn take(path: &Path) -> Result<Self> {
        let mut lock = Self { file: open(path)? };
        let started = Instant::now();
        while !try_lock(&lock.file, path)? {
            // Its holder may have gone in between and taken nothing with it.
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

    /// Lets the next server wait until this one is gone.
    pub(crate) fn announce_stop(&mut self) {
        if let Err(error) = self.write(&format!("{} {STOPPING}\n", std::process::id())) {
            tracing::warn!("cannot note in server.lock that this server is stopping: {error}");
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
    /// Takes the lock; the server lock must be held. Where it is taken, the server before was killed: what it
    /// left of its PostgreSQL is stopped first.
    ///
    /// # Errors
    /// It does not stop in time.
    pub(crate) async fn take(layout: &Layout, patience: Duration) -> Result<Self> {
        let path = layout.tree_lock();
        let file = open(&path)?;
        let mut orphan = Orphan::of(layout, patience);
        while !try_lock(&file, &path)? {
            orphan.stop()?;
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Ok(Self { file })
    }

    /// Lets every process that is started from now on hold the lock too.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn inherit(&self) -> Result<()> {
        rustix::io::fcntl_setfd(&self.file, rustix::io::FdFlags::empty())
            .context("cannot let PostgreSQL inherit its lock")
    }
}

/// Waits until the last process of a PostgreSQL that was told to stop is gone. If its guard was killed nobody told
/// it, so that this does.
///
/// # Errors
/// It does not stop in time.
pub(crate) fn end_tree(layout: &Layout, patience: Duration) -> Result<()> {
    let path = layout.tree_lock();
    let file = open(&path)?;
    let mut orphan = Orphan::of(layout, patience);
    while !try_lock(&file, &path)? {
        orphan.stop()?;
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// A PostgreSQL without its server.
struct Orphan<'a> {
    layout: &'a Layout,
    signalled: Option<Pid>,
    patience: Duration,
    since: Instant,
}

impl<'a> Orphan<'a> {
    fn of(layout: &'a Layout, patience: Duration) -> Self {
        Self { layout, signalled: None, patience, since: Instant::now() }
    }

    /// Asks it to stop, once: it ends its connections and writes what it has.
    fn stop(&mut self) -> Result<()> {
        let shown = self.layout.data_dir().display();
        if self.since.elapsed() > self.patience {
            bail!(
                "the PostgreSQL of an earlier server still runs on {shown} and did not stop within {} s: stop it, \
                 then start again; its process is named in {}",
                self.patience.as_secs(),
                self.layout.pid_file().display()
            );
        }
        // Missing while it starts up; then it is there at one of the next looks.
        let Ok(note) = std::fs::read_to_string(self.layout.pid_file()) else { return Ok(()) };
        let pid = note.lines().next().and_then(|line| line.trim().parse().ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid.filter(|pid| pid.as_raw_nonzero().get() > 1 && self.signalled != Some(*pid)) {
            tracing::info!("stopping the PostgreSQL that an earlier server left on {shown}");
            // It may have ended by itself just now; the lock tells.
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
        // Whoever can open it can hold it.
        .mode(0o600)
        .open(path)
        .with_context(|| format!("cannot open {}", path.display()))
}

/// False if someone else holds it.
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
    async fn a_second_server_is_refused_and_learns_which_is_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.lock");
        let _first = ServerLock::take(&path).await.unwrap();
        let error = ServerLock::take(&path).await.unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        assert!(error.contains(&folder.path().display().to_string()), "{error}");
    }

    #[tokio::test]
    async fn a_server_that_is_just_stopping_is_waited_for() {
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
