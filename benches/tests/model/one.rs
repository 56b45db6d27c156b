//! A ring of one sender.

use crate::ring::{Closed, NoSeat, Receiver, Sender, Settings, Waiting, WakeRule};
use crate::support::{MECHANISMS, Place, check, message, number, receive_all, send_all, settings};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

/// One sender, one receiver, both of which must wait: every message once, in order, then the end.
fn pass(settings: Settings, messages: u64) {
    let place = Place::new(2, settings);
    let mut receiver = Receiver::join(place.view()).unwrap();
    let sending = {
        let place = place.clone();
        thread::spawn(move || {
            let mut sender = Sender::join(place.view()).unwrap();
            send_all(&mut sender, 0..messages);
        })
    };
    for expected in 0..messages {
        assert_eq!(receiver.receive().map(number), Ok(expected));
    }
    assert_eq!(receiver.receive(), Err(Closed));
    sending.join().unwrap();
}

#[test]
fn messages_pass_once_in_order_without_deadlock() {
    for mechanism in MECHANISMS {
        for waiting in [Waiting::Block, Waiting::SpinThenBlock] {
            check(3, move || pass(settings(false, waiting, mechanism), 3));
        }
    }
}

#[test]
fn messages_pass_with_a_wake_up_each() {
    check(2, || {
        pass(Settings { wake_rule: WakeRule::Always, ..settings(false, Waiting::Block, MECHANISMS[0]) }, 3);
    });
}

#[test]
fn sender_fails_when_the_receiver_leaves() {
    check(3, || {
        let place = Place::new(2, settings(false, Waiting::Block, MECHANISMS[0]));
        let receiver = Receiver::join(place.view()).unwrap();
        let mut sender = Sender::join(place.view()).unwrap();
        let leaving = thread::spawn(move || drop(receiver));
        // A member that is about to leave blocks no one.
        let _ = (0..3).all(|number| sender.send(&message(number)).is_ok());
        leaving.join().unwrap();
        let refused = (0..5).any(|number| sender.send(&message(number)) == Err(Closed));
        assert!(refused, "five messages do not fit two slots");
    });
}

#[test]
fn late_receiver_gets_all_later_messages() {
    // A member that never sleeps has only the fences for joining.
    let spinning = Settings { mechanism: None, ..settings(false, Waiting::Spin, MECHANISMS[0]) };
    for settings in [settings(false, Waiting::Block, MECHANISMS[0]), spinning] {
        check(2, move || join_late(settings));
    }
}

fn join_late(settings: Settings) {
    let place = Place::new(2, settings);
    let mut sender = Sender::join(place.view()).unwrap();
    let receiving = {
        let place = place.clone();
        thread::spawn(move || {
            let mut receiver = Receiver::join(place.view()).unwrap();
            receive_all(&mut receiver)
        })
    };
    send_all(&mut sender, 0..4);
    drop(sender);
    let numbers = receiving.join().unwrap();
    let first = 4 - numbers.len() as u64;
    assert_eq!(numbers, (first..4).collect::<Vec<_>>());
}

#[test]
fn awaited_receiver_gets_the_first_message() {
    let spinning = Settings { mechanism: None, ..settings(false, Waiting::Spin, MECHANISMS[0]) };
    for settings in [settings(false, Waiting::Block, MECHANISMS[0]), spinning] {
        check(2, move || {
            let place = Place::new(2, settings);
            let mut sender = Sender::join(place.view()).unwrap();
            let receiving = {
                let place = place.clone();
                thread::spawn(move || {
                    let mut receiver = Receiver::join(place.view()).unwrap();
                    for expected in 0..3 {
                        assert_eq!(receiver.receive().map(number), Ok(expected));
                    }
                })
            };
            sender.wait_for_a_receiver();
            send_all(&mut sender, 0..3);
            receiving.join().unwrap();
        });
    }
}

#[test]
fn two_receivers_get_every_message() {
    check(2, || pass_to_two(&Place::new(2, settings(false, Waiting::Block, MECHANISMS[0]))));
}

#[test]
fn reused_buffers_are_never_overwritten_while_they_are_read() {
    check(2, || pass_to_two(&Place::for_long_messages(2, settings(false, Waiting::Block, MECHANISMS[0]))));
}

/// Two receivers get three messages in a ring of two slots.
fn pass_to_two(place: &Place) {
    let mut sender = Sender::join(place.view()).unwrap();
    let receiving = [0, 1].map(|_| {
        let mut receiver = Receiver::join(place.view()).unwrap();
        thread::spawn(move || {
            for expected in 0..3 {
                assert_eq!(receiver.receive().map(number), Ok(expected));
            }
        })
    });
    send_all(&mut sender, 0..3);
    for receiving in receiving {
        receiving.join().unwrap();
    }
}

#[test]
fn new_sender_keeps_buffers_with_unread_messages() {
    check(3, || {
        let place = Place::for_long_messages(4, settings(false, Waiting::Block, MECHANISMS[0]));
        let mut receiver = Receiver::join(place.view()).unwrap();
        let sending = {
            let place = place.clone();
            thread::spawn(move || {
                for numbers in [0..2, 2..4] {
                    send_all(&mut Sender::join(place.view()).unwrap(), numbers);
                }
            })
        };
        for expected in 0..4 {
            // Between the two senders, all have left.
            let received = loop {
                if let Ok(message) = receiver.receive() {
                    break number(message);
                }
                thread::yield_now();
            };
            assert_eq!(received, expected);
        }
        sending.join().unwrap();
    });
}

#[test]
#[expect(unsafe_code, reason = "memory that two threads access")]
fn released_messages_are_no_longer_read() {
    check(3, || {
        let place = Place::new(2, settings(false, Waiting::Block, MECHANISMS[0]));
        let mut receiver = Receiver::join(place.view()).unwrap();
        let mut sender = Sender::join(place.view()).unwrap();
        // Memory outside of the ring that a message refers to: loom reports if both access it at the same time.
        let lent = Arc::new(UnsafeCell::new(0));
        let receiving = {
            let lent = Arc::clone(&lent);
            thread::spawn(move || {
                for expected in 0..2 {
                    assert_eq!(receiver.receive().map(number), Ok(expected));
                    // SAFETY: loom checks that no one writes it now.
                    assert_eq!(lent.with(|lent| unsafe { *lent }), expected);
                    receiver.release();
                }
            })
        };
        for number in 0..2 {
            // SAFETY: loom checks that no one else uses it now.
            lent.with_mut(|lent| unsafe { *lent = number });
            sender.send(&message(number)).unwrap();
            sender.wait_until_released();
        }
        receiving.join().unwrap();
    });
}

#[test]
fn full_ring_rejects_offers() {
    check(3, || {
        let place = Place::new(2, settings(false, Waiting::Block, MECHANISMS[0]));
        let mut receiver = Receiver::join(place.view()).unwrap();
        let mut sender = Sender::join(place.view()).unwrap();
        let sending = thread::spawn(move || {
            (0..4).filter(|&number| sender.offer(&message(number)) == Ok(true)).collect::<Vec<u64>>()
        });
        let received = receive_all(&mut receiver);
        assert_eq!(received, sending.join().unwrap());
    });
}

#[test]
fn ring_for_one_sender_rejects_a_second() {
    check(3, || {
        let place = Place::new(2, settings(false, Waiting::Block, MECHANISMS[0]));
        let sender = Sender::join(place.view()).unwrap();
        assert_eq!(Sender::join(place.view()).err(), Some(NoSeat::OneSender));
        drop(sender);
        assert!(Sender::join(place.view()).is_ok());
    });
}
