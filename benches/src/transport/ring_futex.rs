//! `ring-futex`: two single-producer single-consumer byte rings in shared memory, one each way. A reader of an
//! empty ring, and a writer of a full one, sleep on a futex.
//!
//! `written` and `read` count bytes modulo 2^31, each a [`Counter`] of its side, which also says how waiting and waking
//! fit together.

use super::{Channel, ChannelSpec, End, Parts, Transport};
use crate::link::buffers::Buffers;
use crate::link::counter::{Counter, advance, distance};
use crate::link::{Link, Receiver, Sender};
use crate::sys::{Unsupported, shared_memory, wake};
use roundtrip_wire::{Slug, TransportInfo};
use shared_memory::Mapping;
use std::io;
use std::ptr::NonNull;
use std::rc::Rc;

/// See the module.
#[derive(Debug)]
pub struct RingFutex;

/// Bytes that one ring holds: a power of two, and that of a Linux pipe, so that the two compare.
const CAPACITY_BYTES: u32 = 64 * 1024;
const RING_BYTES: usize = size_of::<Header>() + CAPACITY_BYTES as usize;

/// How far each side of one ring is.
#[repr(C, align(4096))]
struct Header {
    producer: Counter,
    consumer: Counter,
}

impl Transport for RingFutex {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name("ring-futex"),
            title: "Shared-memory ring, futex".into(),
            family: Slug::from_name("shared-memory"),
            semantics: "Two byte rings of 64 KiB in shared memory, one each way. A message is copied into the \
                        ring and out of it; who must wait sleeps on a futex at once, and is woken only if asleep."
                .into(),
            control: false,
        }
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty().and_then(|()| channel.default_buffer())?;
        shared_memory::support().and_then(|()| wake::support())
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        // Zeroed memory is two empty rings.
        let memory = shared_memory::create(2 * RING_BYTES)?;
        Ok(Channel {
            initiator: Parts::of([memory.try_clone()?]),
            responder: Parts::of([memory]),
            folder: None,
        })
    }

    fn connect(&self, end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        let [memory] = parts.take()?;
        let mapping = Rc::new(Mapping::new(&memory, 2 * RING_BYTES)?);
        let (there, back) = (Ring::at(&mapping, 0), Ring::at(&mapping, RING_BYTES));
        let (outgoing, incoming) = match end {
            End::Initiator => (there, back),
            End::Responder => (back, there),
        };
        Ok(Link {
            sender: Box::new(RingSender(outgoing)),
            receiver: Box::new(RingReceiver(incoming)),
            buffers: Buffers::default(),
        })
    }
}

/// One ring.
struct Ring {
    header: NonNull<Header>,
    data: NonNull<u8>,
    /// Keeps the memory of both rings.
    _mapping: Rc<Mapping>,
}

impl Ring {
    /// The ring that begins this many bytes into the mapping.
    #[expect(unsafe_code, reason = "structures over shared memory")]
    fn at(mapping: &Rc<Mapping>, offset: usize) -> Self {
        assert!(offset + RING_BYTES <= mapping.bytes() && offset.is_multiple_of(align_of::<Header>()));
        // SAFETY: the assertion keeps both addresses inside the mapping, and the header aligned: mappings begin
        // at a page.
        unsafe {
            let header = mapping.address().add(offset);
            let data = header.add(size_of::<Header>());
            Self { header: header.cast(), data, _mapping: Rc::clone(mapping) }
        }
    }

    #[expect(unsafe_code, reason = "structures over shared memory")]
    fn header(&self) -> &Header {
        // SAFETY: valid and aligned by `at`; all fields are atomics, and zeroes are valid values of them.
        unsafe { self.header.as_ref() }
    }

    /// Writes all of a message, in pieces as room appears.
    #[expect(unsafe_code, reason = "copies into shared memory")]
    fn write(&self, mut message: &[u8]) -> io::Result<()> {
        let Header { producer, consumer } = self.header();
        let mut written = producer.own();
        while !message.is_empty() {
            let read = consumer.wait_until(producer, |read| distance(read, written) < CAPACITY_BYTES)?;
            let room = CAPACITY_BYTES - distance(read, written);
            let start = written % CAPACITY_BYTES;
            let length = (room.min(CAPACITY_BYTES - start) as usize).min(message.len());
            // SAFETY: start + length is within the ring, and the consumer does not touch these bytes until
            // `publish`, because they lie between `written` and `read` + capacity.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    message.as_ptr(),
                    self.data.add(start as usize).as_ptr(),
                    length,
                );
            }
            written = after(written, length);
            producer.publish(consumer, written);
            message = &message[length..];
        }
        Ok(())
    }

    /// Fills the buffer, in pieces as bytes appear.
    #[expect(unsafe_code, reason = "copies out of shared memory")]
    fn read(&self, buffer: &mut [u8]) -> io::Result<()> {
        let Header { producer, consumer } = self.header();
        let mut read = consumer.own();
        let mut filled = 0;
        while filled < buffer.len() {
            let written = producer.wait_until(consumer, |written| written != read)?;
            let start = read % CAPACITY_BYTES;
            let available = distance(read, written).min(CAPACITY_BYTES - start) as usize;
            let length = available.min(buffer.len() - filled);
            // SAFETY: start + length is within the ring, and the producer does not touch these bytes until
            // `publish`, because they lie between `read` and `written`.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    self.data.add(start as usize).as_ptr(),
                    buffer[filled..].as_mut_ptr(),
                    length,
                );
            }
            read = after(read, length);
            consumer.publish(producer, read);
            filled += length;
        }
        Ok(())
    }
}

/// A count after a piece of this length.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a piece is at most CAPACITY_BYTES")]
fn after(count: u32, length: usize) -> u32 {
    advance(count, length as u32)
}

struct RingSender(Ring);

impl Sender for RingSender {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.0.write(message)
    }
}

impl Drop for RingSender {
    fn drop(&mut self) {
        self.0.header().producer.leave();
    }
}

struct RingReceiver(Ring);

impl Receiver for RingReceiver {
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        self.0.read(buffer)?;
        Ok(buffer)
    }
}

impl Drop for RingReceiver {
    fn drop(&mut self) {
        self.0.header().consumer.leave();
    }
}
