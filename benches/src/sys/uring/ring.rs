//! A ring of the calling thread, and one completion at a time.

use super::super::Unsupported;
use super::super::handle::Handle;
use io_uring::squeue::Entry;
use io_uring::{IoUring, Submitter, cqueue};
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, BorrowedFd};

/// Requests between two calls.
const REQUESTS: u32 = 4;
/// Completions that no one has taken yet, if each request has one.
pub(super) const COMPLETIONS: u32 = 2 * REQUESTS;

/// Used only by the thread that creates it.
pub(super) struct Ring {
    ring: IoUring,
    /// The number of requests that are not submitted yet.
    queued: usize,
}

impl Ring {
    /// The kernel does its work for a request inside the calls of this thread (`IORING_SETUP_DEFER_TASKRUN`), which is
    /// the fastest way without a polling thread.
    pub(super) fn new(completions: u32) -> io::Result<Self> {
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_cqsize(completions)
            .build(REQUESTS)?;
        Ok(Self { ring, queued: 0 })
    }

    /// Returns a duplicate of its descriptor.
    #[expect(unsafe_code, reason = "the ring has only a number")]
    pub(super) fn handle(&self) -> io::Result<Handle> {
        // SAFETY: the ring keeps its descriptor open.
        unsafe { BorrowedFd::borrow_raw(self.ring.as_raw_fd()) }.try_clone_to_owned()
    }

    /// For registering files and memory.
    pub(super) fn submitter(&self) -> Submitter<'_> {
        self.ring.submitter()
    }

    /// Queues requests for the next call.
    ///
    /// # Safety
    /// Their memory must stay valid until they are complete.
    #[inline]
    #[expect(unsafe_code, reason = "the kernel accesses the memory of a request")]
    pub(super) unsafe fn queue(&mut self, requests: &[Entry]) -> io::Result<()> {
        // SAFETY: the caller keeps the memory.
        unsafe { self.ring.submission().push_multiple(requests) }.map_err(io::Error::other)?;
        self.queued += requests.len();
        Ok(())
    }

    /// Submits the queued requests without waiting.
    #[inline]
    pub(super) fn submit(&mut self) -> io::Result<()> {
        while self.queued > 0 {
            self.enter(0)?;
        }
        Ok(())
    }

    /// Returns the next completion, if there is one.
    #[inline]
    pub(super) fn next(&mut self) -> Option<cqueue::Entry> {
        self.ring.completion().next()
    }

    /// Submits the queued requests and returns the next completion, waiting if there is none.
    ///
    /// It never waits for two: until so many have something to do, the kernel does not wake a thread whose requests
    /// wait for a file (`IOU_F_TWQ_LAZY_WAKE`), and a large message needs several such steps.
    #[inline]
    pub(super) fn wait(&mut self) -> io::Result<cqueue::Entry> {
        loop {
            if self.queued == 0
                && let Some(completion) = self.next()
            {
                return Ok(completion);
            }
            self.enter(1)?;
        }
    }

    #[inline]
    fn enter(&mut self, wanted: usize) -> io::Result<()> {
        match self.ring.submit_and_wait(wanted) {
            Ok(submitted) => self.queued -= submitted,
            // A signal, or too little memory for a request.
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            // A wrong argument, which the kernel rejects before it starts a request.
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// The result of a request, as a call would return it.
#[inline]
pub(super) fn result(completion: &cqueue::Entry) -> io::Result<usize> {
    let result = completion.result();
    usize::try_from(result).map_err(|_| io::Error::from_raw_os_error(-result))
}

/// Returns the length of a request; a longer one moves fewer bytes.
#[inline]
pub(super) fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

pub(crate) fn support() -> Result<(), Unsupported> {
    Ring::new(COMPLETIONS).map(drop).map_err(|error| {
        Unsupported::because(match error.raw_os_error() {
            Some(libc::EINVAL) => "io_uring needs Linux 6.1 or later (IORING_SETUP_DEFER_TASKRUN)".to_owned(),
            Some(libc::ENOSYS) => "this kernel has no io_uring, or a seccomp filter blocks it".to_owned(),
            Some(libc::EPERM) => {
                let disabled = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled");
                let disabled = disabled.unwrap_or_else(|_| "0".to_owned());
                format!(
                    "io_uring is not permitted: kernel.io_uring_disabled is {}; if that is 0, a seccomp filter \
                     blocks it",
                    disabled.trim()
                )
            }
            _ => format!("cannot create an io_uring: {error}"),
        })
    })
}
