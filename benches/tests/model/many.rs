//! A ring of many senders, and members that die.

use crate::loom_shim::{Died, doomed};
use crate::ring::{Closed, Receiver, Sender, Waiting};
use crate::support::{MECHANISMS, Place, check, message, receive_all, send_all, settings};
use crate::sys::liveness;
use loom::thread;
use std::mem::ManuallyDrop;
use std::panic::{set_hook, take_hook};
use std::sync::Once;

/// Messages of a sender say whose they are in the tens.
fn of_sender(received: &[u64], sender: u64) -> Vec<u64> {
    received.iter().copied().filter(|number| number / 10 == sender).collect()
}

#[test]
fn messages_of_two_senders_all_arrive_each_sender_s_in_order() {
    for (mechanism, preemptions, messages) in
        [(MECHANISMS[0], 2, 1), (MECHANISMS[0], 1, 2), (MECHANISMS[1], 1, 2)]
    {
        check(preemptions, move || {
            let place = Place::new(2, settings(true, Waiting::Block, mechanism));
            let mut receiver = Receiver::join(place.view()).unwrap();
            let sending = [1, 2].map(|sender| {
                let mut seat = Sender::join(place.view()).unwrap();
                thread::spawn(move || {
                    send_all(&mut seat, (0..messages).map(|number| sender * 10 + number));
                })
            });
            let received = receive_all(&mut receiver);
            assert_eq!(of_sender(&received, 1), (10..10 + messages).collect::<Vec<_>>());
            assert_eq!(of_sender(&received, 2), (20..20 + messages).collect::<Vec<_>>());
            assert_eq!(received.len() as u64, 2 * messages);
            for sending in sending {
                sending.join().unwrap();
            }
        });
    }
}

/// A thread that claims a slot and dies while it writes. It leaves nothing in order.
fn claim_and_die(seat: Sender, who: liveness::Identity) {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            if !info.payload().is::<Died>() {
                usual(info);
            }
        }));
    });
    let mut seat = ManuallyDrop::new(seat);
    let died = doomed(|| seat.send(&message(99)));
    assert!(died.is_err(), "it was to die while it writes");
    liveness::die(who);
}

/// What a watchdog does when somebody has slept for long.
fn clear_dead(place: &Place) -> thread::JoinHandle<()> {
    let place = place.clone();
    thread::spawn(move || place.view().clear_dead())
}

#[test]
fn a_sender_that_dies_while_it_writes_holds_up_nobody() {
    check(1, || {
        let place = Place::new(2, settings(true, Waiting::Block, MECHANISMS[0]));
        let mut receiver = Receiver::join(place.view()).unwrap();
        let dying_seat = Sender::join(place.view()).unwrap();
        let who = liveness::last();
        let mut living = Sender::join(place.view()).unwrap();
        let dying = thread::spawn(move || claim_and_die(dying_seat, who));
        dying.join().unwrap();
        let clearing = clear_dead(&place);
        let sending = thread::spawn(move || {
            send_all(&mut living, 10..13);
        });
        assert_eq!(receive_all(&mut receiver), [10, 11, 12]);
        sending.join().unwrap();
        clearing.join().unwrap();
    });
}

#[test]
fn the_claim_of_the_dead_is_voided_once_however_many_see_to_it() {
    check(1, || {
        let place = Place::new(2, settings(true, Waiting::Block, MECHANISMS[0]));
        let receivers = [0, 1].map(|_| Receiver::join(place.view()).unwrap());
        let dying_seat = Sender::join(place.view()).unwrap();
        let who = liveness::last();
        let mut living = Sender::join(place.view()).unwrap();
        claim_and_die(dying_seat, who);
        let receiving = receivers.map(|mut receiver| thread::spawn(move || receive_all(&mut receiver)));
        let clearing = clear_dead(&place);
        place.view().clear_dead();
        living.send(&message(10)).unwrap();
        drop(living);
        for receiving in receiving {
            assert_eq!(receiving.join().unwrap(), [10]);
        }
        clearing.join().unwrap();
    });
}

#[test]
fn a_receiver_that_dies_holds_up_nobody() {
    check(1, || {
        let place = Place::new(2, settings(true, Waiting::Block, MECHANISMS[0]));
        let dead = ManuallyDrop::new(Receiver::join(place.view()).unwrap());
        let who = liveness::last();
        let mut receiver = Receiver::join(place.view()).unwrap();
        let mut sender = Sender::join(place.view()).unwrap();
        liveness::die(who);
        let _ = dead;
        let receiving = thread::spawn(move || receive_all(&mut receiver));
        let clearing = clear_dead(&place);
        send_all(&mut sender, 0..4);
        drop(sender);
        assert_eq!(receiving.join().unwrap(), [0, 1, 2, 3]);
        clearing.join().unwrap();
    });
}

#[test]
fn when_the_last_sender_dies_receivers_are_told() {
    check(1, || {
        let place = Place::new(2, settings(true, Waiting::Block, MECHANISMS[0]));
        let mut receiver = Receiver::join(place.view()).unwrap();
        let dying_seat = Sender::join(place.view()).unwrap();
        let who = liveness::last();
        claim_and_die(dying_seat, who);
        let clearing = clear_dead(&place);
        assert_eq!(receiver.receive(), Err(Closed));
        clearing.join().unwrap();
    });
}
