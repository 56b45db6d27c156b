//! The formats of messages: writing, and strict reading.
//!
//! A message has the kernel's header, whose `msgh_id` is its kind, and one of these bodies:
//!
//! - *inline*: the length of the payload in bytes, and the payload, padded to a multiple of 4;
//! - *out of line*: one descriptor of memory;
//! - *right*: one descriptor of a send right;
//! - *introduction*: one descriptor of a send right, and a [`Token`];
//! - *stop*: empty. A process sends it to itself.
//!
//! The kernel sends one message too: the port has no senders left.

use super::token::{TOKEN_BYTES, Token};
use super::{Name, abi};
use std::ops::Range;

const INLINE: i32 = 0x5254_0001;
const OUT_OF_LINE: i32 = 0x5254_0002;
const RIGHT: i32 = 0x5254_0003;
const INTRODUCTION: i32 = 0x5254_0004;
const STOP: i32 = 0x5254_0005;

const PAYLOAD_LENGTH: Range<usize> = 24..28;
pub(crate) const PAYLOAD: usize = 28;
pub(crate) const OUT_OF_LINE_BYTES: usize = abi::DESCRIPTORS + abi::MEMORY_BYTES;
pub(crate) const RIGHT_BYTES: usize = abi::DESCRIPTORS + abi::RIGHT_BYTES;
pub(crate) const INTRODUCTION_BYTES: usize = RIGHT_BYTES + TOKEN_BYTES;
pub(crate) const STOP_BYTES: usize = abi::HEADER_BYTES;

/// The length of a message with this much inline payload: a multiple of 4, as the kernel requires.
#[inline]
pub(crate) fn inline_bytes(payload: usize) -> usize {
    (PAYLOAD + payload).next_multiple_of(4)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copying {
    /// By mapping its pages, copy-on-write (`MACH_MSG_VIRTUAL_COPY`).
    Virtual,
    /// Byte by byte, to pages that it then maps (`MACH_MSG_PHYSICAL_COPY`).
    Physical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// The port behind this send right; the sender keeps its reference.
    Peer(Name),
    /// The port behind this receive right. These messages do not wait for room.
    Own(Name),
}

/// Writes the header of an inline message whose payload is already there.
#[inline]
pub(crate) fn put_inline(message: &mut [u8], to: Destination, payload: usize) {
    put_header(message, to, 0, INLINE);
    put(message, PAYLOAD_LENGTH, length_word(payload));
}

#[inline]
pub(crate) fn put_out_of_line(message: &mut [u8], to: Destination, memory: &[u8], copying: Copying) {
    put_header(message, to, abi::COMPLEX, OUT_OF_LINE);
    let descriptor = put_descriptor(message, abi::MEMORY);
    // The kernel reads there, so the provenance is exposed.
    let address = if memory.is_empty() { 0 } else { memory.as_ptr().expose_provenance() as u64 };
    descriptor[abi::ADDRESS].copy_from_slice(&address.to_ne_bytes());
    descriptor[abi::COPY] = match copying {
        Copying::Virtual => abi::VIRTUAL_COPY,
        Copying::Physical => abi::PHYSICAL_COPY,
    };
    put(descriptor, abi::LENGTH, length_word(memory.len()));
}

/// Writes a message with a descriptor for this send right; the sender keeps its reference.
#[inline]
pub(crate) fn put_right(message: &mut [u8], to: Destination, right: Name) {
    put_header(message, to, abi::COMPLEX, RIGHT);
    put_right_descriptor(message, right, abi::COPY_SEND);
}

/// Writes a message with a new send right to the port behind this receive right, and the token.
pub(crate) fn put_introduction(message: &mut [u8], to: Destination, port: Name, token: &Token) {
    put_header(message, to, abi::COMPLEX, INTRODUCTION);
    put_right_descriptor(message, port, abi::MAKE_SEND);
    message[RIGHT_BYTES..INTRODUCTION_BYTES].copy_from_slice(token.bytes());
}

/// Writes a message that stops the receiver of a port in this process.
pub(crate) fn put_stop(message: &mut [u8], to: Destination) {
    put_header(message, to, 0, STOP);
}

#[inline]
fn put_header(message: &mut [u8], to: Destination, complex: u32, id: i32) {
    let (name, disposition) = match to {
        Destination::Peer(right) => (right, abi::COPY_SEND),
        Destination::Own(port) => (port, abi::MAKE_SEND_ONCE),
    };
    put(message, abi::BITS, complex | u32::from(disposition));
    put(message, abi::SIZE, length_word(message.len()));
    put(message, abi::REMOTE, name.0);
    put(message, abi::LOCAL, Name::NULL.0);
    put(message, abi::VOUCHER, Name::NULL.0);
    put(message, abi::ID, id.cast_unsigned());
}

/// Clears the only descriptor and sets its type.
#[inline]
fn put_descriptor(message: &mut [u8], kind: u8) -> &mut [u8] {
    put(message, abi::COUNT, 1);
    let bytes = if kind == abi::RIGHT { abi::RIGHT_BYTES } else { abi::MEMORY_BYTES };
    let descriptor = &mut message[abi::DESCRIPTORS..abi::DESCRIPTORS + bytes];
    descriptor.fill(0);
    descriptor[abi::TYPE] = kind;
    descriptor
}

#[inline]
fn put_right_descriptor(message: &mut [u8], right: Name, disposition: u8) {
    let descriptor = put_descriptor(message, abi::RIGHT);
    put(descriptor, abi::RIGHT_NAME, right.0);
    descriptor[abi::DISPOSITION] = disposition;
}

#[inline]
fn put(bytes: &mut [u8], at: Range<usize>, word: u32) {
    bytes[at].copy_from_slice(&word.to_ne_bytes());
}

/// A length in the kernel's format. Lengths over 32 bits become the largest, which the kernel rejects.
#[inline]
fn length_word(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Inline(Range<usize>),
    /// Memory of this process, mapped by the kernel; empty memory is at 0.
    OutOfLine {
        address: u64,
        bytes: usize,
    },
    Right(Name),
    /// A process identifies itself and its port.
    Introduction {
        /// A send right to its port; dead if the process has ended.
        port: Name,
        token: Token,
    },
    NoSenders,
    Stop,
}

/// Why a message was rejected.
pub(crate) type Refusal = &'static str;

/// Reads a message from a buffer that the kernel has filled. It does not trust the sender, and trusts the kernel only
/// about rights and memory. A rejected message may hold some too: [`super::carried`] finds them.
#[inline]
pub(crate) fn read(buffer: &[u8]) -> Result<Content, Refusal> {
    let header = Header::read(buffer)?;
    let message = &buffer[..header.bytes];
    if header.answer_to != Name::NULL {
        return Err("it has a reply port");
    }
    match (header.came_by, header.id) {
        (abi::MOVE_SEND_ONCE, abi::NO_SENDERS | STOP) if header.is_complex => {
            Err("a notification with descriptors: expected a header and plain bytes")
        }
        (abi::MOVE_SEND_ONCE, abi::NO_SENDERS) if header.bytes == abi::NO_SENDERS_BYTES => {
            Ok(Content::NoSenders)
        }
        (abi::MOVE_SEND_ONCE, STOP) if header.bytes == STOP_BYTES => Ok(Content::Stop),
        (abi::MOVE_SEND, INLINE) if !header.is_complex => read_inline(message),
        (abi::MOVE_SEND, OUT_OF_LINE) if header.is_complex => read_out_of_line(message),
        (abi::MOVE_SEND, RIGHT) if header.is_complex => match read_right(message, RIGHT_BYTES)? {
            Name::DEAD => Err("its right is to a dead port"),
            name => Ok(Content::Right(name)),
        },
        (abi::MOVE_SEND, INTRODUCTION) if header.is_complex => {
            let port = read_right(message, INTRODUCTION_BYTES)?;
            let token = Token::read(&message[RIGHT_BYTES..]).ok_or("its token is truncated")?;
            Ok(Content::Introduction { port, token })
        }
        _ => Err("unexpected kind"),
    }
}

#[inline]
fn read_inline(message: &[u8]) -> Result<Content, Refusal> {
    let length = word(message, PAYLOAD_LENGTH).ok_or("no length after the header")?;
    let length = length as usize;
    if length.checked_add(PAYLOAD).and_then(|end| end.checked_next_multiple_of(4)) != Some(message.len()) {
        return Err("its length differs from its payload");
    }
    Ok(Content::Inline(PAYLOAD..PAYLOAD + length))
}

#[inline]
fn read_out_of_line(message: &[u8]) -> Result<Content, Refusal> {
    let descriptor = only_descriptor(message, OUT_OF_LINE_BYTES, abi::MEMORY)?;
    let (Some(address), Some(bytes)) = (address(descriptor), word(descriptor, abi::LENGTH)) else {
        return Err("its descriptor is truncated");
    };
    if (address == 0) != (bytes == 0) {
        return Err("it has a length but no memory");
    }
    Ok(Content::OutOfLine { address, bytes: bytes as usize })
}

#[inline]
fn read_right(message: &[u8], bytes: usize) -> Result<Name, Refusal> {
    let descriptor = only_descriptor(message, bytes, abi::RIGHT)?;
    if descriptor[abi::DISPOSITION] != abi::MOVE_SEND {
        return Err("its right is no send right");
    }
    match word(descriptor, abi::RIGHT_NAME).map(Name) {
        None | Some(Name::NULL) => Err("its descriptor has no right"),
        Some(name) => Ok(name),
    }
}

/// The descriptor of a message with exactly this length and one descriptor of this type.
#[inline]
fn only_descriptor(message: &[u8], bytes: usize, kind: u8) -> Result<&[u8], Refusal> {
    if message.len() != bytes {
        return Err("wrong length for its kind");
    }
    let descriptor = &message[abi::DESCRIPTORS..];
    if word(message, abi::COUNT) != Some(1) || descriptor[abi::TYPE] != kind {
        return Err("wrong descriptors for its kind");
    }
    Ok(descriptor)
}

/// The length of a message that did not fit, as reported by the kernel.
#[inline]
pub(crate) fn reported_bytes(buffer: &[u8]) -> usize {
    word(buffer, abi::SIZE).map_or(0, |size| size as usize)
}

/// The effective user who sent a message, from its trailer: `None` if the trailer is too short.
pub(crate) fn user(buffer: &[u8]) -> Option<u32> {
    let header = Header::read(buffer).ok()?;
    let trailer = &buffer[header.bytes..];
    let is_long = word(trailer, abi::TRAILER_SIZE)? as usize >= abi::TRAILER_BYTES_AUDIT;
    let is_known = word(trailer, abi::TRAILER_TYPE)? == 0;
    if is_long && is_known { word(trailer, abi::TRAILER_USER) } else { None }
}

pub(crate) struct Header {
    /// Length of the message without its trailer; at least a header.
    pub(crate) bytes: usize,
    pub(crate) is_complex: bool,
    /// The right for the answer and its kind; after a failed send, the destination.
    pub(crate) answer_to: Name,
    pub(crate) answer_right: u8,
    came_by: u8,
    id: i32,
}

impl Header {
    #[inline]
    pub(crate) fn read(buffer: &[u8]) -> Result<Self, Refusal> {
        let header: &[u8; abi::HEADER_BYTES] = buffer.first_chunk().ok_or("it is shorter than a header")?;
        let field = |at: Range<usize>| word(header, at).unwrap_or_default();
        let bits = field(abi::BITS);
        let right = |bits: u32| (bits & abi::REMOTE_MASK) as u8;
        let bytes = field(abi::SIZE) as usize;
        if bytes < abi::HEADER_BYTES || bytes > buffer.len() || !bytes.is_multiple_of(4) {
            return Err("its size does not fit this buffer");
        }
        Ok(Self {
            bytes,
            is_complex: bits & abi::COMPLEX != 0,
            answer_to: Name(field(abi::REMOTE)),
            answer_right: right(bits),
            came_by: right(bits >> abi::LOCAL_SHIFT),
            id: field(abi::ID).cast_signed(),
        })
    }
}

#[inline]
pub(crate) fn word(bytes: &[u8], at: Range<usize>) -> Option<u32> {
    bytes.get(at)?.try_into().ok().map(u32::from_ne_bytes)
}

#[inline]
pub(crate) fn address(descriptor: &[u8]) -> Option<u64> {
    descriptor.get(abi::ADDRESS)?.try_into().ok().map(u64::from_ne_bytes)
}
