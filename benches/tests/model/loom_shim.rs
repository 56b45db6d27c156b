//! The ring's primitives under the model checker.

use loom::cell::UnsafeCell;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
pub(crate) use loom::thread::yield_now;
pub(crate) use loom::thread::yield_now as spin_loop;

pub(crate) const SEATS: usize = 2;
pub(crate) const SPINS: u32 = 1;
pub(crate) const YIELDS: u32 = 0;

loom::thread_local! {
    /// Whether the calling thread dies when it next writes a message.
    static DIES: Cell<bool> = Cell::new(false);
}

/// Runs as a thread that dies when it next writes a message: after its claim, before it is published.
pub(crate) fn dying<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    DIES.with(|dies| dies.set(true));
    let result = catch_unwind(AssertUnwindSafe(work));
    DIES.with(|dies| dies.set(false));
    result
}

/// The panic of a dying thread.
#[derive(Debug)]
pub(crate) struct Died;

/// Reports message accesses to the checker.
#[derive(Debug, Default)]
pub(crate) struct AccessCheck(UnsafeCell<()>);

impl AccessCheck {
    pub(crate) fn written(&self) {
        self.0.with_mut(|_| ());
        if DIES.with(Cell::get) {
            std::panic::panic_any(Died);
        }
    }

    pub(crate) fn read(&self) {
        self.0.with(|_| ());
    }
}
