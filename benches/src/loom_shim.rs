//! What [`crate::ring`] is made of. The model checker, which compiles the ring's files once more, has a file of its own
//! in place of this one (`tests/model/loom_shim.rs`).

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
pub(crate) use std::thread::yield_now;

/// Seats on each side of a ring: the most senders, and the most receivers.
pub(crate) const SEATS: usize = 32;

/// As often who spins before it sleeps looks in a tight loop: some microseconds, the time of a message that is on its way.
pub(crate) const SPINS: u32 = 200;

/// As often it then looks between two offers of the processor to others: together about as long as a sleep and a wake-up
/// across processors take, so that at worst a wait takes twice what it had to (Karlin et al., "Empirical studies of
/// competitive spinning for a shared-memory multiprocessor", 1991). If another member waits for this processor, it has it
/// at once.
pub(crate) const YIELDS: u32 = 50;

/// Stands for the bytes of a message. They are copied without atomics, because nobody writes what another reads; the
/// model checker's witness sees whether that is so.
#[derive(Debug, Default)]
pub(crate) struct Witness;

impl Witness {
    /// The bytes are about to be written.
    #[inline]
    pub(crate) fn written(&self) {}

    /// The bytes are about to be read.
    #[inline]
    pub(crate) fn read(&self) {}
}
