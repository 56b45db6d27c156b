//! One contract, one file per mechanism, one list. A new transport is a new file here and one line in [`ALL`];
//! it inherits the conformance suite (`tests/it/conformance.rs`).

use crate::link::Link;
use crate::sys::Unsupported;
use roundtrip_wire::TransportInfo;
use std::io;
use std::os::fd::OwnedFd;
use tempfile::TempDir;

pub mod fifo;
pub mod pipe;
pub mod ring_futex;
pub mod socketpair;
pub mod tcp;

/// Every transport, in the order of slugs. The slug is the file's name with hyphens.
pub static ALL: &[&dyn Transport] =
    &[&fifo::Fifo, &pipe::Pipe, &ring_futex::RingFutex, &socketpair::Socketpair, &tcp::Tcp];

/// The transport with this slug.
pub fn find(slug: &str) -> Option<&'static dyn Transport> {
    ALL.iter().copied().find(|transport| transport.info().slug.as_str() == slug)
}

/// One mechanism. The harness opens a channel, two fresh processes (or threads of one) connect to its ends.
pub trait Transport: Sync {
    /// Name, family and semantics, as they travel with every result.
    fn info(&self) -> TransportInfo;

    /// How a receive waits, as a methodology says it: `block`, `spin`, `spin-then-block`.
    fn receive(&self) -> &'static str {
        "block"
    }

    /// Whether this machine has the mechanism.
    ///
    /// # Errors
    /// The reason where it has not; it is reported with the result.
    fn support(&self) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Creates a channel, in the harness. Nothing of it may outlive the returned value.
    ///
    /// # Errors
    /// Of the system, such as too many open files.
    fn open(&self) -> io::Result<Channel>;

    /// Connects to one end, in the peer. Both ends connect at the same time, so each may wait for the other.
    ///
    /// # Errors
    /// Of the system.
    fn connect(&self, end: End, parts: Parts) -> io::Result<Box<dyn Link>>;
}

/// Which end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Sends first and holds the clock.
    Initiator,
    /// Answers.
    Responder,
}

/// A channel that nobody has connected to yet.
#[derive(Debug)]
pub struct Channel {
    /// What the initiator needs.
    pub initiator: Parts,
    /// What the responder needs.
    pub responder: Parts,
    /// Files of the channel, removed when both ends are connected.
    pub folder: Option<TempDir>,
}

/// What one end needs to connect.
#[derive(Debug, Default)]
pub struct Parts {
    /// Open descriptors, in an order that the transport knows.
    pub descriptors: Vec<OwnedFd>,
    /// A name to connect to: a path, an address.
    pub address: Option<String>,
}

impl Parts {
    /// Of descriptors alone.
    fn of<const N: usize>(descriptors: [OwnedFd; N]) -> Self {
        Self { descriptors: descriptors.into(), address: None }
    }

    /// Exactly `N` descriptors.
    ///
    /// # Errors
    /// When the harness passed another number.
    fn take<const N: usize>(self) -> io::Result<[OwnedFd; N]> {
        let count = self.descriptors.len();
        self.descriptors
            .try_into()
            .map_err(|_| io::Error::other(format!("{count} descriptors were passed, expected {N}")))
    }

    /// The address.
    ///
    /// # Errors
    /// When the harness passed none.
    fn address(&self) -> io::Result<&str> {
        self.address.as_deref().ok_or_else(|| io::Error::other("no address was passed"))
    }
}
