//! One contract, one file per mechanism, one list. A new transport is a new file here and one line in [`ALL`];
//! it inherits the conformance suite (`tests/it/conformance.rs`).

pub use crate::link::End;

use crate::link::Link;
use crate::ring::{Waiting, WakeRule};
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use crate::system::{Home, System};
use family::ring::RingTransport;
use roundtrip_wire::{Slug, TransportInfo};
use serde::{Deserialize, Serialize};
use std::io;
use tempfile::TempDir;

pub(crate) mod alpc;
pub(crate) mod anonymous_pipe;
pub(crate) mod eventfd;
pub(crate) mod family;
pub(crate) mod fifo;
pub(crate) mod mach_inline;
pub(crate) mod mach_kqueue;
pub(crate) mod mach_kqueue_bridge;
pub(crate) mod mach_kqueue_receive;
pub(crate) mod mach_ool;
pub(crate) mod mach_ool_physical;
pub(crate) mod mach_ool_physical_read;
pub(crate) mod mach_ool_read;
pub(crate) mod memfd_read;
pub(crate) mod memfd_remap;
pub(crate) mod named_pipe;
pub(crate) mod named_pipe_message;
pub(crate) mod named_pipe_message_overlapped;
pub(crate) mod named_pipe_overlapped;
pub(crate) mod named_pipe_transact;
pub(crate) mod pipe;
pub(crate) mod pipe_epoll;
pub(crate) mod pipe_kqueue;
pub(crate) mod posix_mq;
pub(crate) mod process_vm_readv;
pub(crate) mod ring_futex;
pub(crate) mod ring_mach_semaphore;
pub(crate) mod ring_os_sync;
pub(crate) mod ring_posix_semaphore;
pub(crate) mod ring_spin;
pub(crate) mod ring_ulock;
pub(crate) mod ring_umtx;
pub(crate) mod ring_win_event;
pub(crate) mod ring_win_semaphore;
pub(crate) mod socketpair;
pub(crate) mod splice;
pub(crate) mod tcp;
pub(crate) mod udp;
pub(crate) mod unix_dgram;
pub(crate) mod unix_seqpacket;
pub(crate) mod unix_stream;
pub(crate) mod vmsplice;

/// Every transport, in the order of slugs. The slug is the file's name with hyphens.
pub static ALL: &[&dyn Transport] = &[
    &alpc::Alpc,
    &anonymous_pipe::AnonymousPipe,
    &eventfd::Eventfd,
    &fifo::Fifo,
    &mach_inline::MACH_INLINE,
    &mach_kqueue::MACH_KQUEUE,
    &mach_kqueue_bridge::MACH_KQUEUE_BRIDGE,
    &mach_kqueue_receive::MACH_KQUEUE_RECEIVE,
    &mach_ool::MACH_OOL,
    &mach_ool_physical::MACH_OOL_PHYSICAL,
    &mach_ool_physical_read::MACH_OOL_PHYSICAL_READ,
    &mach_ool_read::MACH_OOL_READ,
    &memfd_read::MemfdRead,
    &memfd_remap::MemfdRemap,
    &named_pipe::NAMED_PIPE,
    &named_pipe_message::NAMED_PIPE_MESSAGE,
    &named_pipe_message_overlapped::NAMED_PIPE_MESSAGE_OVERLAPPED,
    &named_pipe_overlapped::NAMED_PIPE_OVERLAPPED,
    &named_pipe_transact::NAMED_PIPE_TRANSACT,
    &pipe::Pipe,
    &pipe_epoll::PIPE_EPOLL,
    &pipe_kqueue::PIPE_KQUEUE,
    &posix_mq::PosixMq,
    &process_vm_readv::ProcessVmReadv,
    &ring_futex::RING_FUTEX,
    &ring_mach_semaphore::RING_MACH_SEMAPHORE,
    &ring_os_sync::RING_OS_SYNC,
    &ring_posix_semaphore::RING_POSIX_SEMAPHORE,
    &ring_spin::RING_SPIN,
    &ring_ulock::RING_ULOCK,
    &ring_umtx::RING_UMTX,
    &ring_win_event::RING_WIN_EVENT,
    &ring_win_semaphore::RING_WIN_SEMAPHORE,
    &socketpair::Socketpair,
    &splice::Splice,
    &tcp::Tcp,
    &udp::Udp,
    &unix_dgram::UnixDgram,
    &unix_seqpacket::UnixSeqpacket,
    &unix_stream::UnixStream,
    &vmsplice::Vmsplice,
];

/// The transport with this slug.
pub fn find(slug: &str) -> Option<&'static dyn Transport> {
    ALL.iter().copied().find(|transport| transport.info().slug.as_str() == slug)
}

/// One mechanism. The harness opens a channel, two fresh processes (or threads of one) connect to its ends.
pub trait Transport: Sync {
    /// Its description, and the systems that have it.
    fn about(&self) -> About;

    /// Name, family and semantics, as they travel with every result.
    fn info(&self) -> TransportInfo {
        self.about().info
    }

    /// The systems that have the mechanism. A machine of one may still lack it: [`Transport::support`] asks it.
    fn systems(&self) -> &'static [Home] {
        self.about().systems
    }

    /// How it behaves unless something else is asked for.
    fn manner(&self) -> Manner {
        Manner::default()
    }

    /// The ring that this is, if it is one: then it also carries messages from and to many.
    fn ring(&self) -> Option<&RingTransport> {
        None
    }

    /// Whether its one call is a question and its answer.
    fn only_asks(&self) -> bool {
        false
    }

    /// Whether a descriptor, or what the system has in its place, can be passed with a message on this system.
    fn passes_handles(&self, on: System) -> bool {
        let _ = on;
        false
    }

    /// Whether this machine has the mechanism, and it can carry such messages.
    ///
    /// # Errors
    /// The reason where not; it is reported with the result.
    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported>;

    /// Creates a channel, in the harness. Nothing of it may outlive the returned value.
    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel>;

    /// Connects to one end, in the peer. Both ends connect at the same time, so each may wait for the other.
    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link>;
}

/// The description of a transport, and the systems that have it.
#[derive(Clone, Debug)]
pub struct About {
    /// [`Transport::info`].
    pub info: TransportInfo,
    /// [`Transport::systems`].
    pub systems: &'static [Home],
}

/// Of a mechanism that no commit of the measured repository can have changed.
fn control(slug: &str, title: &str, family: &str, systems: &'static [Home], semantics: &str) -> About {
    let (slug, family) = (Slug::from_name(slug), Slug::from_name(family));
    let info =
        TransportInfo { slug, title: title.into(), family, semantics: semantics.into(), control: true };
    About { info, systems }
}

/// How a channel and its ends behave, as a methodology says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manner {
    /// How who must wait does it.
    pub waiting: Waiting,
    /// What a send into a full channel does.
    pub on_full: OnFull,
    /// When a ring sends a wake-up.
    pub wake_rule: WakeRule,
    /// What the memory of a ring went through before.
    pub storage: Storage,
}

/// What the memory of a ring went through before it is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// Nothing: it is new, and zeroed.
    #[default]
    Cleared,
    /// Others have used it for more than a lap, and died at it without leaving.
    Warm,
}

impl Storage {
    /// As a methodology says it.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Cleared => "cleared",
            Self::Warm => "warm",
        }
    }
}

/// What a full channel does to who sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFull {
    /// The sender waits.
    #[default]
    Wait,
    /// The message is lost, and nobody is told.
    Drop,
}

impl OnFull {
    /// As a methodology says it.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Drop => "drop",
        }
    }
}

/// What a channel must carry, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelSpec {
    /// The longest message.
    pub message_bytes: usize,
    /// The kernel buffer to ask for; none: the system's default.
    pub buffer_bytes: Option<usize>,
    /// How it behaves.
    pub manner: Manner,
}

impl ChannelSpec {
    /// For a mechanism without a border between messages.
    pub(crate) fn not_empty(&self) -> Result<(), Unsupported> {
        if self.message_bytes > 0 {
            return Ok(());
        }
        Err(Unsupported::because("an empty message cannot be told from no message"))
    }

    /// For a mechanism without a kernel buffer that has a size.
    pub(crate) fn default_buffer(&self) -> Result<(), Unsupported> {
        if self.buffer_bytes.is_none() {
            return Ok(());
        }
        Err(Unsupported::because("it has no kernel buffer to ask a size for: expected no buffer_bytes"))
    }

    /// For a mechanism over a pipe. Fails when the system does not allow such a pipe.
    fn pipe_buffer(&self) -> Result<(), Unsupported> {
        self.buffer_bytes.map_or(Ok(()), crate::sys::pipe_capacity::support)
    }
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

impl Channel {
    fn of<const N: usize>(initiator: [Handle; N], responder: [Handle; N]) -> Self {
        Self { initiator: Parts::of(initiator), responder: Parts::of(responder), folder: None }
    }
}

/// What one end needs to connect.
#[derive(Debug, Default)]
pub struct Parts {
    /// Open handles, in an order that the transport knows.
    pub handles: Vec<Handle>,
    /// A name to connect to: a path, an address.
    pub address: Option<String>,
}

impl Parts {
    pub(crate) fn of<const N: usize>(handles: [Handle; N]) -> Self {
        Self { handles: handles.into(), address: None }
    }

    pub(crate) fn at(address: impl Into<String>) -> Self {
        Self { handles: Vec::new(), address: Some(address.into()) }
    }

    pub(crate) fn take<const N: usize>(self) -> io::Result<[Handle; N]> {
        let count = self.handles.len();
        self.handles
            .try_into()
            .map_err(|_| io::Error::other(format!("{count} handles were passed, expected {N}")))
    }

    pub(crate) fn address(&self) -> io::Result<&str> {
        self.address.as_deref().ok_or_else(|| io::Error::other("no address was passed"))
    }
}
