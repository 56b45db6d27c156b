//! Tests of traffic between two live ends.

use super::rendezvous::send;
use super::*;
use crate::sys::mach::abi;
use crate::sys::mach::message::{Destination, OUT_OF_LINE_BYTES, RIGHT_BYTES, put_out_of_line, put_right};
use crate::sys::mach::rendezvous::initiate;
use crate::sys::passable;

const SIZES: [usize; 11] = [0, 1, 3, 4, 5, 4_095, 4_096, 4_097, 32_767, 65_536, 1 << 20];
const LARGE: usize = 8 << 20;

fn carries(form: Form, bytes: usize) -> bool {
    form.carriage != Carriage::OutOfLine(Copying::Physical) || bytes <= abi::PHYSICAL_BYTES_MAX
}

#[test]
fn echoes_messages_of_every_size() {
    fn sizes(form: Form) -> impl Iterator<Item = usize> {
        // Small ones again, after the buffers have grown.
        SIZES.into_iter().chain([LARGE]).chain(SIZES).filter(move |&bytes| carries(form, bytes))
    }
    every_pair(
        |name, form, mut side| {
            for (number, bytes) in sizes(form).enumerate() {
                let mut memory = side.sender.allocate(bytes).unwrap();
                memory.copy_from_slice(&message(number, bytes));
                side.sender.send(&memory).unwrap();
                // Sent memory may be overwritten immediately: the other end has the sent content.
                memory.fill(0);
                assert!(side.receive(bytes).unwrap() == message(number, bytes), "{name}: {bytes} B");
            }
        },
        |name, form, mut side| {
            for (number, bytes) in sizes(form).enumerate() {
                let mut buffer = vec![0; bytes];
                let received = side.receiver.receive(&mut buffer).unwrap();
                assert!(received == message(number, bytes), "{name}: {bytes} B");
                side.sender.send(received).unwrap();
            }
        },
    );
}

#[test]
fn rejects_what_the_kernel_cannot_copy() {
    every_pair(
        |name, form, mut side| {
            let sent = side.sender.send(&vec![0; LARGE]);
            if carries(form, LARGE) {
                sent.unwrap();
            } else {
                let error = sent.unwrap_err().to_string();
                assert!(error.contains("MACH_MSG_VM_KERNEL"), "{name}: {error}");
            }
            side.sender.send(b"next").unwrap();
        },
        |_, form, mut side| {
            if carries(form, LARGE) {
                side.receive(LARGE).unwrap();
            }
            assert_eq!(side.receive(4).unwrap(), b"next");
        },
    );
}

#[test]
fn timeouts_lose_and_duplicate_nothing() {
    const MESSAGES: usize = 40;
    const TIMEOUTS: u32 = 3;
    const BYTES: usize = 40_000;
    every_pair(
        |_, _, mut side| {
            side.kernel.time_out_sends(TIMEOUTS);
            for number in 0..MESSAGES {
                side.sender.send(&message(number, BYTES)).unwrap();
            }
            assert!(side.kernel.tally().timed_out >= TIMEOUTS);
        },
        |name, _, mut side| {
            side.kernel.until(|tally, _| tally.timed_out >= TIMEOUTS);
            for number in 0..MESSAGES {
                assert!(side.receive(BYTES).unwrap() == message(number, BYTES), "{name}: {number}");
            }
            assert!(is_closed(side.receive(BYTES)), "{name}: one too many");
        },
    );
}

#[test]
fn port_holds_five_messages() {
    every_pair(
        |name, form, mut side| {
            for number in 0..5 {
                side.sender.send(&message(number, 8)).unwrap();
            }
            if form.arrival != Arrival::Bridge {
                side.kernel.time_out_sends(1);
                side.sender.send(&message(5, 8)).unwrap();
                assert!(side.kernel.tally().timed_out >= 1, "{name}");
            }
        },
        |_, form, mut side| {
            if form.arrival != Arrival::Bridge {
                side.kernel.until(|tally, waiting| tally.timed_out >= 1 && waiting.contains(&5));
            }
            let messages = if form.arrival == Arrival::Bridge { 5 } else { 6 };
            for number in 0..messages {
                assert_eq!(side.receive(8).unwrap(), message(number, 8));
            }
        },
    );
}

#[test]
fn rejects_unexpected_length() {
    every_pair(
        |_, _, mut side| {
            for bytes in [100, 0, 7] {
                side.sender.send(&message(0, bytes)).unwrap();
            }
        },
        |name, _, mut side| {
            for (bytes, expected) in [(100, 99), (0, 1)] {
                let error = side.receive(expected).unwrap_err().to_string();
                assert_eq!(
                    error,
                    format!("received a message of {bytes} B, expected {expected} B"),
                    "{name}"
                );
            }
            assert_eq!(side.receive(7).unwrap(), message(0, 7));
        },
    );
}

#[test]
fn rejects_unexpected_form() {
    for (sent, expected) in [(0, 4), (4, 0), (5, 2), (2, 5)] {
        let kernel = Simulated::new(USER);
        let (address, other) = (new_address().unwrap(), kernel.process(USER));
        thread::scope(|scope| {
            let at = &address;
            scope.spawn(move || {
                let mut side = Side::connect(&other, End::Responder, at, ALL[expected].form).unwrap();
                let error = side.receive(50_000).unwrap_err().to_string();
                assert!(error.contains("unexpected message kind"), "{error}");
                assert!(is_closed(side.receive(50_000)));
            });
            let mut side = Side::connect(&kernel, End::Initiator, at, ALL[sent].form).unwrap();
            side.sender.send(&[0; 50_000]).unwrap();
        });
        kernel.assert_clean();
    }
}

#[test]
fn rejects_unknown_kind() {
    for transport in ALL {
        let kernel = Simulated::new(USER);
        let (address, other) = (new_address().unwrap(), kernel.process(USER));
        thread::scope(|scope| {
            let at = &address;
            scope.spawn(move || {
                let mut side = Side::connect(&other, End::Responder, at, transport.form).unwrap();
                for _ in 0..2 {
                    let error = side.receive(8).unwrap_err().to_string();
                    assert!(error.starts_with("rejected a Mach message: unexpected kind"), "{error}");
                }
                assert!(is_closed(side.receive(8)));
            });
            let meeting = initiate(&kernel, &parsed(at), TIMEOUT).unwrap();
            let (to, memory) = (Destination::Peer(meeting.peer.name()), vec![7; 100_000]);
            let mut message = vec![0; OUT_OF_LINE_BYTES];
            put_out_of_line(&mut message, to, &memory, Copying::Physical);
            message[abi::ID].fill(9);
            send(&kernel, &mut message);
            let mut message = vec![0; RIGHT_BYTES];
            put_right(&mut message, to, meeting.peer.name());
            message[abi::ID].fill(9);
            send(&kernel, &mut message);
        });
        kernel.assert_clean();
    }
}

#[test]
fn out_of_line_memory_begins_at_a_page() {
    every_pair(
        |name, form, mut side| {
            for bytes in [0, 1, 16_384, 100_000] {
                let memory = side.sender.allocate(bytes).unwrap();
                let page_bytes = if form.carriage == Carriage::Inline { 4_096 } else { 16_384 };
                assert_eq!((memory.len(), memory.as_ptr().addr() % page_bytes), (bytes, 0), "{name}");
                assert!(memory.iter().all(|&byte| byte == 0xff), "{name}: not touched");
            }
        },
        |_, _, _| {},
    );
}

/// A passed right is recognized by its identity.
#[test]
fn passed_right_stays_with_the_sender() {
    const RIGHTS: u32 = 20;
    every_pair(
        |_, _, mut side| {
            let file = passable::make().unwrap();
            let right = Right::for_file(&side.kernel, &file).unwrap();
            drop(file);
            side.sender.send(&right.identity().unwrap().to_le_bytes()).unwrap();
            side.kernel.time_out_sends(3);
            for _ in 0..RIGHTS {
                side.sender.send_right(&right).unwrap();
            }
            side.sender.send(b"no right").unwrap();
            assert!(right.open().is_ok());
        },
        |name, form, mut side| {
            let expected = side.receive(8).unwrap();
            if form.arrival != Arrival::Bridge {
                side.kernel.until(|tally, _| tally.timed_out >= 3);
            }
            for _ in 0..RIGHTS {
                let right = side.receiver.receive_right().unwrap();
                assert_eq!(right.identity().unwrap().to_le_bytes().to_vec(), expected, "{name}");
            }
            let error = side.receiver.receive_right().err().unwrap().to_string();
            assert!(error.contains("unexpected message kind"), "{name}: {error}");
        },
    );
}
