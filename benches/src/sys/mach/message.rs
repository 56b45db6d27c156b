//! What goes through a port: how it is written, and how it is read, strictly.
//!
//! A message has the kernel's header, whose `msgh_id` says what it is, and one of these bodies:
//!
//! - *inline*: the length of the payload in bytes, and the payload, filled up to a multiple of 4;
//! - *out of line*: one descriptor of memory;
//! - *right*: one descriptor of a send right;
//! - *introduction*: one descriptor of a send right, and a [`Token`];
//! - *stop*: nothing. A process sends it to itself.
//!
//! Besides there is one of the kernel's own: nobody can send to this port any more.

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

/// How long the message is that carries so much payload inline: a multiple of 4, as the kernel demands.
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
    /// The port behind this send right, of which the sender keeps its reference.
    Peer(Name),
    /// The port that this is the receive right of. What comes this way does not wait for room.
    Own(Name),
}

/// Writes an inline message that is already filled with its payload.
#[inline]
pub(crate) fn put_inline(message: &mut [u8], to: Destination, payload: usize) {
    put_header(message, to, 0, INLINE);
    put(message, PAYLOAD_LENGTH, word_of(payload));
}

#[inline]
pub(crate) fn put_out_of_line(message: &mut [u8], to: Destination, memory: &[u8], copying: Copying) {
    put_header(message, to, abi::COMPLEX, OUT_OF_LINE);
    let descriptor = put_descriptor(message, abi::MEMORY);
    // The kernel reads there: it is shown to it.
    let address = if memory.is_empty() { 0 } else { memory.as_ptr().expose_provenance() as u64 };
    descriptor[abi::ADDRESS].copy_from_slice(&address.to_ne_bytes());
    descriptor[abi::COPY] = match copying {
        Copying::Virtual => abi::VIRTUAL_COPY,
        Copying::Physical => abi::PHYSICAL_COPY,
    };
    put(descriptor, abi::LENGTH, word_of(memory.len()));
}

/// Writes a message with a descriptor of this send right, of which the sender keeps its reference.
#[inline]
pub(crate) fn put_right(message: &mut [u8], to: Destination, right: Name) {
    put_header(message, to, abi::COMPLEX, RIGHT);
    put_right_descriptor(message, right, abi::COPY_SEND);
}

/// Writes a message with a new send right to the port of this receive right, and the token.
pub(crate) fn put_introduction(message: &mut [u8], to: Destination, port: Name, token: &Token) {
    put_header(message, to, abi::COMPLEX, INTRODUCTION);
    put_right_descriptor(message, port, abi::MAKE_SEND);
    message[RIGHT_BYTES..INTRODUCTION_BYTES].copy_from_slice(token.bytes());
}

/// Writes a message that makes who receives from a port of this process stop.
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
    put(message, abi::SIZE, word_of(message.len()));
    put(message, abi::REMOTE, name.0);
    put(message, abi::LOCAL, Name::NULL.0);
    put(message, abi::VOUCHER, Name::NULL.0);
    put(message, abi::ID, id.cast_unsigned());
}

/// Empties the only descriptor, and says what it is of.
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

/// A length as the kernel wants it. What does not fit 32 bits is refused by the kernel as the largest that does.
#[inline]
fn word_of(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Inline(Range<usize>),
    /// Memory of this process, which the kernel has mapped; no memory is at 0.
    OutOfLine {
        address: u64,
        bytes: usize,
    },
    Right(Name),
    /// Somebody says who it is, and where it receives.
    Introduction {
        /// A send right to there; a dead one, if it has come and gone.
        port: Name,
        token: Token,
    },
    NoSenders,
    Stop,
}

/// Why a message was refused.
pub(crate) type Refusal = &'static str;

/// Reads what the kernel has put into a buffer. It does not trust the sender, and of the kernel only what that says about
/// rights and memory. What is refused may hold some all the same: [`super::carried`] finds it.
#[inline]
pub(crate) fn read(buffer: &[u8]) -> Result<Content, Refusal> {
    let header = Header::read(buffer)?;
    let message = &buffer[..header.bytes];
    if header.answer_to != Name::NULL {
        return Err("it wants an answer: expected no reply port");
    }
    match (header.came_by, header.id) {
        (abi::MOVE_SEND_ONCE, abi::NO_SENDERS | STOP) if header.is_complex => {
            Err("a notification carries something: expected a header and plain bytes")
        }
        (abi::MOVE_SEND_ONCE, abi::NO_SENDERS) if header.bytes == abi::NO_SENDERS_BYTES => {
            Ok(Content::NoSenders)
        }
        (abi::MOVE_SEND_ONCE, STOP) if header.bytes == STOP_BYTES => Ok(Content::Stop),
        (abi::MOVE_SEND, INLINE) if !header.is_complex => read_inline(message),
        (abi::MOVE_SEND, OUT_OF_LINE) if header.is_complex => read_out_of_line(message),
        (abi::MOVE_SEND, RIGHT) if header.is_complex => match read_right(message, RIGHT_BYTES)? {
            Name::DEAD => Err("its right is to a port that has died"),
            name => Ok(Content::Right(name)),
        },
        (abi::MOVE_SEND, INTRODUCTION) if header.is_complex => {
            let port = read_right(message, INTRODUCTION_BYTES)?;
            let token = Token::read(&message[RIGHT_BYTES..]).ok_or("its token is cut")?;
            Ok(Content::Introduction { port, token })
        }
        _ => Err("it is of a kind that is not sent here, or not in this way"),
    }
}

#[inline]
fn read_inline(message: &[u8]) -> Result<Content, Refusal> {
    let length = word(message, PAYLOAD_LENGTH).ok_or("it has no length: expected one after the header")?;
    let length = length as usize;
    if length.checked_add(PAYLOAD).and_then(|end| end.checked_next_multiple_of(4)) != Some(message.len()) {
        return Err("its length is not that of its payload");
    }
    Ok(Content::Inline(PAYLOAD..PAYLOAD + length))
}

#[inline]
fn read_out_of_line(message: &[u8]) -> Result<Content, Refusal> {
    let descriptor = only_descriptor(message, OUT_OF_LINE_BYTES, abi::MEMORY)?;
    let (Some(address), Some(bytes)) = (address(descriptor), word(descriptor, abi::LENGTH)) else {
        return Err("its descriptor is cut");
    };
    if (address == 0) != (bytes == 0) {
        return Err("its memory is nowhere, though it has a length");
    }
    Ok(Content::OutOfLine { address, bytes: bytes as usize })
}

#[inline]
fn read_right(message: &[u8], bytes: usize) -> Result<Name, Refusal> {
    let descriptor = only_descriptor(message, bytes, abi::RIGHT)?;
    if descriptor[abi::DISPOSITION] != abi::MOVE_SEND {
        return Err("its right is not a send right");
    }
    match word(descriptor, abi::RIGHT_NAME).map(Name) {
        None | Some(Name::NULL) => Err("its descriptor names no right"),
        Some(name) => Ok(name),
    }
}

/// The descriptor of a message of exactly this length, which has one, of exactly this type.
#[inline]
fn only_descriptor(message: &[u8], bytes: usize, kind: u8) -> Result<&[u8], Refusal> {
    if message.len() != bytes {
        return Err("it is longer or shorter than its kind");
    }
    let descriptor = &message[abi::DESCRIPTORS..];
    if word(message, abi::COUNT) != Some(1) || descriptor[abi::TYPE] != kind {
        return Err("its descriptors are not those of its kind");
    }
    Ok(descriptor)
}

/// How long the message is that did not fit: so much the kernel says of it.
#[inline]
pub(crate) fn reported_bytes(buffer: &[u8]) -> usize {
    word(buffer, abi::SIZE).map_or(0, |size| size as usize)
}

/// The effective user who sent a message, from the trailer behind it: none, if it does not go that far.
pub(crate) fn user(buffer: &[u8]) -> Option<u32> {
    let header = Header::read(buffer).ok()?;
    let trailer = &buffer[header.bytes..];
    let is_long = word(trailer, abi::TRAILER_SIZE)? as usize >= abi::TRAILER_BYTES_AUDIT;
    let is_known = word(trailer, abi::TRAILER_TYPE)? == 0;
    if is_long && is_known { word(trailer, abi::TRAILER_USER) } else { None }
}

pub(crate) struct Header {
    /// All of the message, without its trailer; at least a header.
    pub(crate) bytes: usize,
    pub(crate) is_complex: bool,
    /// Whom to answer, and what kind of right that is; after a send that failed, the destination.
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
            return Err("its size is not that of a message in this buffer");
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
