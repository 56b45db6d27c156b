//! A ring in shared memory: one sender or many, every receiver gets every message, and who dies wedges nobody.
//!
//! # Codemap
//! - [`Ring`]: a view of the memory, the same for both sides. [`Sender`], [`Receiver`]: a seat at it.
//! - [`geometry`]: how many slots of which size. `parts`: what lies in the memory; `memory`: access to it.
//! - `seat`: taking a seat, leaving it, and clearing the seats of the dead.
//! - `wait`: spinning and sleeping. `sleeper`: what is done for who sleeps too long.
//!
//! # How messages pass
//! Positions count messages from 0 and never wrap; position `p` uses slot `p % slots`, whose state says which position
//! it holds and how far that is. A single sender writes the message and publishes the state as *ready*. Of many, one
//! first *claims* the slot by exchanging the state of the lap before for its own claim; `tail` only says where to look,
//! and whoever finds it behind moves it on. So no step waits for another member (lock-free), and a state, which holds
//! its position, is never mistaken for one of another lap.
//!
//! Receivers each publish the position they read. A sender may use a slot when all of them have passed it, and asks
//! them only when it has used up the room it knew of.
//!
//! # How a member's death is survived
//! Each seat names the process that holds it. Where somebody waits for long (`watchdog`), it is looked whether the others
//! live (`sys::liveness`): the seats of the dead are taken over, their claims voided, the seats freed. A sender
//! that dies while it writes has published nothing; a receiver that dies holds nobody up; a member that dies while it
//! clears a seat leaves a seat of a dead member. Every step can be repeated.
//!
//! # Why no wake-up is lost
//! Who wants to sleep says so, then looks again; who publishes then looks who sleeps. A sequentially consistent fence
//! between the two steps of each side means that at least one of them sees the other (Dekker). And who has slept for all
//! of the patience is woken to look again, so that a member that dies between publishing and waking costs others some
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

/// How the members of a ring behave; all of them alike.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Whether several may send.
    pub many_senders: bool,
    /// How who must wait does it.
    pub waiting: Waiting,
    /// When a wake-up is sent.
    pub wake_rule: WakeRule,
    /// How to sleep; none is needed for [`Waiting::Spin`].
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
    /// A view of the memory at this keeper's address: zeroed, and never used before, or used by a ring of the same
    /// geometry.
    ///
    /// # Errors
    /// When there is too little of it.
    pub fn new(keeper: Box<dyn Keeper>, geometry: Geometry, settings: Settings) -> Result<Self, TooSmall> {
        let memory = Arc::new(Memory::new(keeper, geometry)?);
        Ok(Self { memory, settings, identity: liveness::own() })
    }

    /// Writes an empty ring of this geometry into memory that nobody uses. Zeroed memory is one already.
    ///
    /// # Errors
    /// When there is too little of it.
    pub fn format(keeper: Box<dyn Keeper>, geometry: Geometry) -> Result<(), TooSmall> {
        Memory::new(keeper, geometry).map(|memory| memory.format())
    }

    /// Uses the ring as members would that die at it: more than a lap of messages, then seats that nobody leaves.
    ///
    /// # Errors
    /// When no seat is free.
    pub fn use_and_die(mut self) -> Result<(), NoSeat> {
        // Of this number, but started at another time: no process is that.
        self.identity ^= 1 << 40;
        // None of them sleeps, so none is looked after.
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

    fn header(&self) -> &Header {
        self.memory.header()
    }

    fn slots(&self) -> u64 {
        self.memory.geometry().slots
    }
}

/// Memory that does not hold a ring of the wanted geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a ring of {needed_bytes} B does not fit memory of {found_bytes} B")]
pub struct TooSmall {
    needed_bytes: usize,
    found_bytes: usize,
}

/// Why a seat cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSeat {
    /// All are taken by the living.
    #[error("all {SEATS} seats of this side are taken")]
    Full,
    /// A ring of one sender has one.
    #[error("the ring is of one sender, and has it")]
    OneSender,
    /// The thread that looks after members could not be started.
    #[error("no thread to look after who sleeps could be started")]
    NoWatchdog,
    /// The place to sleep at could not be made.
    #[error("no place to sleep could be made")]
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
