//! A ring of several senders, and members that die.

use crate::loom_shim::{Died, dying};
use crate::ring::{Closed, Receiver, Sender, Waiting};
use crate::support::{MECHANISMS, Place, check, message, receive_all, send_all, settings};
use crate::sys::liveness;
use loom::thread;
use std::mem::ManuallyDrop;
use std::panic::{set_hook, take_hook};
use std::sync::Once;

/// Messages of one sender: the tens digit is the sender.
fn from_sender(received: &[u64], sender: u64) -> Vec<u64> {
    received.iter().copied().filter(|number| number / 10 == sender).collect()
}

#[test]
fn messages_of_two_senders_arrive_in_order() {
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
            assert_eq!(from_sender(&received, 1), (10..10 + messages).collect::<Vec<_>>());
            assert_eq!(from_sender(&received, 2), (20..20 + messages).collect::<Vec<_>>());
            assert_eq!(received.len() as u64, 2 * messages);
            for sending in sending {
                sending.join().unwrap();
            }
        });
    }
}

/// A thread that claims a slot and dies while it writes. It cleans up nothing.
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
    let died = dying(|| seat.send(&message(99)));
    assert!(died.is_err(), "it was to die while it writes");
    liveness::die(who);
}

/// The watchdog's action when a member has slept for long.
fn clear_dead(place: &Place) -> thread::JoinHandle<()> {
    let place = place.clone();
    thread::spawn(move || place.view().clear_dead())
}

#[test]
fn sender_dying_while_writing_blocks_no_one() {
    check(1, || {
        let place = Place::new(2, settings(true, Waiting::Block, MECHANISMS[0]));
        let mut receiver = Receiver::join(place.view()).unwrap();
        let dying_seat = Sender::join(place.view()).unwrap();
        let who = liveness::last();
        let mut survivor = Sender::join(place.view()).unwrap();
        let dying = thread::spawn(move || claim_and_die(dying_seat, who));
        dying.join().unwrap();
        let clearing = clear_dead(&place);
        let sending = thread::spawn(move || {
            send_all(&mut survivor, 10..13);
        });
        assert_eq!(receive_all(&mut receiver), [10, 11, 12]);
        sending.join().unwrap();
        clearing.join().unwrap();
    });
}

#[test]
fn dead_claim_is_voided_once() {
    check(1, || {
        let place = Place::new(2, settings(true, Waiting::Block, MECHANISMS[0]));
        let receivers = [0, 1].map(|_| Receiver::join(place.view()).unwrap());
        let dying_seat = Sender::join(place.view()).unwrap();
        let who = liveness::last();
        let mut survivor = Sender::join(place.view()).unwrap();
        claim_and_die(dying_seat, who);
        let receiving = receivers.map(|mut receiver| thread::spawn(move || receive_all(&mut receiver)));
        let clearing = clear_dead(&place);
        place.view().clear_dead();
        survivor.send(&message(10)).unwrap();
        drop(survivor);
        for receiving in receiving {
            assert_eq!(receiving.join().unwrap(), [10]);
        }
        clearing.join().unwrap();
    });
}

#[test]
fn dying_receiver_blocks_no_one() {
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
fn receivers_fail_when_the_last_sender_dies() {
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
