//! One trait, one file per mechanism, one list. A new transport is a new file here and one line in [`ALL`]; the
//! conformance suite (`tests/it/conformance.rs`) covers it automatically.

pub use crate::link::End;

use crate::link::Link;
use crate::ring::{Waiting, WakeRule};
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use crate::sys::sysv::Objects;
use crate::system::{SupportedSystem, System};
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
pub(crate) mod io_uring_msg_ring;
pub(crate) mod io_uring_multishot;
pub(crate) mod io_uring_pipe;
pub(crate) mod io_uring_stream;
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
pub(crate) mod pidfd_getfd;
pub(crate) mod pipe;
pub(crate) mod pipe_epoll;
pub(crate) mod pipe_kqueue;
pub(crate) mod posix_mq;
pub(crate) mod process_vm_readv;
pub(crate) mod ring_futex;
pub(crate) mod ring_futex_lent;
pub(crate) mod ring_futex_waitv;
pub(crate) mod ring_mach_semaphore;
pub(crate) mod ring_os_sync;
pub(crate) mod ring_posix_semaphore;
pub(crate) mod ring_spin;
pub(crate) mod ring_spin_lent;
pub(crate) mod ring_sysv_semaphore;
pub(crate) mod ring_ulock;
pub(crate) mod ring_umtx;
pub(crate) mod ring_win_event;
pub(crate) mod ring_win_semaphore;
pub(crate) mod socketpair;
pub(crate) mod splice;
pub(crate) mod sysv_mq;
pub(crate) mod tcp;
pub(crate) mod tcp_zerocopy;
pub(crate) mod udp;
pub(crate) mod unix_dgram;
pub(crate) mod unix_seqpacket;
pub(crate) mod unix_stream;
pub(crate) mod vmsplice;
pub(crate) mod vsock;

/// All transports, ordered by slug. The slug is the file's name with hyphens.
pub static ALL: &[&dyn Transport] = &[
    &alpc::Alpc,
    &anonymous_pipe::AnonymousPipe,
    &eventfd::Eventfd,
    &fifo::Fifo,
    &io_uring_msg_ring::IoUringMsgRing,
    &io_uring_multishot::IoUringMultishot,
    &io_uring_pipe::IoUringPipe,
    &io_uring_stream::IoUringStream,
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
    &pidfd_getfd::PidfdGetfd,
    &pipe::Pipe,
    &pipe_epoll::PIPE_EPOLL,
    &pipe_kqueue::PIPE_KQUEUE,
    &posix_mq::PosixMq,
    &process_vm_readv::ProcessVmReadv,
    &ring_futex::RING_FUTEX,
    &ring_futex_lent::RING_FUTEX_LENT,
    &ring_futex_waitv::RING_FUTEX_WAITV,
    &ring_mach_semaphore::RING_MACH_SEMAPHORE,
    &ring_os_sync::RING_OS_SYNC,
    &ring_posix_semaphore::RING_POSIX_SEMAPHORE,
    &ring_spin::RING_SPIN,
    &ring_spin_lent::RING_SPIN_LENT,
    &ring_sysv_semaphore::RING_SYSV_SEMAPHORE,
    &ring_ulock::RING_ULOCK,
    &ring_umtx::RING_UMTX,
    &ring_win_event::RING_WIN_EVENT,
    &ring_win_semaphore::RING_WIN_SEMAPHORE,
    &socketpair::Socketpair,
    &splice::Splice,
    &sysv_mq::SysvMq,
    &tcp::Tcp,
    &tcp_zerocopy::TcpZerocopy,
    &udp::Udp,
    &unix_dgram::UnixDgram,
    &unix_seqpacket::UnixSeqpacket,
    &unix_stream::UnixStream,
    &vmsplice::Vmsplice,
    &vsock::Vsock,
];

/// Finds the transport with this slug.
pub fn find(slug: &str) -> Option<&'static dyn Transport> {
    ALL.iter().copied().find(|transport| transport.info().slug.as_str() == slug)
}

/// A mechanism. The harness opens a channel; two fresh processes (or threads of one) connect to its ends.
pub trait Transport: Sync {
    /// Returns its description, and the systems that have it.
    fn about(&self) -> About;

    /// Name, family and semantics, recorded with every result.
    fn info(&self) -> TransportInfo {
        self.about().info
    }

    /// The systems that have the mechanism. A machine with one of them may still lack it: [`Transport::support`] checks
    /// that.
    fn systems(&self) -> &'static [SupportedSystem] {
        self.about().systems
    }

    /// The default behaviour.
    fn manner(&self) -> Manner {
        Manner::default()
    }

    /// The ring transport, if it is one: then it also supports several senders and receivers.
    fn ring(&self) -> Option<&RingTransport> {
        None
    }

    /// Whether it supports only questions with answers.
    fn only_asks(&self) -> bool {
        false
    }

    /// Whether a descriptor, or the system's equivalent, can be passed with a message on this system.
    fn passes_handles(&self, on: System) -> bool {
        let _ = on;
        false
    }

    /// Checks that this machine has the mechanism, and that it can carry these messages.
    ///
    /// # Errors
    /// The reason, if not; it is reported with the result.
    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported>;

    /// Creates a channel, in the harness. Everything ends with the returned value.
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
    pub systems: &'static [SupportedSystem],
}

/// A mechanism that no commit of the measured repository can change.
fn control(
    slug: &str,
    title: &str,
    family: &str,
    systems: &'static [SupportedSystem],
    semantics: &str,
) -> About {
    let (slug, family) = (Slug::from_name(slug), Slug::from_name(family));
    let info =
        TransportInfo { slug, title: title.into(), family, semantics: semantics.into(), control: true };
    About { info, systems }
}

/// The behaviour of a channel and its ends, part of the methodology.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manner {
    /// How a member waits.
    pub waiting: Waiting,
    /// The effect of sending into a full channel.
    pub on_full: OnFull,
    /// When a ring sends a wake-up.
    pub wake_rule: WakeRule,
    /// The earlier use of a ring's memory.
    pub storage: Storage,
}

/// The use of a ring's memory before it is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// New and zeroed.
    #[default]
    Cleared,
    /// Used for more than a lap by members that died without leaving.
    Warm,
}

impl Storage {
    /// Returns its name in a methodology.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Cleared => "cleared",
            Self::Warm => "warm",
        }
    }
}

/// The effect of sending into a full channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFull {
    /// The sender waits.
    #[default]
    Wait,
    /// The message is lost without notice.
    Drop,
}

impl OnFull {
    /// Returns its name in a methodology.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Drop => "drop",
        }
    }
}

/// The required properties of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelSpec {
    /// The longest message.
    pub message_bytes: usize,
    /// The kernel buffer to request; `None` for the system's default.
    pub buffer_bytes: Option<usize>,
    /// Its behaviour.
    pub manner: Manner,
}

impl ChannelSpec {
    /// For a mechanism without message boundaries.
    pub(crate) fn not_empty(&self) -> Result<(), Unsupported> {
        if self.message_bytes > 0 {
            return Ok(());
        }
        Err(Unsupported::because("a message of 0 B cannot be distinguished from no message"))
    }

    /// For a mechanism without a kernel buffer of configurable size.
    pub(crate) fn default_buffer(&self) -> Result<(), Unsupported> {
        if self.buffer_bytes.is_none() {
            return Ok(());
        }
        Err(Unsupported::because("this transport has no kernel buffer: remove buffer_bytes"))
    }

    /// For a mechanism over a pipe. Fails if the system does not allow this size.
    fn pipe_buffer(&self) -> Result<(), Unsupported> {
        self.buffer_bytes.map_or(Ok(()), crate::sys::pipe_capacity::support)
    }
}

/// A channel with unconnected ends.
#[derive(Debug)]
pub struct Channel {
    /// The parts for the initiator.
    pub initiator: Parts,
    /// The parts for the responder.
    pub responder: Parts,
    /// Files of the channel, removed when both ends are connected.
    pub folder: Option<TempDir>,
    /// Objects that outlive processes, to keep until no end uses them.
    pub objects: Option<Objects>,
}

impl Channel {
    fn from_handles<const N: usize>(initiator: [Handle; N], responder: [Handle; N]) -> Self {
        Self {
            initiator: Parts::from_handles(initiator),
            responder: Parts::from_handles(responder),
            folder: None,
            objects: None,
        }
    }
}

/// The parts that one end needs to connect.
#[derive(Debug, Default)]
pub struct Parts {
    /// Open handles, in an order that the transport defines.
    pub handles: Vec<Handle>,
    /// A name to connect to: a path, an address.
    pub address: Option<String>,
}

impl Parts {
    pub(crate) fn from_handles<const N: usize>(handles: [Handle; N]) -> Self {
        Self { handles: handles.into(), address: None }
    }

    pub(crate) fn at(address: impl Into<String>) -> Self {
        Self { handles: Vec::new(), address: Some(address.into()) }
    }

    pub(crate) fn take<const N: usize>(self) -> io::Result<[Handle; N]> {
        let count = self.handles.len();
        self.handles.try_into().map_err(|_| io::Error::other(format!("{count} handles passed, expected {N}")))
    }

    pub(crate) fn address(&self) -> io::Result<&str> {
        self.address.as_deref().ok_or_else(|| io::Error::other("no address passed"))
    }
}
