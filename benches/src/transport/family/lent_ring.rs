//! Memory lent over the shared-memory ring ([`crate::ring`]): a message stays where its sender wrote it, and the ring
//! carries its place.
//!
//! A receiver that holds a message has not passed its position in the ring, so the ring's positions also tell when the
//! sender may write there again. A receiver that dies holds nothing.

use super::ring::RingTransport;
use crate::link::buffers::Buffers;
use crate::link::{self, Link, Receiver, Sender, closed};
use crate::memory::Memory;
use crate::ring;
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use crate::sys::shared_memory::{self, Mapping};
use crate::transport::{About, Channel, ChannelSpec, End, Manner, Parts, Transport};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::rc::Rc;

/// The ring with one mechanism for sleeping, for places instead of messages.
#[derive(Debug)]
pub(crate) struct LentRing(RingTransport);

/// The slots of a ring then stay in the cache nearest to the processor. A sender waits for its last message before it writes
/// to the same memory again, so few messages are on their way.
const SLOTS: u64 = 64;

impl LentRing {
    pub(in crate::transport) const fn new(ring: RingTransport) -> Self {
        Self(ring.with_slots(SLOTS))
    }
}

impl Transport for LentRing {
    fn about(&self) -> About {
        let mut about = self.0.about();
        about.info.semantics = "Shared memory that both ends map. The receiver reads a message where the sender wrote it, and \
                                then releases it; a ring in shared memory carries its place each way. Nothing is copied, and no \
                                page is touched while timed."
            .into();
        about
    }

    fn manner(&self) -> Manner {
        self.0.manner()
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        self.0.support(&of_places(channel))
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let Channel { mut initiator, mut responder, folder, objects } = self.0.open(&of_places(channel))?;
        let memory = shared_memory::create(2 * Regions::bytes_of(channel))?;
        initiator.handles.push(memory.try_clone()?);
        responder.handles.push(memory);
        Ok(Channel { initiator, responder, folder, objects })
    }

    fn connect(&self, end: End, mut parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let memory = parts.handles.pop().ok_or_else(|| io::Error::other("no memory for messages passed"))?;
        let (sender, receiver) = self.0.join(end, parts, &of_places(channel))?;
        let bytes = Regions::bytes_of(channel);
        let own = match end {
            End::Initiator => 0..bytes,
            End::Responder => bytes..2 * bytes,
        };
        let regions = Regions { all: Rc::new(Mapping::new(&memory, 2 * bytes)?), memory, own, lent: None };
        let all = Rc::clone(&regions.all);
        Ok(Link::new(
            LentSender { ring: sender, regions },
            LentReceiver { ring: receiver, all },
            Buffers::default(),
        ))
    }
}

/// The channel of the rings.
fn of_places(channel: &ChannelSpec) -> ChannelSpec {
    ChannelSpec { message_bytes: Place::BYTES_MAX, ..*channel }
}

/// Shared memory for messages: one region for each end, which only that end writes.
struct Regions {
    memory: Handle,
    all: Rc<Mapping>,
    own: Range<usize>,
    /// The addresses of the first half of the own region, once it is allocated. The other half is for copies.
    lent: Option<Range<usize>>,
}

impl Regions {
    fn bytes_of(channel: &ChannelSpec) -> usize {
        2 * Self::half_bytes(channel.message_bytes)
    }

    fn half_bytes(message_bytes: usize) -> usize {
        message_bytes.max(1).next_multiple_of(PAGE_BYTES)
    }

    /// Returns the offset of a message that is in either region.
    fn offset_of(&self, message: &[u8]) -> Option<usize> {
        let address = message.as_ptr().addr();
        let all = self.all.address().as_ptr().addr();
        let lent = self.lent.as_ref().filter(|lent| lent.contains(&address));
        lent.map(|lent| self.own.start + address - lent.start)
            .or_else(|| (all..all + self.all.bytes()).contains(&address).then(|| address - all))
    }
}

const PAGE_BYTES: usize = 4_096;

/// What the ring carries: where a message is, or the message itself if that is as short.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    Here { bytes: usize },
    At { offset: usize, bytes: usize },
}

impl Place {
    /// A slot and its header then fill a cache line.
    const BYTES_MAX: usize = 48;
    const PLACE_BYTES: usize = 16;
    /// The first byte of a message that is itself in the ring.
    const HERE: u8 = u8::MAX;
    const HERE_BYTES_MAX: usize = 8;

    fn encode(offset: usize, bytes: usize) -> [u8; Self::PLACE_BYTES] {
        let mut encoded = [0; Self::PLACE_BYTES];
        encoded[..8].copy_from_slice(&(offset as u64).to_le_bytes());
        encoded[8..].copy_from_slice(&(bytes as u64).to_le_bytes());
        encoded
    }

    fn decode(encoded: &[u8]) -> Option<Self> {
        if let Some((&Self::HERE, message)) = encoded.split_first()
            && encoded.len() != Self::PLACE_BYTES
        {
            return Some(Self::Here { bytes: message.len() });
        }
        let (offset, bytes) = encoded.split_at_checked(8)?;
        let number = |encoded: &[u8]| usize::try_from(u64::from_le_bytes(encoded.try_into().ok()?)).ok();
        Some(Self::At { offset: number(offset)?, bytes: number(bytes)? })
    }
}

struct LentSender {
    ring: ring::Sender,
    regions: Regions,
}

impl Sender for LentSender {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        if let Some(offset) = self.regions.offset_of(message) {
            return self.ring.send(&Place::encode(offset, message.len())).map_err(|_| closed());
        }
        if message.len() <= Place::HERE_BYTES_MAX {
            let mut here = [Place::HERE; 1 + Place::HERE_BYTES_MAX];
            here[1..=message.len()].copy_from_slice(message);
            return self.ring.send(&here[..=message.len()]).map_err(|_| closed());
        }
        self.send_copy(message)
    }

    fn allocate(&mut self, bytes: usize) -> io::Result<Memory> {
        let Regions { memory, own, lent, .. } = &mut self.regions;
        let half_bytes = own.len() / 2;
        if lent.is_some() || bytes > half_bytes {
            return Ok(Memory::heap(bytes));
        }
        let mapping = Mapping::part(memory, own.start, half_bytes)?;
        let start = mapping.address().as_ptr().addr();
        *lent = Some(start..start + half_bytes);
        Ok(Memory::Shared { mapping, bytes })
    }

    fn reclaim(&mut self) -> io::Result<()> {
        self.ring.wait_until_released();
        Ok(())
    }
}

impl LentSender {
    /// Sends a message from other memory. An earlier copy may still be in use.
    #[expect(unsafe_code, reason = "copies into shared memory")]
    fn send_copy(&mut self, message: &[u8]) -> io::Result<()> {
        self.reclaim()?;
        let own = &self.regions.own;
        let offset = own.start + own.len() / 2;
        if message.len() > own.len() / 2 {
            let most = own.len() / 2;
            return Err(io::Error::other(format!(
                "message of {} B exceeds the region of {most} B",
                message.len()
            )));
        }
        // SAFETY: it fits the second half of this end's region, which no one reads now.
        unsafe {
            let to = self.regions.all.address().add(offset);
            std::ptr::copy_nonoverlapping(message.as_ptr(), to.as_ptr(), message.len());
        }
        self.ring.send(&Place::encode(offset, message.len())).map_err(|_| closed())
    }
}

struct LentReceiver {
    ring: ring::Receiver,
    all: Rc<Mapping>,
}

impl Receiver for LentReceiver {
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let found = self.ring.receive().map_err(|_| closed())?;
        let place = Place::decode(found).ok_or_else(|| io::Error::from(ErrorKind::InvalidData))?;
        let (Place::Here { bytes } | Place::At { bytes, .. }) = place;
        if bytes != buffer.len() {
            return Err(link::unexpected_length(bytes, buffer.len()));
        }
        let Place::At { offset, .. } = place else {
            buffer.copy_from_slice(&found[1..]);
            return Ok(buffer);
        };
        // It comes from another process.
        let message = offset.checked_add(bytes).and_then(|end| self.all.contents().get(offset..end));
        message.ok_or_else(|| io::Error::from(ErrorKind::InvalidData))
    }

    fn release(&mut self) {
        self.ring.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_is_distinguished_from_a_short_message() {
        for (offset, bytes) in [(0, 0), (255, 1), (usize::MAX, 64), (4_096, 1 << 20)] {
            assert_eq!(Place::decode(&Place::encode(offset, bytes)), Some(Place::At { offset, bytes }));
        }
        for bytes in 0..=Place::HERE_BYTES_MAX {
            let here = [Place::HERE; 1 + Place::HERE_BYTES_MAX];
            assert_eq!(Place::decode(&here[..=bytes]), Some(Place::Here { bytes }));
        }
        assert_eq!(Place::decode(&[]), None);
        assert_eq!(Place::decode(&[1, 2, 3]), None);
    }
}
