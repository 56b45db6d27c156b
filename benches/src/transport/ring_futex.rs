//! `ring-futex`: two single-producer single-consumer byte rings in shared memory, one each way. A reader of an
//! empty ring, and a writer of a full one, sleep on a futex.
//!
//! # Memory order
//! `written` and `read` count bytes modulo 2^31; each has one writer, which sets the top bit when it leaves. A side publishes with `Release` what the
//! other looks at with `Acquire`. Sleeping is a flag and a re-check: the sleeper raises its flag, then looks
//! again; the other publishes, then looks at the flag. A sequentially consistent fence between the two steps of
//! each side means that at least one of them sees the other (Dekker); the second look is the futex's own, which
//! compares the counter inside the kernel. So no wake-up is lost, and none is sent when nobody sleeps.

use super::{Channel, End, Parts, Transport};
use crate::link::{Link, closed};
use crate::sys::{Unsupported, shared_memory, wake};
use roundtrip_wire::{Slug, TransportInfo};
use shared_memory::Mapping;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering, fence};

/// See the module.
#[derive(Debug)]
pub struct RingFutex;

/// Bytes that one ring holds: a power of two, and that of a Linux pipe, so that the two compare.
const CAPACITY_BYTES: u32 = 64 * 1024;
const RING_BYTES: usize = size_of::<Header>() + CAPACITY_BYTES as usize;

/// Set in a counter once its side is gone. It shares the word, so that leaving, too, changes what a sleeper's
/// futex compares: a flag of its own could be set between a sleeper's look and its sleep.
const GONE: u32 = 1 << 31;

/// Counters of one ring, those of the two sides on cache lines of their own (two lines, because processors
/// fetch them in pairs).
#[repr(C, align(4096))]
struct Header {
    producer: Side,
    consumer: Side,
}

#[repr(C, align(128))]
struct Side {
    /// Bytes this side has written or read, modulo 2^31, and [`GONE`]. The futex of who waits for this side.
    count: AtomicU32,
    /// 1 while this side sleeps, or is about to.
    sleeps: AtomicU32,
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

    fn support(&self) -> Result<(), Unsupported> {
        shared_memory::support().and_then(|()| wake::support())
    }

    fn open(&self) -> io::Result<Channel> {
        // Zeroed memory is two empty rings.
        let memory = shared_memory::create(2 * RING_BYTES)?;
        Ok(Channel {
            initiator: Parts::of([memory.try_clone()?]),
            responder: Parts::of([memory]),
            folder: None,
        })
    }

    fn connect(&self, end: End, parts: Parts) -> io::Result<Box<dyn Link>> {
        let [memory] = parts.take()?;
        let mapping = Mapping::new(&memory, 2 * RING_BYTES)?;
        let (there, back) = (Ring::at(&mapping, 0), Ring::at(&mapping, RING_BYTES));
        Ok(Box::new(match end {
            End::Initiator => RingLink { outgoing: there, incoming: back, _mapping: mapping },
            End::Responder => RingLink { outgoing: back, incoming: there, _mapping: mapping },
        }))
    }
}

struct RingLink {
    outgoing: Ring,
    incoming: Ring,
    /// Keeps the memory of both rings.
    _mapping: Mapping,
}

/// One ring inside a mapping that outlives it.
struct Ring {
    header: NonNull<Header>,
    data: NonNull<u8>,
}

// SAFETY: a ring is used by one thread at a time; the other side goes through the atomics of the header, and
// through the parts of `data` that these give it.
#[expect(unsafe_code, reason = "a link may move to another thread before it is used")]
unsafe impl Send for Ring {}

impl Ring {
    /// The ring that begins this many bytes into the mapping.
    #[expect(unsafe_code, reason = "structures over shared memory")]
    fn at(mapping: &Mapping, offset: usize) -> Self {
        assert!(offset + RING_BYTES <= mapping.bytes() && offset.is_multiple_of(align_of::<Header>()));
        // SAFETY: the assertion keeps both addresses inside the mapping, and the header aligned: mappings begin
        // at a page.
        unsafe {
            let header = mapping.address().add(offset);
            Self { header: header.cast(), data: header.add(size_of::<Header>()) }
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
        let mut written = producer.count.load(Ordering::Relaxed);
        while !message.is_empty() {
            let read = wait_until(consumer, producer, |read| distance(read, written) < CAPACITY_BYTES)?;
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
            written = advance(written, length);
            publish(producer, consumer, written);
            message = &message[length..];
        }
        Ok(())
    }

    /// Fills the buffer, in pieces as bytes appear.
    #[expect(unsafe_code, reason = "copies out of shared memory")]
    fn read(&self, buffer: &mut [u8]) -> io::Result<()> {
        let Header { producer, consumer } = self.header();
        let mut read = consumer.count.load(Ordering::Relaxed);
        let mut filled = 0;
        while filled < buffer.len() {
            let written = wait_until(producer, consumer, |written| written != read)?;
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
            read = advance(read, length);
            publish(consumer, producer, read);
            filled += length;
        }
        Ok(())
    }

    /// Tells the other side, asleep or not, that this one is gone.
    fn leave(&self, us: &Side) {
        us.count.fetch_or(GONE, Ordering::SeqCst);
        wake::wake_one(&us.count);
    }
}

/// Bytes from one counter to a later one.
#[inline]
fn distance(from: u32, to: u32) -> u32 {
    to.wrapping_sub(from) & !GONE
}

/// A counter after a piece of this length.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a piece is at most CAPACITY_BYTES")]
fn advance(count: u32, length: usize) -> u32 {
    count.wrapping_add(length as u32) & !GONE
}

/// Waits until the other side's counter is as wanted, and returns it.
#[inline]
fn wait_until(other: &Side, us: &Side, wanted: impl Fn(u32) -> bool) -> io::Result<u32> {
    loop {
        let seen = other.count.load(Ordering::Acquire);
        if wanted(seen & !GONE) {
            return Ok(seen & !GONE);
        }
        if seen & GONE != 0 {
            return Err(closed());
        }
        us.sleeps.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        // Sleeps only if the word, leaving included, is still what was looked at above.
        wake::wait(&other.count, seen);
        us.sleeps.store(0, Ordering::Relaxed);
    }
}

/// Publishes this side's counter, and wakes the other side if it sleeps on it.
#[inline]
fn publish(us: &Side, other: &Side, count: u32) {
    us.count.store(count, Ordering::Release);
    fence(Ordering::SeqCst);
    if other.sleeps.load(Ordering::Relaxed) == 1 {
        wake::wake_one(&us.count);
    }
}

impl Link for RingLink {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.outgoing.write(message)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        self.incoming.read(buffer)
    }
}

impl Drop for RingLink {
    fn drop(&mut self) {
        self.outgoing.leave(&self.outgoing.header().producer);
        self.incoming.leave(&self.incoming.header().consumer);
    }
}
