//! Memory passed by reference: the sender lends it, the receiver gives it back.
//!
//! Memory from `allocate` is passed without copying; other memory is first copied to memory of the link. Passed memory
//! must not be written before the receiver has released it: [`Lent`] counts messages out, and a [`Counter`] in shared
//! memory counts them back.

use super::counter::{Counter, advance};
use super::{Receiver, closed};
use crate::memory::Memory;
use crate::sys::handle::Handle;
use crate::sys::shared_memory::{self, Mapping};
use std::io;
use std::rc::Rc;

/// The page that both ends share: the number of returned messages per end.
const PAGE_BYTES: usize = 4096;

/// Creates the zeroed page of a channel: one [`Counter`] per end.
pub(crate) fn page() -> io::Result<Handle> {
    shared_memory::create(PAGE_BYTES)
}

#[derive(Clone)]
pub(crate) struct Returns {
    page: Rc<Mapping>,
    ours: usize,
}

impl Returns {
    pub(crate) fn new(page: &Handle, first: bool) -> io::Result<Self> {
        Ok(Self { page: Rc::new(Mapping::new(page, PAGE_BYTES)?), ours: usize::from(!first) })
    }

    #[expect(unsafe_code, reason = "structures over shared memory")]
    fn counter(&self, index: usize) -> &Counter {
        // SAFETY: two counters fit a page, which is aligned; all their fields are atomics, and zeroes are valid.
        unsafe { &*self.page.address().cast::<Counter>().as_ptr().add(index) }
    }

    fn ours(&self) -> &Counter {
        self.counter(self.ours)
    }

    fn theirs(&self) -> &Counter {
        self.counter(1 - self.ours)
    }

    /// Reports to the other end that one more of its messages is released.
    #[inline]
    pub(crate) fn release_one(&self) {
        self.ours().publish(self.theirs(), advance(self.ours().own(), 1));
    }

    /// Waits until the other end has returned this many messages in all.
    #[inline]
    fn wait_for(&self, count: u32) -> io::Result<()> {
        self.theirs().wait_until(self.ours(), |returned| returned == count).map(|_| ())
    }

    pub(crate) fn leave(&self) {
        self.ours().leave();
    }
}

pub(crate) struct Lent {
    regions: Vec<Region>,
    staging: Option<(Memory, Region)>,
    returns: Returns,
    passed: u32,
}

struct Region {
    start: usize,
    bytes: usize,
    /// The mapped object; `None` for memory that is passed by address.
    object: Option<Handle>,
}

impl Region {
    fn holds(&self, message: &[u8]) -> bool {
        let start = message.as_ptr().addr();
        start >= self.start && start + message.len() <= self.start + self.bytes
    }
}

/// A message's position: an address in this process, and an offset in an object.
pub(crate) struct Located<'a> {
    pub(crate) object: Option<&'a Handle>,
    pub(crate) offset: usize,
    /// The bytes, owned by the link or the caller.
    pub(crate) bytes: &'a [u8],
}

impl Lent {
    pub(crate) fn new(returns: Returns) -> Self {
        Self { regions: Vec::new(), staging: None, returns, passed: 0 }
    }

    /// Allocates memory backed by an object, which can be passed as a descriptor or spliced.
    pub(crate) fn allocate_shared(&mut self, bytes: usize) -> io::Result<Memory> {
        let (memory, region) = shared(bytes)?;
        self.regions.push(region);
        Ok(memory)
    }

    /// Allocates memory of this process, which can be passed as an address.
    pub(crate) fn allocate_heap(&mut self, bytes: usize) -> Memory {
        let memory = Memory::heap(bytes);
        self.regions.push(Region { start: memory.as_ptr().addr(), bytes, object: None });
        memory
    }

    /// Locates a message in the memory of this link, copying it there if necessary, and counts it out. Fails if the
    /// system has no memory for the copy, or the other end is gone.
    #[inline]
    pub(crate) fn locate<'a>(&'a mut self, message: &'a [u8]) -> io::Result<Located<'a>> {
        if let Some(index) = self.regions.iter().position(|region| region.holds(message)) {
            self.passed = advance(self.passed, 1);
            let region = &self.regions[index];
            let offset = message.as_ptr().addr() - region.start;
            return Ok(Located { object: region.object.as_ref(), offset, bytes: message });
        }
        self.stage(message)
    }

    /// Waits first, because an earlier copy may still be in use.
    fn stage(&mut self, message: &[u8]) -> io::Result<Located<'_>> {
        self.reclaim()?;
        if self.staging.as_ref().is_none_or(|(memory, _)| memory.len() < message.len()) {
            self.staging = Some(shared(message.len())?);
        }
        let Some((memory, region)) = &mut self.staging else { return Err(closed()) };
        memory[..message.len()].copy_from_slice(message);
        self.passed = advance(self.passed, 1);
        Ok(Located { object: region.object.as_ref(), offset: 0, bytes: &memory[..message.len()] })
    }

    /// Counts a message out that is not in this link's memory: one that returns to its origin.
    #[inline]
    pub(crate) fn count_out(&mut self) {
        self.passed = advance(self.passed, 1);
    }

    /// Waits until no message is out. Fails if the other end is gone.
    #[inline]
    pub(crate) fn reclaim(&mut self) -> io::Result<()> {
        self.returns.wait_for(self.passed)
    }
}

fn shared(bytes: usize) -> io::Result<(Memory, Region)> {
    let object = shared_memory::create(bytes.max(1))?;
    let mut mapping = Mapping::new(&object, bytes.max(1))?;
    mapping.contents_mut().fill(0xff);
    let start = mapping.address().as_ptr().addr();
    Ok((Memory::Shared { mapping, bytes }, Region { start, bytes, object: Some(object) }))
}

/// A receiver that copies, so that a message is released as soon as it has been received.
pub(crate) struct ReturningReceiver<R> {
    inner: R,
    returns: Returns,
}

impl<R> ReturningReceiver<R> {
    pub(crate) fn new(inner: R, returns: Returns) -> Self {
        Self { inner, returns }
    }
}

impl<R: Receiver> Receiver for ReturningReceiver<R> {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let message = self.inner.receive(buffer)?;
        self.returns.release_one();
        Ok(message)
    }
}

impl<R> Drop for ReturningReceiver<R> {
    fn drop(&mut self) {
        self.returns.leave();
    }
}
