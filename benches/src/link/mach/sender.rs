//! [`MachSender`]: sends messages, inline or out of line, and rights.

use super::inbox::FRAME_BYTES_FIRST;
use super::right::Right;
use crate::link::Sender;
use crate::memory::Memory;
use crate::sys::mach::Kernel;
use crate::sys::mach::exchange::deliver;
use crate::sys::mach::frame::Frame;
use crate::sys::mach::message::{self, Copying, Destination, OUT_OF_LINE_BYTES, PAYLOAD, RIGHT_BYTES};
use crate::sys::mach::port::SendRight;
use std::io;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carriage {
    Inline,
    OutOfLine(Copying),
}

pub(crate) struct MachSender<K: Kernel> {
    kernel: K,
    peer: SendRight<K>,
    carriage: Carriage,
    frame: Frame,
}

impl<K: Kernel> MachSender<K> {
    pub(super) fn new(kernel: &K, peer: SendRight<K>, carriage: Carriage) -> Self {
        let bytes = match carriage {
            Carriage::Inline => FRAME_BYTES_FIRST,
            Carriage::OutOfLine(_) => OUT_OF_LINE_BYTES,
        };
        Self { kernel: kernel.clone(), peer, carriage, frame: Frame::new(bytes, kernel.page_bytes()) }
    }

    /// Copies the payload into the message, which is part of the cost of sending inline, and sends it.
    #[inline]
    #[expect(unsafe_code, reason = "a message may describe memory")]
    fn send_inline(&mut self, payload: &[u8]) -> io::Result<()> {
        let (to, bytes) = (Destination::Peer(self.peer.name()), message::inline_bytes(payload.len()));
        self.frame.grow(bytes);
        let message = &mut self.frame[..bytes];
        message[PAYLOAD..PAYLOAD + payload.len()].copy_from_slice(payload);
        // SAFETY: it has no memory. An unsent message comes back with its payload unchanged.
        unsafe { deliver(&self.kernel, message, |message| message::put_inline(message, to, payload.len())) }
    }

    #[inline]
    #[expect(unsafe_code, reason = "a message describes memory")]
    fn send_out_of_line(&mut self, memory: &[u8], copying: Copying) -> io::Result<()> {
        let to = Destination::Peer(self.peer.name());
        let put = |message: &mut [u8]| message::put_out_of_line(message, to, memory, copying);
        // SAFETY: the memory is borrowed until then.
        unsafe { deliver(&self.kernel, &mut self.frame[..OUT_OF_LINE_BYTES], put) }
    }

    #[inline]
    #[expect(unsafe_code, reason = "a message may describe memory")]
    pub(crate) fn send_right(&mut self, right: &Right<K>) -> io::Result<()> {
        let (to, right) = (Destination::Peer(self.peer.name()), right.name());
        self.frame.grow(RIGHT_BYTES);
        let message = &mut self.frame[..RIGHT_BYTES];
        // SAFETY: it has no memory.
        unsafe { deliver(&self.kernel, message, |message| message::put_right(message, to, right)) }
    }
}

impl<K: Kernel> Sender for MachSender<K> {
    #[inline]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        match self.carriage {
            Carriage::Inline => self.send_inline(message),
            Carriage::OutOfLine(copying) => self.send_out_of_line(message, copying),
        }
    }

    fn allocate(&mut self, bytes: usize) -> io::Result<Memory> {
        Ok(match self.carriage {
            Carriage::Inline => Memory::heap(bytes),
            Carriage::OutOfLine(_) => paged(bytes, self.kernel.page_bytes()),
        })
    }
}

/// Memory that begins at a page boundary of the system, so that its pages can be mapped directly. [`Memory::heap`] uses
/// pages of 4 KiB; those on Apple silicon have 16.
fn paged(bytes: usize, page_bytes: usize) -> Memory {
    // Up to the end of the last page, so that it holds no other data that would be copied on write.
    let whole = vec![0xff; bytes.next_multiple_of(page_bytes) + page_bytes];
    let start = whole.as_ptr().align_offset(page_bytes);
    Memory::Heap { used: start..start + bytes, whole }
}
