//! Messages in the simulated kernel: copying from a sender and to a receiver.

use super::super::{Code, Name, Trailer, abi};
use super::State;
use super::ports::PortId;
use std::alloc::{Layout, alloc, dealloc};
use std::ops::Range;
use std::ptr::NonNull;

/// Page size, as on Apple silicon.
pub(super) const PAGE_BYTES: usize = 16_384;
/// Physical copies up to this size are not counted (XNU's `msg_ool_size_small`).
const SMALL_BYTES: usize = 32 << 10;
/// Fills unmapped memory.
const GONE: u8 = 0xdd;

#[derive(Debug)]
pub(super) struct QueuedMessage {
    /// The kind of the destination's right in transit.
    pub(super) disposition: u8,
    port: Option<PortId>,
    reply: Option<(PortId, u8)>,
    is_complex: bool,
    id: i32,
    /// The whole message; the header and descriptors in it are not used.
    raw: Vec<u8>,
    items: Vec<Item>,
    user: u32,
}

/// The content of a descriptor.
#[derive(Debug)]
enum Item {
    Right(PortId, u8),
    /// A name without a right, which is passed unchanged.
    Name(Name, u8),
    Memory {
        contents: Vec<u8>,
        copy: u8,
    },
}

impl Item {
    fn bytes(&self) -> usize {
        match self {
            Self::Right(..) | Self::Name(..) => abi::RIGHT_BYTES,
            Self::Memory { .. } => abi::MEMORY_BYTES,
        }
    }
}

/// Memory of a process that came with a message.
#[derive(Debug)]
pub(crate) struct Region {
    address: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the region owns the memory.
#[expect(unsafe_code, reason = "memory by its address")]
unsafe impl Send for Region {}

#[expect(unsafe_code, reason = "memory by its address")]
impl Region {
    fn new(contents: &[u8]) -> Self {
        let layout = Self::layout(contents.len());
        // SAFETY: the layout is not empty, because no region is.
        let Some(address) = NonNull::new(unsafe { alloc(layout) }) else {
            std::alloc::handle_alloc_error(layout)
        };
        // SAFETY: the memory is new and has this size.
        unsafe { address.copy_from_nonoverlapping(NonNull::from(contents).cast(), contents.len()) };
        Self { address, bytes: contents.len() }
    }

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, PAGE_BYTES).expect("a page is a power of two").pad_to_align()
    }
}

#[expect(unsafe_code, reason = "memory by its address")]
impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the memory has this length and belongs only to this region; a stale reader will see the fill byte.
        unsafe {
            self.address.write_bytes(GONE, self.bytes);
            dealloc(self.address.as_ptr(), Self::layout(self.bytes));
        }
    }
}

impl QueuedMessage {
    pub(super) fn bytes(&self) -> usize {
        self.raw.len()
    }

    pub(super) fn no_senders(rights_made: u32) -> Self {
        let mut raw = vec![0; abi::NO_SENDERS_BYTES];
        raw[abi::NO_SENDERS_BYTES - 4..].copy_from_slice(&rights_made.to_ne_bytes());
        Self {
            disposition: abi::MOVE_SEND_ONCE,
            port: None,
            reply: None,
            is_complex: false,
            id: abi::NO_SENDERS,
            raw,
            items: Vec::new(),
            user: 0,
        }
    }
}

fn word(bytes: &[u8], at: &Range<usize>) -> u32 {
    u32::from_ne_bytes(bytes[at.clone()].try_into().expect("four bytes"))
}

fn put(bytes: &mut [u8], at: Range<usize>, word: u32) {
    bytes[at].copy_from_slice(&word.to_ne_bytes());
}

fn is_send(disposition: u8) -> bool {
    (abi::MOVE_SEND..=abi::MAKE_SEND_ONCE).contains(&disposition)
}

impl State {
    /// Takes a message from a process, with its rights and its memory.
    ///
    /// # Safety
    /// Out-of-line memory in the message is readable.
    #[expect(unsafe_code, reason = "memory by its address")]
    pub(super) unsafe fn copy_in(
        &mut self,
        task: u32,
        message: &[u8],
    ) -> Result<(QueuedMessage, PortId), Code> {
        if message.len() < abi::HEADER_BYTES || !message.len().is_multiple_of(4) {
            return Err(Code::SEND_MSG_TOO_SMALL);
        }
        if message.len() > abi::MESSAGE_BYTES_MAX {
            return Err(Code::SEND_TOO_LARGE);
        }
        let bits = word(message, &abi::BITS) & abi::USER_BITS;
        let is_complex = bits & abi::COMPLEX != 0;
        let descriptors = if is_complex { descriptors(message)? } else { Vec::new() };
        let disposition = (bits & abi::REMOTE_MASK) as u8;
        let reply = ((bits >> abi::LOCAL_SHIFT) & abi::REMOTE_MASK) as u8;
        let answer_to = Name(word(message, &abi::LOCAL));
        let reply_is_wrong = if reply == 0 { answer_to != Name::NULL } else { !is_send(reply) };
        if !is_send(disposition) || reply_is_wrong || bits >> 16 & abi::REMOTE_MASK != 0 {
            return Err(Code::SEND_INVALID_HEADER);
        }
        let destination = Name(word(message, &abi::REMOTE));
        let (port, disposition) =
            self.copy_in_right(task, destination, disposition).map_err(|_| Code::SEND_INVALID_DEST)?;
        let mut queued = QueuedMessage {
            disposition,
            port: Some(port),
            reply: None,
            is_complex,
            id: word(message, &abi::ID).cast_signed(),
            raw: message.to_vec(),
            items: Vec::new(),
            user: self.task(task).user,
        };
        // SAFETY: the caller's guarantee.
        match unsafe { self.copy_in_body(task, &mut queued, descriptors, (answer_to, reply)) } {
            Ok(()) => Ok((queued, port)),
            Err(code) => {
                self.destroy(queued);
                Err(code)
            }
        }
    }

    #[expect(unsafe_code, reason = "memory by its address")]
    unsafe fn copy_in_body(
        &mut self,
        task: u32,
        queued: &mut QueuedMessage,
        descriptors: Vec<Range<usize>>,
        (answer_to, reply): (Name, u8),
    ) -> Result<(), Code> {
        if answer_to.is_right() {
            queued.reply = Some(self.copy_in_right(task, answer_to, reply)?);
        }
        let mut physical = 0;
        for place in descriptors {
            let descriptor = queued.raw[place].to_vec();
            let item = if descriptor[abi::TYPE] == abi::RIGHT {
                let name = Name(word(&descriptor, &abi::RIGHT_NAME));
                let disposition = descriptor[abi::DISPOSITION];
                if name.is_right() {
                    let copied = self.copy_in_right(task, name, disposition);
                    let (port, sent) = copied.map_err(|_| Code::SEND_INVALID_RIGHT)?;
                    Item::Right(port, sent)
                } else {
                    Item::Name(name, abi::MOVE_SEND)
                }
            } else {
                let address = u64::from_ne_bytes(descriptor[abi::ADDRESS].try_into().expect("eight bytes"));
                let bytes = word(&descriptor, &abi::LENGTH) as usize;
                let copy = descriptor[abi::COPY];
                if copy > abi::VIRTUAL_COPY {
                    return Err(Code::SEND_INVALID_TYPE);
                }
                if copy == abi::PHYSICAL_COPY && bytes > SMALL_BYTES {
                    physical += bytes.next_multiple_of(PAGE_BYTES);
                    if physical > abi::PHYSICAL_BYTES_MAX {
                        return Err(Code::NO_KERNEL_MEMORY);
                    }
                }
                if descriptor[abi::DEALLOCATE] != 0 {
                    self.violations.push("memory was given away, which is not simulated".into());
                }
                let address =
                    std::ptr::with_exposed_provenance::<u8>(usize::try_from(address).expect("64 bits"));
                let contents = if bytes == 0 {
                    Vec::new()
                } else {
                    // SAFETY: the caller's guarantee.
                    unsafe { std::slice::from_raw_parts(address, bytes) }.to_vec()
                };
                Item::Memory { contents, copy }
            };
            queued.items.push(item);
        }
        Ok(())
    }

    /// Gives a message to a process: the header has the right to answer, and the port through which it came.
    pub(super) fn copy_out(
        &mut self,
        task: u32,
        through: Name,
        queued: QueuedMessage,
        number: u32,
        buffer: &mut [u8],
        trailer: Trailer,
    ) {
        let bytes = queued.bytes();
        let user = queued.user;
        let answer_to = queued.reply.map_or((Name::NULL, 0), |(port, disposition)| {
            (self.copy_out_right(task, Some(port), disposition), disposition)
        });
        let came = (through, queued.disposition);
        self.write(task, queued, answer_to, came, buffer);
        let rest = &mut buffer[bytes..bytes + trailer.bytes()];
        rest.fill(0);
        put(rest, abi::TRAILER_SIZE, u32::try_from(trailer.bytes()).expect("small"));
        if trailer == Trailer::Audit {
            put(rest, 8..12, number);
            put(rest, 12..16, user);
            // A token's first user is the login user, the third the real one.
            for (word, value) in [(0, user + 1_000), (1, user), (2, 20), (3, user + 2_000)] {
                put(rest, 20 + 4 * word..24 + 4 * word, value);
            }
        }
    }

    /// Returns a message to its sender, as if received, but with the header as sent.
    pub(super) fn return_to_sender(&mut self, task: u32, queued: QueuedMessage, message: &mut [u8]) {
        let right = queued.disposition;
        let destination = (self.copy_out_right(task, queued.port, right), right);
        let answer_to = queued.reply.map_or((Name::NULL, 0), |(port, disposition)| {
            (self.copy_out_right(task, Some(port), disposition), disposition)
        });
        self.write(task, queued, destination, answer_to, message);
    }

    fn write(
        &mut self,
        task: u32,
        queued: QueuedMessage,
        (remote, remote_is): (Name, u8),
        (local, local_is): (Name, u8),
        buffer: &mut [u8],
    ) {
        let bytes = queued.bytes();
        let buffer = &mut buffer[..bytes];
        buffer.copy_from_slice(&queued.raw);
        let complex = if queued.is_complex { abi::COMPLEX } else { 0 };
        put(buffer, abi::BITS, complex | u32::from(remote_is) | u32::from(local_is) << abi::LOCAL_SHIFT);
        put(buffer, abi::SIZE, u32::try_from(bytes).expect("small"));
        put(buffer, abi::REMOTE, remote.0);
        put(buffer, abi::LOCAL, local.0);
        put(buffer, abi::VOUCHER, 0);
        put(buffer, abi::ID, queued.id.cast_unsigned());
        let mut at = abi::DESCRIPTORS;
        for item in queued.items {
            let descriptor = &mut buffer[at..at + item.bytes()];
            at += descriptor.len();
            descriptor.fill(0);
            match item {
                Item::Right(..) | Item::Name(..) => {
                    let (name, disposition) = match item {
                        Item::Right(port, disposition) => {
                            (self.copy_out_right(task, Some(port), disposition), disposition)
                        }
                        Item::Name(name, disposition) => (name, disposition),
                        Item::Memory { .. } => unreachable!("matched above"),
                    };
                    put(descriptor, abi::RIGHT_NAME, name.0);
                    descriptor[abi::DISPOSITION] = disposition;
                    descriptor[abi::TYPE] = abi::RIGHT;
                }
                Item::Memory { contents, copy } => {
                    let address = self.map(task, &contents);
                    descriptor[abi::ADDRESS].copy_from_slice(&address.to_ne_bytes());
                    descriptor[abi::DEALLOCATE] = u8::from(copy == abi::VIRTUAL_COPY);
                    descriptor[abi::COPY] = copy;
                    descriptor[abi::TYPE] = abi::MEMORY;
                    put(descriptor, abi::LENGTH, u32::try_from(contents.len()).expect("small"));
                }
            }
        }
    }

    /// Maps memory at a new address; empty memory has none.
    fn map(&mut self, task: u32, contents: &[u8]) -> u64 {
        if contents.is_empty() {
            return 0;
        }
        let region = Region::new(contents);
        let address = region.address.as_ptr().expose_provenance() as u64;
        self.task(task).regions.insert(address, region);
        address
    }

    pub(super) fn unmap(&mut self, task: u32, address: u64, bytes: usize) -> Result<(), Code> {
        let regions = &mut self.task(task).regions;
        if regions.get(&address).is_none_or(|region| region.bytes != bytes) {
            return Err(Code::INVALID_ARGUMENT);
        }
        regions.remove(&address);
        Ok(())
    }

    /// Destroys a message that will never be received: its rights are released.
    pub(super) fn destroy(&mut self, queued: QueuedMessage) {
        let own = queued.port.map(|port| (port, queued.disposition));
        let items = queued.items.into_iter().filter_map(|item| match item {
            Item::Right(port, disposition) => Some((port, disposition)),
            Item::Name(..) | Item::Memory { .. } => None,
        });
        for (port, disposition) in own.into_iter().chain(queued.reply).chain(items) {
            if disposition == abi::MOVE_RECEIVE {
                self.kill(port);
            } else {
                self.release_sent(port, disposition);
            }
        }
    }
}

/// The positions of the descriptors in a complex message.
fn descriptors(message: &[u8]) -> Result<Vec<Range<usize>>, Code> {
    if message.len() < abi::DESCRIPTORS {
        return Err(Code::SEND_MSG_TOO_SMALL);
    }
    let mut at = abi::DESCRIPTORS;
    let mut places = Vec::new();
    for _ in 0..word(message, &abi::COUNT) {
        let bytes = match message.get(at + abi::TYPE) {
            None => return Err(Code::SEND_MSG_TOO_SMALL),
            Some(&abi::RIGHT) => abi::RIGHT_BYTES,
            Some(&abi::MEMORY) => abi::MEMORY_BYTES,
            Some(_) => return Err(Code::SEND_INVALID_TYPE),
        };
        places.push(at..at + bytes);
        at += bytes;
    }
    if at > message.len() { Err(Code::SEND_MSG_TOO_SMALL) } else { Ok(places) }
}
