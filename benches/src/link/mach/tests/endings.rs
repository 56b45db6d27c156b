//! What an end hears when the other is gone.

use super::rendezvous::look_up;
use super::*;
use crate::sys::mach::Name;
use crate::sys::mach::port::ReceivePort;
use crate::sys::mach::rendezvous::{introduce, welcome};
use std::time::Instant;

#[test]
fn what_was_sent_before_leaving_is_received_and_then_the_end_is_an_error() {
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
fn who_waits_for_a_message_of_a_process_that_dies_is_released() {
    every_pair(
        |_, _, side| {
            // In one process both would be dead.
            if side.kernel.processes() == 2 { side.die() } else { drop(side) }
        },
        |name, _, mut side| assert!(is_closed(side.receive(1)), "{name}"),
    );
}

#[test]
fn who_waits_for_room_in_a_port_whose_owner_is_gone_is_released() {
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
fn one_half_may_be_dropped_and_the_other_goes_on() {
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
fn who_comes_and_goes_at_once_has_come() {
    let form = ALL[0].form;
    let kernel = Simulated::new(USER);
    let (address, other) = (draw_address().unwrap(), kernel.process(USER));
    let at = address.clone();
    let responding = thread::spawn(move || drop(Side::connect(&other, End::Responder, &at, form).unwrap()));
    let token = parsed(&address).token;
    let service = look_up(&kernel, &parsed(&address));
    let port = ReceivePort::new(&kernel).unwrap();
    introduce(&kernel, &service, &port, &token).unwrap();
    drop(service);
    responding.join().unwrap();

    let peer = welcome(&kernel, &port, &token, Instant::now()).unwrap();
    assert_eq!(peer.name(), Name::DEAD);
    let mut receiver = MachReceiver::new(&kernel, port, form).unwrap();
    assert!(is_closed(receiver.receive(&mut [0]).map(drop)));
    assert!(is_closed(MachSender::new(&kernel, peer, form.carriage).send(b"anybody?")));
    drop(receiver);
    kernel.assert_clean();
}
