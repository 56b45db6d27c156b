//! Sockets and pipes: one call to send, one to receive, one for both.

use super::super::Unsupported;
use super::super::handle::Handle;
use super::Stream;
use super::ring::{COMPLETIONS, Ring, length, result};
use io_uring::squeue::{Entry, Flags};
use io_uring::{opcode, types};
use libc::{MSG_NOSIGNAL, MSG_WAITALL, iovec};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::fd::AsRawFd;

/// The registered files.
const OUT: types::Fixed = types::Fixed(0);
const IN: types::Fixed = types::Fixed(1);

/// The `user_data` of a request.
const SENT: u64 = 0;
const RECEIVED: u64 = 1;

/// Space for registered memory.
const REGISTERED_MAX: u32 = 16;

/// The offset of a file without positions.
const NO_OFFSET: u64 = u64::MAX;

/// A stream of bytes each way, both registered with a ring.
pub(crate) struct Streams {
    ring: Ring,
    /// For pipes, the addresses of registered memory, by index; `None` for sockets, whose requests do not use it.
    registered: Option<Vec<Range<usize>>>,
}

impl Streams {
    /// Over a stream socket: `IORING_OP_SEND` and `IORING_OP_RECV` move whole messages.
    pub(crate) fn over_socket(socket: &Handle) -> io::Result<Self> {
        let ring = Self::over(socket, socket)?;
        Ok(Self { ring, registered: None })
    }

    /// Over pipes: `IORING_OP_WRITE_FIXED` and `IORING_OP_READ_FIXED` in memory that is registered.
    pub(crate) fn over_pipes(writer: &Handle, reader: &Handle) -> io::Result<Self> {
        let ring = Self::over(writer, reader)?;
        ring.submitter().register_buffers_sparse(REGISTERED_MAX)?;
        Ok(Self { ring, registered: Some(Vec::new()) })
    }

    fn over(out: &Handle, into: &Handle) -> io::Result<Ring> {
        let ring = Ring::new(COMPLETIONS)?;
        ring.submitter().register_files(&[out.as_raw_fd(), into.as_raw_fd()])?;
        Ok(ring)
    }

    /// Sends, then receives, in one call; returns how many bytes of each. Receives nothing if it sends only a part.
    #[inline]
    #[expect(unsafe_code, reason = "requests with borrowed memory")]
    pub(crate) fn exchange(&mut self, question: &[u8], buffer: &mut [u8]) -> io::Result<(usize, usize)> {
        // The first completes only if it fails or moves only a part; it cancels the second then, silently. So there is
        // exactly one completion, after which both are done.
        let outgoing = self.outgoing(question).flags(Flags::IO_LINK | Flags::SKIP_SUCCESS);
        let incoming = self.incoming(buffer);
        // SAFETY: both borrows last until the completion.
        unsafe { self.ring.queue(&[outgoing, incoming]) }?;
        let completion = self.ring.wait()?;
        let moved = match result(&completion) {
            Err(error) if error.kind() == ErrorKind::Interrupted => 0,
            moved => moved?,
        };
        Ok(if completion.user_data() == SENT { (moved, 0) } else { (question.len(), moved) })
    }

    #[inline]
    fn outgoing(&self, message: &[u8]) -> Entry {
        let (start, bytes) = (message.as_ptr(), length(message));
        let request = match (&self.registered, self.index(message)) {
            (None, _) => opcode::Send::new(OUT, start, bytes).flags(MSG_NOSIGNAL | MSG_WAITALL).build(),
            (_, Some(index)) => opcode::WriteFixed::new(OUT, start, bytes, index).offset(NO_OFFSET).build(),
            _ => opcode::Write::new(OUT, start, bytes).offset(NO_OFFSET).build(),
        };
        request.user_data(SENT)
    }

    #[inline]
    fn incoming(&self, buffer: &mut [u8]) -> Entry {
        let (start, bytes) = (buffer.as_mut_ptr(), length(buffer));
        let request = match (&self.registered, self.index(buffer)) {
            (None, _) => opcode::Recv::new(IN, start, bytes).flags(MSG_WAITALL).build(),
            (_, Some(index)) => opcode::ReadFixed::new(IN, start, bytes, index).offset(NO_OFFSET).build(),
            _ => opcode::Read::new(IN, start, bytes).offset(NO_OFFSET).build(),
        };
        request.user_data(RECEIVED)
    }

    /// Returns the index of the registered memory that holds these bytes.
    #[inline]
    fn index(&self, bytes: &[u8]) -> Option<u16> {
        let start = bytes.as_ptr().addr();
        let holds = |range: &Range<usize>| start >= range.start && start + bytes.len() <= range.end;
        u16::try_from(self.registered.as_ref()?.iter().position(holds)?).ok()
    }
}

impl Stream for Streams {
    #[inline]
    #[expect(unsafe_code, reason = "a request with borrowed memory")]
    fn send(&mut self, message: &[u8]) -> io::Result<usize> {
        let request = self.outgoing(message);
        // SAFETY: the borrow lasts until the completion.
        unsafe { self.ring.queue(&[request]) }?;
        result(&self.ring.wait()?)
    }

    #[inline]
    #[expect(unsafe_code, reason = "a request with borrowed memory")]
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let request = self.incoming(buffer);
        // SAFETY: the borrow lasts until the completion.
        unsafe { self.ring.queue(&[request]) }?;
        result(&self.ring.wait()?)
    }

    /// The pages of registered memory stay present, and a request does not look them up.
    #[expect(unsafe_code, reason = "the kernel keeps a reference to the pages")]
    fn register(&mut self, memory: &mut [u8]) -> io::Result<()> {
        let Some(registered) = &mut self.registered else { return Ok(()) };
        let index = u32::try_from(registered.len()).map_err(io::Error::other)?;
        let place = iovec { iov_base: memory.as_mut_ptr().cast(), iov_len: memory.len() };
        // SAFETY: the kernel itself keeps the pages. It accesses them only for a request, whose bytes are borrowed.
        unsafe { self.ring.submitter().register_buffers_update(index, &[place], None) }?;
        let start = memory.as_ptr().addr();
        registered.push(start..start + memory.len());
        Ok(())
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        // The kernel frees a closed ring later, and until then its memory counts against the limit of the user. Fails
        // without registered memory.
        let _ = self.ring.submitter().unregister_buffers();
    }
}

/// Checks that this user may register so many blocks of this size.
pub(crate) fn registration_support(blocks: usize, bytes: usize) -> Result<(), Unsupported> {
    let registered = || {
        let (reader, writer) = super::super::pipe::pair()?;
        let mut streams = Streams::over_pipes(&writer, &reader)?;
        let mut memory = vec![0xff; bytes.max(1)];
        (0..blocks).try_for_each(|_| streams.register(&mut memory))
    };
    registered().map_err(|error| {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Memlock).current;
        let limit = limit.map_or("unlimited".into(), |bytes| format!("{bytes} B"));
        Unsupported::because(format!(
            "cannot register {blocks} times {bytes} B ({error}): RLIMIT_MEMLOCK (ulimit -l) is {limit}"
        ))
    })
}
