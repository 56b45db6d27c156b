//! Ctrl-C and SIGTERM: the first asks everything that was started to stop, the second kills it.
//!
//! The main thread only ever waits for children. The signal thread ends the children, so every wait returns,
//! and the main thread finds [`requested`] to be true.

use crate::{platform, screen};
use anyhow::{Context, Result, bail};
use shared_child::SharedChild;
use std::process::ChildStdin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a shell reports for a program that Ctrl-C ended.
pub(crate) const EXIT_CODE: u8 = 130;

/// How long a server gets to answer its last requests and to stop its PostgreSQL.
pub(crate) const STOP_TIMEOUT: Duration = Duration::from_secs(60);

/// A child that an interrupt ends, for as long as this value lives.
pub(crate) struct Guarded {
    key: u64,
}

/// The pipe that keeps a child running: closing it asks the child to stop. The system closes it, too, when
/// this process dies in whatever way.
pub(crate) type Lifeline = ChildStdin;

struct Entry {
    key: u64,
    child: Arc<SharedChild>,
    way: Way,
}

/// What an interrupt does to a child.
pub(crate) enum Way {
    /// Kills it.
    Kill,
    /// Asks it to stop by closing the pipe, and kills it if that takes too long or was done before.
    CloseLifeline(Option<Lifeline>),
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

/// # Errors
/// Someone asked this program to end.
pub(crate) fn check() -> Result<()> {
    if requested() {
        bail!("interrupted");
    }
    Ok(())
}

/// Ends `child` on an interrupt.
pub(crate) fn guard(child: &Arc<SharedChild>, way: Way) -> Guarded {
    let key = NEXT_KEY.fetch_add(1, Ordering::Relaxed);
    let entry = Entry { key, child: Arc::clone(child), way };
    children().push(entry);
    if requested() {
        ask_all_to_stop();
    }
    Guarded { key }
}

impl Guarded {
    /// Closes the lifeline: the child sees the end of its input and stops.
    pub(crate) fn close_lifeline(&self) {
        if let Some(entry) = children().iter_mut().find(|entry| entry.key == self.key)
            && let Way::CloseLifeline(lifeline) = &mut entry.way
        {
            drop(lifeline.take());
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
            Way::CloseLifeline(lifeline) => match lifeline.take() {
                Some(lifeline) => {
                    eprintln!();
                    screen::note("stopping the server and its PostgreSQL; Ctrl-C again kills them");
                    drop(lifeline);
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
            Way::CloseLifeline(_) | Way::Kill => kill(&entry.child),
        }
    }
    // The terminal's cursor may be hidden by a progress bar that nobody will clear any more.
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

fn kill(child: &SharedChild) {
    // The only failure is that it ended by itself, which is what was wanted.
    let _ = child.kill();
}

fn children() -> MutexGuard<'static, Vec<Entry>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}
