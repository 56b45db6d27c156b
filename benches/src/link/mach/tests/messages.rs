//! Tests of writing and reading messages.

use super::*;
use crate::sys::mach::carried::{Carried, carried};
use crate::sys::mach::message::*;
use crate::sys::mach::token::Token;
use crate::sys::mach::{Name, Trailer, abi};
use proptest::prelude::*;

const TO: Destination = Destination::Peer(Name(0x1203));

/// The kernel's changes to a message without descriptors: the header shows the disposition, and a trailer for this user
/// follows.
fn arrived(message: &[u8], came_by: u8, user: u32) -> Vec<u8> {
    let mut buffer = message.to_vec();
    buffer[0] = 0;
    buffer[1] = came_by;
    buffer[abi::REMOTE].fill(0);
    buffer[abi::LOCAL].copy_from_slice(&0x2703_u32.to_ne_bytes());
    let mut trailer = vec![0; Trailer::Audit.bytes()];
    trailer[abi::TRAILER_SIZE].copy_from_slice(&52_u32.to_ne_bytes());
    trailer[abi::TRAILER_USER].copy_from_slice(&user.to_ne_bytes());
    buffer.extend(trailer);
    buffer
}

/// The same for a message with one right.
fn arrived_with_right(message: &[u8], right: Name) -> Vec<u8> {
    let mut buffer = arrived(message, abi::MOVE_SEND, USER);
    buffer[28..32].copy_from_slice(&right.0.to_ne_bytes());
    buffer[38] = abi::MOVE_SEND;
    buffer
}

fn right_message(right: Name) -> Vec<u8> {
    let mut message = vec![0xee; RIGHT_BYTES];
    put_right(&mut message, TO, right);
    message
}

fn memory_message(memory: &[u8], copying: Copying) -> Vec<u8> {
    let mut message = vec![0xee; OUT_OF_LINE_BYTES];
    put_out_of_line(&mut message, TO, memory, copying);
    message
}

/// The bytes that `mach/message.h` describes, written by hand.
#[test]
fn messages_match_the_headers() {
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_ne_bytes()).collect() };

    let mut inline = vec![0xee; inline_bytes(5)];
    inline[PAYLOAD..PAYLOAD + 5].copy_from_slice(b"hello");
    put_inline(&mut inline, TO, 5);
    assert_eq!(inline[..28], words(&[19, 36, 0x1203, 0, 0, 0x5254_0001, 5]));
    assert_eq!(&inline[28..33], b"hello");

    let memory = [1; 10];
    let at = memory.as_ptr().addr() as u64;
    for (copying, copy) in [(Copying::Physical, 0), (Copying::Virtual, 1)] {
        let message = memory_message(&memory, copying);
        assert_eq!(message[..28], words(&[0x8000_0013, 44, 0x1203, 0, 0, 0x5254_0002, 1]));
        assert_eq!(message[28..36], at.to_ne_bytes());
        assert_eq!(message[36..40], [0, copy, 0, 1]);
        assert_eq!(message[40..], 10_u32.to_ne_bytes());
    }
    assert_eq!(memory_message(&[], Copying::Virtual)[28..36], [0; 8], "no memory is nowhere");

    let message = right_message(Name(0x907));
    assert_eq!(message[..32], words(&[0x8000_0013, 40, 0x1203, 0, 0, 0x5254_0003, 1, 0x907]));
    assert_eq!(message[32..], [0, 0, 0, 0, 0, 0, 19, 0]);

    let mut message = vec![0xee; INTRODUCTION_BYTES];
    let token = Token::read(&[9; 32]).unwrap();
    put_introduction(&mut message, TO, Name(0xb03), &token);
    assert_eq!(message[..32], words(&[0x8000_0013, 72, 0x1203, 0, 0, 0x5254_0004, 1, 0xb03]));
    assert_eq!(message[32..40], [0, 0, 0, 0, 0, 0, 20, 0]);
    assert_eq!(message[40..], [9; 32]);

    let mut message = vec![0xee; STOP_BYTES];
    put_stop(&mut message, Destination::Own(Name(0x1203)));
    assert_eq!(message, words(&[21, 24, 0x1203, 0, 0, 0x5254_0005]));
}

#[test]
fn rejects_malformed_messages() {
    let right = arrived_with_right(&right_message(Name(1)), Name(7));
    let memory = arrived(&memory_message(&[1], Copying::Virtual), abi::MOVE_SEND, USER);
    assert!(read(&right).is_ok() && read(&memory).is_ok());
    for (good, at, byte) in [
        // No descriptor, two, another type, another kind of right, no right, a dead one.
        (&right, 24, 0),
        (&right, 24, 2),
        (&right, 39, abi::MEMORY),
        (&right, 38, abi::MOVE_SEND_ONCE),
        (&right, 28, 0),
        (&memory, 24, 2),
        (&memory, 39, abi::VOLATILE_MEMORY),
        // Memory without a length, an expected answer, no descriptors, another kind, another disposition.
        (&memory, 40, 0),
        (&memory, 8, 1),
        (&memory, 3, 0),
        (&memory, 20, 9),
        (&memory, 1, abi::MOVE_SEND_ONCE),
        // Another size: in the message, and beyond the buffer.
        (&memory, 4, 40),
        (&memory, 4, 45),
        (&memory, 6, 1),
    ] {
        let mut changed = good.clone();
        changed[at] = byte;
        assert!(read(&changed).is_err(), "{at}: {byte}");
    }
    assert!(read(&arrived_with_right(&right_message(Name(1)), Name::DEAD)).is_err());
    assert!((0..24).all(|bytes| read(&memory[..bytes]).is_err()));
}

#[test]
fn accepts_notifications_only_from_the_kernel() {
    let mut message = vec![0; abi::NO_SENDERS_BYTES];
    put_stop(&mut message, TO);
    message[abi::ID].copy_from_slice(&70_i32.to_ne_bytes());
    assert_eq!(read(&arrived(&message, abi::MOVE_SEND_ONCE, 0)), Ok(Content::NoSenders));
    assert!(read(&arrived(&message, abi::MOVE_SEND, 0)).is_err());

    let mut stop = vec![0; STOP_BYTES];
    put_stop(&mut stop, TO);
    assert_eq!(read(&arrived(&stop, abi::MOVE_SEND_ONCE, 0)), Ok(Content::Stop));
    assert!(read(&arrived(&stop, abi::MOVE_SEND, 0)).is_err());
}

#[test]
fn reads_the_user_only_from_a_whole_trailer() {
    let mut message = vec![0; inline_bytes(0)];
    put_inline(&mut message, TO, 0);
    let buffer = arrived(&message, abi::MOVE_SEND, 501);
    assert_eq!(user(&buffer), Some(501));
    let trailer = message.len();
    let changed = |at: usize, byte: u8| {
        let mut buffer = buffer.clone();
        buffer[trailer + at] = byte;
        user(&buffer)
    };
    assert_eq!(changed(0, 1), None, "of another type");
    assert_eq!(changed(4, 48), None, "shorter");
    assert_eq!(changed(4, 68), Some(501), "longer");
    assert_eq!(user(&buffer[..trailer + 24]), None, "cut");
}

#[test]
fn finds_all_rights_and_memory() {
    let mut message = vec![0; abi::DESCRIPTORS];
    message[3] = 0x80;
    message[0] = abi::MOVE_SEND;
    message[abi::REMOTE].copy_from_slice(&0x11_u32.to_ne_bytes());
    let mut push = |words: [u32; 3], bytes: [u8; 4], last: Option<u32>| {
        // A right: name, nothing, [.., disposition, type]. Memory: address, [.., copy, disposition, type], length.
        message.extend(words[0].to_ne_bytes());
        message.extend(words[1].to_ne_bytes());
        message.extend(bytes);
        message.extend(last.into_iter().flat_map(u32::to_ne_bytes));
        message[24] += 1;
        let size = u32::try_from(message.len()).unwrap();
        message[abi::SIZE].copy_from_slice(&size.to_ne_bytes());
        message.clone()
    };
    push([0x22, 0, 0], [0, 0, abi::MOVE_SEND_ONCE, abi::RIGHT], None);
    push([0, 0, 0], [0, 0, abi::MOVE_SEND, abi::GUARDED_RIGHT], Some(0));
    push([0x4000, 0, 0], [1, 1, 0, abi::MEMORY], Some(5));
    push([0x8000, 0, 0], [0, 0, 0, abi::VOLATILE_MEMORY], Some(6));
    push([0xc000, 0, 0], [1, 1, abi::MOVE_SEND, abi::RIGHTS], Some(7));
    let message = push([0x33, 0, 0], [0, 0, abi::MOVE_RECEIVE, abi::RIGHT], None);
    let all = [
        Carried::Right { name: Name(0x11), disposition: abi::MOVE_SEND },
        Carried::Right { name: Name(0x22), disposition: abi::MOVE_SEND_ONCE },
        Carried::Right { name: Name(0), disposition: abi::MOVE_SEND },
        Carried::Memory { address: 0x4000, bytes: 5 },
        Carried::Memory { address: 0x8000, bytes: 6 },
        Carried::Rights { address: 0xc000, count: 7, disposition: abi::MOVE_SEND },
        Carried::Right { name: Name(0x33), disposition: abi::MOVE_RECEIVE },
    ];
    assert_eq!(carried(&message), all);
    assert!(read(&message).is_err());

    // Without the bit there are no descriptors, whatever the bytes are.
    let mut plain = message.clone();
    plain[3] = 0;
    assert_eq!(carried(&plain), all[..1]);
    // Bytes beyond its size or with an unknown type do not belong to the message.
    let mut cut = message.clone();
    cut[abi::SIZE].copy_from_slice(&56_u32.to_ne_bytes());
    assert_eq!(carried(&cut), all[..3]);
    let mut unknown = message;
    unknown[28 + 12 + abi::TYPE] = 9;
    assert_eq!(carried(&unknown), all[..2]);
}

proptest! {
    #[test]
    fn inline_message_round_trips(
        payload in proptest::collection::vec(any::<u8>(), 0..300),
        sender in any::<u32>(),
    ) {
        let mut message = vec![0xee; inline_bytes(payload.len())];
        message[PAYLOAD..PAYLOAD + payload.len()].copy_from_slice(&payload);
        put_inline(&mut message, TO, payload.len());
        let buffer = arrived(&message, abi::MOVE_SEND, sender);
        let range = PAYLOAD..PAYLOAD + payload.len();
        prop_assert_eq!(read(&buffer), Ok(Content::Inline(range.clone())));
        prop_assert_eq!(&buffer[range], &payload[..]);
        prop_assert_eq!(user(&buffer), Some(sender));
    }

    #[test]
    fn message_with_descriptor_round_trips(
        address in 1_u64.., length in 1_u32.., name in 1..u32::MAX, token in any::<[u8; 32]>()
    ) {
        let mut buffer = arrived(&memory_message(&[1], Copying::Virtual), abi::MOVE_SEND, USER);
        buffer[28..36].copy_from_slice(&address.to_ne_bytes());
        buffer[40..44].copy_from_slice(&length.to_ne_bytes());
        prop_assert_eq!(read(&buffer), Ok(Content::OutOfLine { address, bytes: length as usize }));

        let buffer = arrived_with_right(&right_message(Name(1)), Name(name));
        prop_assert_eq!(read(&buffer), Ok(Content::Right(Name(name))));

        let token = Token::read(&token).unwrap();
        let mut message = vec![0; INTRODUCTION_BYTES];
        put_introduction(&mut message, TO, Name(1), &token);
        let buffer = arrived_with_right(&message, Name(name));
        prop_assert_eq!(read(&buffer), Ok(Content::Introduction { port: Name(name), token }));
    }

    #[test]
    fn parses_any_bytes_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        look_at_all(&bytes);
    }

    /// Bytes that resemble a message.
    #[test]
    fn parses_damaged_messages_without_panic(
        which in 0..5_usize,
        damage in proptest::collection::vec((0..120_usize, any::<u8>()), 0..4),
        cut in 0..200_usize,
    ) {
        let mut message = match which {
            0 => memory_message(&[1], Copying::Virtual),
            1 => right_message(Name(7)),
            2 => vec![0; inline_bytes(9)],
            3 => vec![0; INTRODUCTION_BYTES],
            _ => vec![0; STOP_BYTES],
        };
        match which {
            2 => put_inline(&mut message, TO, 9),
            3 => put_introduction(&mut message, TO, Name(7), &Token::read(&[3; 32]).unwrap()),
            4 => put_stop(&mut message, TO),
            _ => {}
        }
        let mut buffer = arrived_or_not(&message);
        for (at, byte) in damage {
            let at = at % buffer.len();
            buffer[at] = byte;
        }
        buffer.truncate(cut.max(1));
        look_at_all(&buffer);
    }
}

fn arrived_or_not(message: &[u8]) -> Vec<u8> {
    let mut buffer = arrived(message, abi::MOVE_SEND, USER);
    if message.len() > abi::DESCRIPTORS + abi::TYPE {
        buffer[38] = abi::MOVE_SEND;
    }
    buffer
}

/// Parsing never panics, and all it reads is inside the buffer.
fn look_at_all(buffer: &[u8]) {
    let _ = user(buffer);
    let _ = carried(buffer);
    let _ = reported_bytes(buffer);
    match read(buffer) {
        Ok(Content::Inline(range)) => assert!(range.start == PAYLOAD && range.end <= buffer.len()),
        Ok(Content::OutOfLine { address, bytes }) => assert_eq!(address == 0, bytes == 0),
        Ok(Content::Right(name)) => assert!(name.is_right()),
        Ok(Content::Introduction { port, .. }) => assert_ne!(port, Name::NULL),
        Ok(Content::NoSenders | Content::Stop) => {}
        Err(reason) => assert!(!reason.is_empty()),
    }
}
