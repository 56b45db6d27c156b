//! Tests of the errors when the other end is gone.

use super::rendezvous::look_up;
use super::*;
use crate::sys::mach::Name;
use crate::sys::mach::port::ReceivePort;
use crate::sys::mach::rendezvous::{accept_peer, introduce};
use std::time::Instant;

#[test]
fn sent_messages_arrive_before_the_end() {
    every_pair(
        |_, _, mut side| {
            for number in 0..3 {
                side.sender.send(&message(number, 1_000)).unwrap();
            }
        },
        |name, _, mut side| {
            for number in 0..3 {
                assert_eq!(side.receive(1_000).unwrap(), message(number, 1_000), "{name}");
            }
            for _ in 0..3 {
                assert!(is_closed(side.receive(1_000)), "{name}");
            }
        },
    );
}

#[test]
fn receiver_fails_when_the_sender_dies() {
    every_pair(
        |_, _, side| {
            // In one process, both would die.
            if side.kernel.processes() == 2 { side.die() } else { drop(side) }
        },
        |name, _, mut side| assert!(is_closed(side.receive(1)), "{name}"),
    );
}

#[test]
fn sender_fails_when_the_port_dies() {
    every_pair(
        |name, form, mut side| {
            // The port holds five, and the frames of a bridge five more; one is being sent.
            let refused = (0..100).find_map(|number| side.sender.send(&message(number, 5_000)).err());
            assert!(is_closed(refused.map_or(Ok(()), Err)), "{name}: {form:?}");
        },
        |_, form, side| {
            side.kernel.until(|tally, waiting| {
                let in_frames = if form.arrival == Arrival::Bridge { 5 } else { 0 };
                tally.received >= 2 + in_frames && waiting.contains(&5)
            });
            if side.kernel.processes() == 2 { side.die() } else { drop(side) }
        },
    );
}

#[test]
fn halves_can_be_dropped_separately() {
    every_pair(
        |name, _, side| {
            let Side { kernel: _, mut sender, receiver } = side;
            drop(receiver);
            sender.send(b"still here").unwrap();
            drop(sender);
            let _ = name;
        },
        |name, _, side| {
            let Side { kernel: _, mut sender, mut receiver } = side;
            assert_eq!(receiver.receive(&mut [0; 10]).unwrap(), b"still here", "{name}");
            assert!(is_closed(receiver.receive(&mut [0; 10])), "{name}");
            assert!(is_closed((0..2).try_for_each(|_| sender.send(b"anybody?"))), "{name}");
        },
    );
}

#[test]
fn end_that_leaves_immediately_has_connected() {
    let form = ALL[0].form;
    let kernel = Simulated::new(USER);
    let (address, other) = (new_address().unwrap(), kernel.process(USER));
    let at = address.clone();
    let responding = thread::spawn(move || drop(Side::connect(&other, End::Responder, &at, form).unwrap()));
    let token = parsed(&address).token;
    let service = look_up(&kernel, &parsed(&address));
    let port = ReceivePort::new(&kernel).unwrap();
    introduce(&kernel, &service, &port, &token).unwrap();
    drop(service);
    responding.join().unwrap();

    let peer = accept_peer(&kernel, &port, &token, Instant::now()).unwrap();
    assert_eq!(peer.name(), Name::DEAD);
    let mut receiver = MachReceiver::new(&kernel, port, form).unwrap();
    assert!(is_closed(receiver.receive(&mut [0]).map(drop)));
    assert!(is_closed(MachSender::new(&kernel, peer, form.carriage).send(b"anybody?")));
    drop(receiver);
    kernel.assert_clean();
}
