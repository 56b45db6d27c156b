//! A ring in shared memory for one or more senders. Every receiver gets every message, and a dead member blocks no
//! other.
//!
//! # Codemap
//! - [`Ring`]: a view of the memory, the same for both sides. [`Sender`], [`Receiver`]: a member, in one seat.
//! - [`geometry`]: number and size of slots. `parts`: the memory layout; `memory`: access to it.
//! - `seat`: taking a seat, leaving it, and clearing the seats of dead members.
//! - `wait`: spinning and sleeping. `sleeper`: waking members that sleep too long.
//!
//! # How messages pass
//! Positions count messages from 0 and never wrap. Position `p` uses slot `p % slots`; the slot's state holds its
//! position and stage. A single sender writes the message and publishes the state as *ready*. With several senders, one
//! first *claims* the slot by exchanging the state of the previous lap for its claim. `tail` is only a hint; a sender
//! that finds it behind advances it. So no step waits for another member (lock-free), and a state, which holds its
//! position, is never mistaken for one from another lap.
//!
//! Each receiver publishes its read position. A sender may use a slot when all receivers have passed it, and reads
//! their positions only when it has used up its known free slots. Long messages of a single sender are not always in
//! the slot of their position, which then names another: see [`Sender`].
//!
//! # How a member's death is survived
//! Each seat names the process that holds it. When a member waits for long (`watchdog`), the others are checked
//! (`sys::liveness`): the seats of dead members are taken over, their claims voided, the seats freed. A sender that
//! dies while it writes has published nothing; a receiver that dies blocks no one; a member that dies while it clears a
//! seat leaves a seat of a dead member. Every step can be repeated.
//!
//! # Why no wake-up is lost
//! A member that wants to sleep sets its bit, then checks again; a member that publishes then reads the sleepers' bits.
//! A sequentially consistent fence between the two steps of each side means that at least one of them sees the other
//! (Dekker). A sender wakes one receiver, and each woken receiver the next: exactly one of the sleeper and its wakers
//! changes the sleeper's bit, so a member that was chosen always knows. A member that has slept for a whole polling
//! interval is woken to check again, so that a member that dies between publishing and waking costs others some
//! milliseconds.
//!
//! `tests/model/` checks both by exhaustive interleaving (loom); `tests/torture/` with processes and `SIGKILL`.

use geometry::Geometry;
use memory::Memory;
use parts::{Header, Side};
use std::fmt;
use std::sync::Arc;

#[cfg(test)]
pub(crate) mod block;
pub mod geometry;
mod memory;
mod parts;
mod receiver;
mod seat;
mod sender;
mod sleeper;
mod wait;

use crate::sys::{liveness, wake};

pub use memory::Keeper;
pub use receiver::Receiver;
pub use sender::Sender;
pub use wait::{Waiting, WakeRule};

/// Seats on each side: the most senders, and the most receivers.
pub const SEATS: usize = crate::loom_shim::SEATS;

/// Behaviour of the members of a ring, the same for all.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Whether several members may send.
    pub many_senders: bool,
    /// How a member waits.
    pub waiting: Waiting,
    /// When a wake-up is sent.
    pub wake_rule: WakeRule,
    /// The mechanism for sleeping; not needed for [`Waiting::Spin`].
    pub mechanism: Option<&'static dyn wake::Mechanism>,
}

/// A view of one ring.
#[derive(Clone)]
pub struct Ring {
    memory: Arc<Memory>,
    settings: Settings,
    identity: liveness::Identity,
}

impl Ring {
    /// A view of the memory at this keeper's address: zeroed and never used, or used by a ring with the same geometry.
    ///
    /// # Errors
    /// If the memory is too small.
    pub fn new(keeper: Box<dyn Keeper>, geometry: Geometry, settings: Settings) -> Result<Self, TooSmall> {
        let memory = Arc::new(Memory::new(keeper, geometry)?);
        Ok(Self { memory, settings, identity: liveness::own() })
    }

    /// Writes an empty ring with this geometry into unused memory. Zeroed memory is an empty ring already.
    ///
    /// # Errors
    /// If the memory is too small.
    pub fn format(keeper: Box<dyn Keeper>, geometry: Geometry) -> Result<(), TooSmall> {
        Memory::new(keeper, geometry).map(|memory| memory.format())
    }

    /// Uses the ring like members that die: sends more than a lap of messages, then keeps its seats occupied.
    ///
    /// # Errors
    /// If no seat is free.
    pub fn use_and_die(mut self) -> Result<(), NoSeat> {
        // The same process number with another start time, so no process matches.
        self.identity ^= 1 << 40;
        // They never sleep, so they are not watched.
        self.settings.waiting = Waiting::Spin;
        let laps = self.slots() + self.slots() / 2;
        let mut receiver = Receiver::join(self.clone())?;
        let mut sender = Sender::join(self.clone())?;
        let message = vec![0xa5; self.memory.geometry().message_bytes];
        for _ in 0..laps {
            let sent = sender.offer(&message);
            let received = receiver.receive().map(<[u8]>::len);
            debug_assert!(sent == Ok(true) && received == Ok(message.len()));
        }
        std::mem::forget((sender, receiver));
        Ok(())
    }

    /// Returns the places where members sleep.
    pub fn spots(&self) -> impl Iterator<Item = &wake::Spot> {
        let Header { senders, receivers, .. } = self.header();
        senders.seats.iter().chain(&receivers.seats).map(|seat| &seat.spot)
    }

    fn header(&self) -> &Header {
        self.memory.header()
    }

    fn slots(&self) -> u64 {
        self.memory.geometry().slots
    }
}

/// Memory that is too small for the geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a ring of {needed_bytes} B does not fit memory of {found_bytes} B")]
pub struct TooSmall {
    needed_bytes: usize,
    found_bytes: usize,
}

/// Why no seat is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSeat {
    /// Live members hold all seats.
    #[error("all {SEATS} seats of this side are in use")]
    Full,
    /// A ring for one sender has one.
    #[error("the ring supports one sender and already has one")]
    OneSender,
    /// The watchdog thread could not be started.
    #[error("cannot start the thread that watches sleepers")]
    NoWatchdog,
    /// The wake-up object could not be created.
    #[error("cannot create a wake-up object")]
    NoPlaceToSleep,
}

/// All members of the other side have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the other side has left")]
pub struct Closed;

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { many_senders, waiting, wake_rule, mechanism } = self;
        let mechanism = mechanism.map(wake::Mechanism::slug);
        write!(formatter, "{waiting:?}, {wake_rule:?}, {mechanism:?}, many senders: {many_senders}")
    }
}
