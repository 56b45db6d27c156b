//! A message is a memory object, passed as a descriptor over a Unix record socket and mapped by the receiver.

use super::out_of_line::{Lent, Returns};
use super::{Receiver, Sender, handle, unexpected_length};
use crate::memory::Memory;
use crate::sys::handle::Handle;
use crate::sys::shared_memory::Mapping;
use std::cell::RefCell;
use std::hint::black_box;
use std::io;
use std::ops::Range;
use std::rc::Rc;

/// Reading one byte of each page makes all pages of a mapping present.
const PAGE_BYTES: usize = 4096;

/// The object that the receiver holds now, so that the sender can pass it back unchanged.
type Held = Rc<RefCell<Option<(Range<usize>, Handle)>>>;

/// Both halves over one socket. `reads_every_page`: whether receiving includes reading each page.
pub(crate) fn halves(
    socket: Handle,
    returns: Returns,
    reads_every_page: bool,
) -> io::Result<(MemfdSender, MemfdReceiver)> {
    let held = Held::default();
    let reader = socket.try_clone()?;
    Ok((
        MemfdSender { socket, lent: Lent::new(returns.clone()), held: Rc::clone(&held) },
        MemfdReceiver { socket: reader, returns, held, mapping: None, reads_every_page },
    ))
}

/// A message's position in the object, sent with the descriptor.
struct Place {
    offset: usize,
    bytes: usize,
}

impl Place {
    const BYTES: usize = 16;

    fn encode(&self) -> [u8; Self::BYTES] {
        let mut encoded = [0; Self::BYTES];
        encoded[..8].copy_from_slice(&(self.offset as u64).to_le_bytes());
        encoded[8..].copy_from_slice(&(self.bytes as u64).to_le_bytes());
        encoded
    }

    fn decode(encoded: [u8; Self::BYTES]) -> io::Result<Self> {
        let [offset, bytes] = [0, 8].map(|at| {
            let number = encoded[at..at + 8].try_into().map(u64::from_le_bytes);
            number.ok().and_then(|number| usize::try_from(number).ok())
        });
        let (Some(offset), Some(bytes)) = (offset, bytes) else {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        };
        Ok(Self { offset, bytes })
    }
}

pub(crate) struct MemfdSender {
    socket: Handle,
    lent: Lent,
    held: Held,
}

impl Sender for MemfdSender {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        let start = message.as_ptr().addr();
        if let Some((range, object)) = &*self.held.borrow()
            && range.contains(&start)
        {
            let place = Place { offset: start - range.start, bytes: message.len() };
            self.lent.count_out();
            return handle::send_with(&self.socket, object, &place.encode());
        }
        let located = self.lent.locate(message)?;
        let place = Place { offset: located.offset, bytes: message.len() };
        let object = located.object.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        handle::send_with(&self.socket, object, &place.encode())
    }

    fn allocate(&mut self, bytes: usize) -> io::Result<Memory> {
        self.lent.allocate_shared(bytes)
    }

    fn reclaim(&mut self) -> io::Result<()> {
        self.lent.reclaim()
    }
}

pub(crate) struct MemfdReceiver {
    socket: Handle,
    returns: Returns,
    held: Held,
    mapping: Option<Mapping>,
    reads_every_page: bool,
}

impl Receiver for MemfdReceiver {
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        self.release();
        let mut encoded = [0; Place::BYTES];
        let object = handle::receive_with(&self.socket, &mut encoded)?;
        let Place { offset, bytes } = Place::decode(encoded)?;
        if bytes != buffer.len() {
            return Err(unexpected_length(bytes, buffer.len()));
        }
        let mapping = self.mapping.insert(Mapping::untouched(&object, offset + bytes)?);
        let start = mapping.address().as_ptr().addr();
        *self.held.borrow_mut() = Some((start..start + mapping.bytes(), object));
        let message = &mapping.contents()[offset..];
        if self.reads_every_page {
            black_box(message.iter().step_by(PAGE_BYTES).fold(0, |sum: u8, &byte| sum.wrapping_add(byte)));
        }
        Ok(message)
    }

    fn release(&mut self) {
        if self.mapping.take().is_some() {
            self.held.borrow_mut().take();
            self.returns.release_one();
        }
    }
}

impl Drop for MemfdReceiver {
    fn drop(&mut self) {
        self.release();
        self.returns.leave();
    }
}
