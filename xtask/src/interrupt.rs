//! Ctrl-C and SIGTERM: the first asks all children to stop, the second kills them.
//!
//! The main thread only waits for children. The signal thread ends the children, so every wait returns, and
//! the main thread then finds [`requested`] true.

use crate::platform;
use anyhow::{Context, Result, ensure};
use shared_child::SharedChild;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The shell's exit code for a program ended by Ctrl-C.
pub(crate) const EXIT_CODE: u8 = 130;

/// The time for a server to answer its last requests and to stop its PostgreSQL.
pub(crate) const STOP_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone, Copy)]
pub(crate) enum InterruptPolicy {
    Kill,
    /// Closes the child's input, which asks it to stop. Kills it after a timeout or at the second interrupt.
    /// If this process dies, the system closes the pipe.
    CloseInput,
    /// Asks the child's process group to stop, because its descendants would outlive it.
    EndGroup,
}

static REQUESTED: AtomicBool = AtomicBool::new(false);
static CHILDREN: Mutex<Vec<(Weak<SharedChild>, InterruptPolicy)>> = Mutex::new(Vec::new());

pub(crate) fn install() -> Result<()> {
    ctrlc::set_handler(on_request).context("cannot listen for Ctrl-C")
}

pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// Fails after an interrupt.
pub(crate) fn check() -> Result<()> {
    ensure!(!requested(), "interrupted");
    Ok(())
}

/// Polls until there is a value, for at most `timeout`.
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
        ensure!(Instant::now() < end, "timed out after {} s waiting for {what}", timeout.as_secs());
        std::thread::sleep(interval);
    }
}

/// Ends `child` on an interrupt, as long as the child is in use.
pub(crate) fn guard(child: &Arc<SharedChild>, policy: InterruptPolicy) {
    let mut children = children();
    children.retain(|(child, _)| child.strong_count() > 0);
    children.push((Arc::downgrade(child), policy));
    drop(children);
    if requested() {
        end_all(false);
    }
}

/// Asks all children to stop, or kills them.
fn end_all(kill: bool) {
    let children: Vec<_> =
        children().iter().filter_map(|(child, policy)| Some((child.upgrade()?, *policy))).collect();
    for (child, policy) in children {
        match policy {
            InterruptPolicy::EndGroup => platform::end_process_group(&child, kill),
            InterruptPolicy::CloseInput if !kill && let Some(input) = child.take_stdin() => {
                eprintln!("\n    stopping the server and PostgreSQL; press Ctrl-C again to kill them");
                drop(input);
                std::thread::spawn(move || kill_after(&child, STOP_TIMEOUT));
            }
            // It only fails if the child has already ended.
            InterruptPolicy::CloseInput | InterruptPolicy::Kill => drop(child.kill()),
        }
    }
}

fn on_request() {
    if !REQUESTED.swap(true, Ordering::SeqCst) {
        return end_all(false);
    }
    end_all(true);
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
        let _ = child.kill();
    }
}

fn children() -> MutexGuard<'static, Vec<(Weak<SharedChild>, InterruptPolicy)>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}
