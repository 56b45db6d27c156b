//! A socket whose receive request stays active: the kernel puts arriving bytes into buffers that it picks from a ring of
//! them, and completes the request once per buffer (`IORING_RECV_MULTISHOT`, `IORING_REGISTER_PBUF_RING`).

use super::super::closed;
use super::super::handle::Handle;
use super::super::shared_memory::{self, Mapping};
use super::Stream;
use super::ring::{Ring, length, result};
use io_uring::types::BufRingEntry;
use io_uring::{cqueue, opcode, types};
use libc::{ENOBUFS, MSG_NOSIGNAL, MSG_WAITALL};
use rustix::net::{Shutdown, shutdown};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU16, Ordering};

/// A power of two. Together, the buffers hold more than a socket does by default.
const BUFFERS: u16 = 16;
const BUFFER_BYTES: u16 = 16 * 1024;
/// The only group of buffers.
const GROUP: u16 = 0;

/// Completions that no one has taken yet: one per buffer, the end of the request, and one for a sent message.
const COMPLETIONS: u32 = 2 * BUFFERS as u32;

/// The registered file.
const SOCKET: types::Fixed = types::Fixed(0);

/// The `user_data` of a request.
const SENT: u64 = 0;
const RECEIVED: u64 = 1;

/// A stream socket with a receive request that stays active.
pub(crate) struct Multishot {
    ring: Ring,
    socket: Handle,
    buffers: Buffers,
    /// Received parts that are not taken yet, and the end.
    parts: VecDeque<io::Result<Part>>,
    is_active: bool,
}

/// The rest of a buffer that is not taken yet.
struct Part {
    buffer: u16,
    rest: Range<usize>,
}

impl Multishot {
    pub(crate) fn over_socket(socket: Handle) -> io::Result<Self> {
        let ring = Ring::new(COMPLETIONS)?;
        ring.submitter().register_files(&[socket.as_raw_fd()])?;
        let buffers = Buffers::register(&ring)?;
        Ok(Self { ring, socket, buffers, parts: VecDeque::new(), is_active: false })
    }

    /// Waits for a completion; returns the result of a sent message.
    #[inline]
    fn wait(&mut self) -> io::Result<Option<io::Result<usize>>> {
        let completion = self.ring.wait()?;
        if completion.user_data() == SENT {
            return Ok(Some(result(&completion)));
        }
        self.is_active = cqueue::more(completion.flags());
        match (result(&completion), cqueue::buffer_select(completion.flags())) {
            (Ok(0), _) => self.parts.push_back(Err(closed())),
            (Ok(bytes), Some(buffer)) => self.parts.push_back(Ok(Part { buffer, rest: 0..bytes })),
            (Ok(_), None) => self.parts.push_back(Err(ErrorKind::InvalidData.into())),
            // No buffer was free: the request is started again when there are.
            (Err(error), _) if error.raw_os_error() == Some(ENOBUFS) => {}
            (Err(error), _) => self.parts.push_back(Err(error)),
        }
        Ok(None)
    }

    /// Waits for a part. The caller gives it back, or its buffer to the kernel.
    #[inline]
    fn part(&mut self) -> io::Result<Part> {
        loop {
            if let Some(part) = self.parts.pop_front() {
                return part;
            }
            self.activate()?;
            self.wait()?;
        }
    }

    #[expect(unsafe_code, reason = "the kernel writes to the buffers")]
    fn activate(&mut self) -> io::Result<()> {
        if !self.is_active {
            let request = opcode::RecvMulti::new(SOCKET, GROUP).build().user_data(RECEIVED);
            // SAFETY: the buffers live until the request has ended, because `drop` waits for that.
            unsafe { self.ring.queue(&[request]) }?;
            self.is_active = true;
        }
        Ok(())
    }
}

impl Stream for Multishot {
    #[inline]
    #[expect(unsafe_code, reason = "a request with borrowed memory")]
    fn send(&mut self, message: &[u8]) -> io::Result<usize> {
        let request = opcode::Send::new(SOCKET, message.as_ptr(), length(message));
        let request = request.flags(MSG_NOSIGNAL | MSG_WAITALL).build().user_data(SENT);
        // SAFETY: the borrow lasts until the completion.
        unsafe { self.ring.queue(&[request]) }?;
        loop {
            if let Some(sent) = self.wait()? {
                return sent;
            }
        }
    }

    #[inline]
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Part { buffer: index, mut rest } = self.part()?;
        let bytes = buffer.len().min(rest.len());
        buffer[..bytes].copy_from_slice(&self.buffers.bytes(index)[rest.start..rest.start + bytes]);
        rest.start += bytes;
        if rest.is_empty() {
            self.buffers.provide(index);
        } else {
            self.parts.push_front(Ok(Part { buffer: index, rest }));
        }
        Ok(bytes)
    }
}

impl Drop for Multishot {
    fn drop(&mut self) {
        // Ends the request, and tells the other end, for which closing takes effect only when the ring is gone too.
        let _ = shutdown(&self.socket, Shutdown::Both);
        while self.is_active && self.wait().is_ok() {}
    }
}

/// The ring of buffers, and the buffers, each in its own part of a mapping.
struct Buffers {
    ring: Mapping,
    buffers: Mapping,
    /// The number of buffers given to the kernel in all.
    provided: u16,
}

impl Buffers {
    #[expect(unsafe_code, reason = "the kernel reads the ring")]
    fn register(ring: &Ring) -> io::Result<Self> {
        let map = |bytes| Mapping::new(&shared_memory::create(bytes)?, bytes);
        let mut buffers = Self {
            ring: map(usize::from(BUFFERS) * size_of::<BufRingEntry>())?,
            buffers: map(usize::from(BUFFERS) * usize::from(BUFFER_BYTES))?,
            provided: 0,
        };
        let address = buffers.ring.address().as_ptr().addr() as u64;
        // SAFETY: the ring is zeroed, which is valid and empty; the kernel keeps its pages.
        unsafe { ring.submitter().register_buf_ring_with_flags(address, BUFFERS, GROUP, 0) }?;
        (0..BUFFERS).for_each(|index| buffers.provide(index));
        Ok(buffers)
    }

    /// Returns the contents of a buffer that the kernel has filled.
    #[inline]
    fn bytes(&self, index: u16) -> &[u8] {
        let bytes = usize::from(BUFFER_BYTES);
        &self.buffers.contents()[usize::from(index) * bytes..][..bytes]
    }

    /// Gives a buffer to the kernel.
    #[inline]
    #[expect(unsafe_code, reason = "a structure that the kernel reads")]
    fn provide(&mut self, index: u16) {
        let entries = self.ring.address().cast::<BufRingEntry>().as_ptr();
        let address = self.bytes(index).as_ptr().addr() as u64;
        // SAFETY: the entry is inside the mapping. The kernel reads only entries before the tail, which is a field of
        // the first entry.
        unsafe {
            let entry = &mut *entries.add(usize::from(self.provided % BUFFERS));
            entry.set_addr(address);
            entry.set_len(BUFFER_BYTES.into());
            entry.set_bid(index);
            self.provided = self.provided.wrapping_add(1);
            let tail = AtomicU16::from_ptr(BufRingEntry::tail(entries).cast_mut());
            tail.store(self.provided, Ordering::Release);
        }
    }
}
