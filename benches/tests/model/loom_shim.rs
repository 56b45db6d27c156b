//! What the ring is made of under the model checker.

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
    static DOOMED: Cell<bool> = Cell::new(false);
}

/// Does it as a thread that dies when it next writes a message: after its claim, before it is published.
pub(crate) fn doomed<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    DOOMED.with(|doomed| doomed.set(true));
    let result = catch_unwind(AssertUnwindSafe(work));
    DOOMED.with(|doomed| doomed.set(false));
    result
}

/// The panic of who dies.
#[derive(Debug)]
pub(crate) struct Died;

/// Tells the checker who touches a message.
#[derive(Debug, Default)]
pub(crate) struct Witness(UnsafeCell<()>);

impl Witness {
    pub(crate) fn written(&self) {
        self.0.with_mut(|_| ());
        if DOOMED.with(Cell::get) {
            std::panic::panic_any(Died);
        }
    }

    pub(crate) fn read(&self) {
        self.0.with(|_| ());
    }
}
