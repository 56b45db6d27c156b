//! Ctrl-C and SIGTERM: the first asks everything that was started to stop, the second kills it.
//!
//! The main thread only ever waits for children. The signal thread ends the children, so every wait returns,
//! and the main thread finds [`requested`] to be true.

use crate::platform;
use anyhow::{Context, Result, bail, ensure};
use shared_child::SharedChild;
use std::process::ChildStdin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a shell reports for a program that Ctrl-C ended.
pub(crate) const EXIT_CODE: u8 = 130;

/// How long a server gets to answer its last requests and to stop its PostgreSQL.
pub(crate) const STOP_TIMEOUT: Duration = Duration::from_secs(60);

/// A child that an interrupt ends, for as long as this value lives.
pub(crate) struct Guarded {
    key: u64,
}

struct Entry {
    key: u64,
    child: Arc<SharedChild>,
    way: Way,
}

/// What an interrupt does to a child.
pub(crate) enum Way {
    Kill,
    /// Closes the child's input, which asks it to stop, and kills it if that takes too long or was done before. The system
    /// closes the pipe, too, when this process dies.
    CloseInput(Option<ChildStdin>),
    /// Asks its whole process group, which it leads, to stop: it starts programs that would outlive it.
    EndGroup,
}

static REQUESTED: AtomicBool = AtomicBool::new(false);
static NEXT_KEY: AtomicU64 = AtomicU64::new(0);
static CHILDREN: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

/// Listens for Ctrl-C and for requests to terminate.
pub(crate) fn install() -> Result<()> {
    ctrlc::set_handler(|| if REQUESTED.swap(true, Ordering::SeqCst) { kill_all() } else { ask_all_to_stop() })
        .context("cannot listen for Ctrl-C")
}

/// True once someone asked this program to end.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// An error once someone asked this program to end.
pub(crate) fn check() -> Result<()> {
    if requested() {
        bail!("interrupted");
    }
    Ok(())
}

/// Looks again and again until there is something, for at most `timeout`.
pub(crate) fn poll<T>(
    what: &str,
    timeout: Duration,
    interval: Duration,
    mut look: impl FnMut() -> Result<Option<T>>,
) -> Result<T> {
    let end = Instant::now() + timeout;
    loop {
        check()?;
        if let Some(found) = look()? {
            return Ok(found);
        }
        ensure!(Instant::now() < end, "timed out after {} s waiting until {what}", timeout.as_secs());
        std::thread::sleep(interval);
    }
}

/// Ends `child` on an interrupt.
pub(crate) fn guard(child: &Arc<SharedChild>, way: Way) -> Guarded {
    let key = NEXT_KEY.fetch_add(1, Ordering::Relaxed);
    children().push(Entry { key, child: Arc::clone(child), way });
    if requested() {
        ask_all_to_stop();
    }
    Guarded { key }
}

impl Guarded {
    /// Closes the child's input: it sees the end of it and stops.
    pub(crate) fn close_input(&self) {
        if let Some(entry) = children().iter_mut().find(|entry| entry.key == self.key)
            && let Way::CloseInput(input) = &mut entry.way
        {
            drop(input.take());
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        children().retain(|entry| entry.key != self.key);
    }
}

fn ask_all_to_stop() {
    for entry in children().iter_mut() {
        match &mut entry.way {
            Way::CloseInput(input) => match input.take() {
                Some(input) => {
                    eprintln!("\n    stopping the server and its PostgreSQL; Ctrl-C again kills them");
                    drop(input);
                    let child = Arc::clone(&entry.child);
                    std::thread::spawn(move || kill_after(&child, STOP_TIMEOUT));
                }
                None => kill(&entry.child),
            },
            Way::EndGroup => platform::end_process_group(&entry.child, false),
            Way::Kill => kill(&entry.child),
        }
    }
}

fn kill_all() {
    for entry in children().iter() {
        match entry.way {
            Way::EndGroup => platform::end_process_group(&entry.child, true),
            Way::CloseInput(_) | Way::Kill => kill(&entry.child),
        }
    }
    // A progress bar may have hidden the terminal's cursor.
    let terminal = console::Term::stderr();
    if terminal.is_term() {
        let _ = terminal.show_cursor();
    }
    std::process::exit(i32::from(EXIT_CODE));
}

/// Kills a child that has not ended within `timeout`.
pub(crate) fn kill_after(child: &SharedChild, timeout: Duration) {
    if matches!(child.wait_timeout(timeout), Ok(None)) {
        kill(child);
    }
}

/// The only failure is that it ended by itself, which is what was wanted.
fn kill(child: &SharedChild) {
    let _ = child.kill();
}

fn children() -> MutexGuard<'static, Vec<Entry>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}
