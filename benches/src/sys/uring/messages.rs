//! Two rings, each of which puts completions into the other (`IORING_OP_MSG_RING`).

use super::super::closed;
use super::super::handle::Handle;
use super::ring::{Ring, result};
use io_uring::squeue::Flags;
use io_uring::{cqueue, opcode, types};
use libc::POLLRDHUP;
use rustix::net::{Shutdown, shutdown};
use std::io;
use std::os::fd::AsRawFd;

/// The `user_data` of a completion: the other end has announced something, is gone, or has not received an announcement.
const ANNOUNCED: u64 = 0;
const GONE: u64 = 1;
const NOT_SENT: u64 = 2;

/// Beyond announcements: the end of the other process, and failures to send.
const OTHER_COMPLETIONS: u32 = 8;

/// A ring that announces things to another ring, and waits for its announcements.
pub(crate) struct Messages {
    ring: Ring,
    other: Handle,
    socket: Handle,
    /// The number of announcements that are received and not taken yet.
    announced: usize,
    is_gone: bool,
}

impl Messages {
    /// Creates a ring with space for so many announcements. `swap` gives a handle of it to the other end, and returns a
    /// handle of the other end's. Unix sockets do not carry them (since Linux 6.7), so both ends watch a pair of
    /// connected sockets only for the end of the other process.
    #[expect(unsafe_code, reason = "a request without memory")]
    pub(crate) fn connect(
        announcements: u32,
        socket: Handle,
        swap: impl FnOnce(&Handle) -> io::Result<Handle>,
    ) -> io::Result<Self> {
        let mut ring = Ring::new(announcements + OTHER_COMPLETIONS)?;
        let other = swap(&ring.handle()?)?;
        // Closing is always reported; leaving is a shutdown.
        let hang_up = opcode::PollAdd::new(types::Fd(socket.as_raw_fd()), POLLRDHUP as u32);
        // SAFETY: the request has no memory.
        unsafe { ring.queue(&[hang_up.build().user_data(GONE)]) }?;
        Ok(Self { ring, other, socket, announced: 0, is_gone: false })
    }

    /// Queues an announcement, which [`Self::wait`] submits before it waits.
    #[inline]
    #[expect(unsafe_code, reason = "a request without memory")]
    pub(crate) fn queue(&mut self) -> io::Result<()> {
        // The other ring's completion is enough: this one has one only for a failure.
        let request = opcode::MsgRingData::new(types::Fd(self.other.as_raw_fd()), 0, ANNOUNCED, None);
        let request = request.build().user_data(NOT_SENT).flags(Flags::SKIP_SUCCESS);
        // SAFETY: the request has no memory.
        unsafe { self.ring.queue(&[request]) }
    }

    /// Announces something.
    #[inline]
    pub(crate) fn announce(&mut self) -> io::Result<()> {
        self.queue()?;
        self.ring.submit()?;
        while let Some(completion) = self.ring.next() {
            self.take(&completion)?;
        }
        if self.is_gone { Err(closed()) } else { Ok(()) }
    }

    /// Waits for an announcement. Returns immediately once the other end is gone.
    #[inline]
    pub(crate) fn wait(&mut self) -> io::Result<()> {
        while self.announced == 0 && !self.is_gone {
            let completion = self.ring.wait()?;
            self.take(&completion)?;
        }
        self.announced = self.announced.saturating_sub(1);
        Ok(())
    }

    #[inline]
    fn take(&mut self, completion: &cqueue::Entry) -> io::Result<()> {
        match completion.user_data() {
            ANNOUNCED => self.announced += 1,
            GONE => self.is_gone = true,
            _ => _ = result(completion)?,
        }
        Ok(())
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        // The other end has a handle of this ring, which therefore lives on, and with it the request for this socket.
        let _ = shutdown(&self.socket, Shutdown::Both);
    }
}
