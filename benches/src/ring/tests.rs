//! The ring in the memory of one process: tests that need more than the model checker's two slots. They also run under
//! Miri, which checks every memory access.

use crate::ring::block::View;
use crate::ring::geometry::Geometry;
use crate::ring::{Closed, NoSeat, Receiver, Ring, SEATS, Sender, Settings, TooSmall, Waiting, WakeRule};
use std::thread;

/// Enough for some laps; Miri is a thousand times slower.
const MESSAGES: u64 = if cfg!(miri) { 40 } else { 50_000 };

/// Memory for a ring of eight slots.
#[derive(Clone)]
struct Place {
    memory: View,
    settings: Settings,
}

const GEOMETRY: Geometry = Geometry::with_slots(8, 16);

impl Place {
    fn new(many_senders: bool) -> Self {
        let settings =
            Settings { many_senders, waiting: Waiting::Spin, wake_rule: WakeRule::IfAsleep, mechanism: None };
        Self { memory: View::zeroed(GEOMETRY.bytes()), settings }
    }

    fn view(&self) -> Ring {
        Ring::new(Box::new(self.memory.clone()), GEOMETRY, self.settings).unwrap()
    }
}

fn number(message: &[u8]) -> u64 {
    u64::from_le_bytes(message.try_into().unwrap())
}

/// Receives until all senders have left.
fn receive_all(mut receiver: Receiver) -> Vec<u64> {
    let mut received = Vec::new();
    while let Ok(message) = receiver.receive() {
        received.push(number(message));
    }
    received
}

#[test]
fn every_receiver_gets_all_messages_in_order() {
    for (senders, many_senders) in [(1, false), (1, true), (3, true)] {
        let place = Place::new(many_senders);
        let receiving: Vec<_> = (0..3)
            .map(|_| Receiver::join(place.view()).unwrap())
            .map(|receiver| thread::spawn(move || receive_all(receiver)))
            .collect();
        let seats: Vec<_> = (0..senders).map(|_| Sender::join(place.view()).unwrap()).collect();
        for (sender, mut seat) in (0..senders).zip(seats) {
            thread::spawn(move || {
                for number in 0..MESSAGES {
                    seat.send(&(sender << 32 | number).to_le_bytes()).unwrap();
                }
            });
        }
        for receiving in receiving {
            let received = receiving.join().unwrap();
            for sender in 0..senders {
                let of_sender = received.iter().filter(|&&number| number >> 32 == sender);
                let numbers: Vec<u64> = of_sender.map(|number| number & 0xffff_ffff).collect();
                assert_eq!(numbers, (0..MESSAGES).collect::<Vec<_>>(), "{senders} senders");
            }
        }
    }
}

#[test]
fn full_ring_accepts_no_message() {
    for many_senders in [false, true] {
        let place = Place::new(many_senders);
        let mut receiver = Receiver::join(place.view()).unwrap();
        let mut sender = Sender::join(place.view()).unwrap();
        let taken = (0..20_u64).filter(|number| sender.offer(&number.to_le_bytes()).unwrap()).count();
        assert_eq!(taken as u64, GEOMETRY.slots);
        assert_eq!(receiver.receive().map(number), Ok(0));
        // It is still in use: the slot is not free yet.
        assert_eq!(sender.offer(&[0; 8]), Ok(false));
        receiver.release();
        assert_eq!(sender.offer(&[0; 8]), Ok(true));
    }
}

#[test]
fn messages_up_to_a_slot_arrive_intact() {
    let place = Place::new(false);
    let mut receiver = Receiver::join(place.view()).unwrap();
    let mut sender = Sender::join(place.view()).unwrap();
    for length in 0..=GEOMETRY.message_bytes {
        let message: Vec<u8> = (1..).take(length).collect();
        sender.send(&message).unwrap();
        assert_eq!(receiver.receive(), Ok(&message[..]));
    }
}

/// Memory for a ring of four slots for long messages.
fn long() -> impl Fn() -> Ring {
    let geometry = Geometry::with_slots(4, 2_000);
    let memory = View::zeroed(geometry.bytes());
    let settings = Place::new(false).settings;
    move || Ring::new(Box::new(memory.clone()), geometry, settings).unwrap()
}

#[test]
fn sender_reuses_the_buffer_of_a_message_that_all_have_read() {
    let view = long();
    let mut receivers = [0, 1].map(|_| Receiver::join(view()).unwrap());
    let mut sender = Sender::join(view()).unwrap();
    let mut addresses = Vec::new();
    for number in 0..10_u8 {
        sender.send(&[number; 2_000]).unwrap();
        for receiver in &mut receivers {
            let message = receiver.receive().unwrap();
            assert_eq!(message, [number; 2_000]);
            addresses.push(message.as_ptr().addr());
            receiver.release();
        }
    }
    addresses.dedup();
    assert_eq!(addresses.len(), 1);
}

#[test]
fn slow_receiver_keeps_its_messages_while_buffers_are_reused() {
    let view = long();
    let mut slow = Receiver::join(view()).unwrap();
    let mut sender = Sender::join(view()).unwrap();
    for number in 0..2 {
        sender.send(&[number; 2_000]).unwrap();
    }
    assert_eq!(slow.receive(), Ok(&[0; 2_000][..]));
    // A new sender finds one message in use and one unread.
    drop(sender);
    let mut sender = Sender::join(view()).unwrap();
    for number in 2..4 {
        assert_eq!(sender.offer(&[number; 2_000]), Ok(true));
    }
    assert_eq!(sender.offer(&[4; 2_000]), Ok(false), "all four buffers hold a message");
    for number in 1..4 {
        assert_eq!(slow.receive(), Ok(&[number; 2_000][..]));
    }
}

#[test]
fn dead_members_are_replaced() {
    for many_senders in [false, true] {
        let place = Place::new(many_senders);
        place.view().use_and_die().unwrap();
        let receiver = Receiver::join(place.view()).unwrap();
        let mut sender = Sender::join(place.view()).unwrap();
        let receiving = thread::spawn(move || receive_all(receiver));
        for number in 0..MESSAGES {
            sender.send(&number.to_le_bytes()).unwrap();
        }
        drop(sender);
        assert_eq!(receiving.join().unwrap(), (0..MESSAGES).collect::<Vec<_>>());
    }
}

#[test]
fn seats_are_limited_and_reusable() {
    let place = Place::new(true);
    let mut seated: Vec<Sender> = (0..SEATS).map(|_| Sender::join(place.view()).unwrap()).collect();
    assert_eq!(Sender::join(place.view()).err(), Some(NoSeat::Full));
    let freed = seated.remove(SEATS / 2).seat();
    assert_eq!(Sender::join(place.view()).unwrap().seat(), freed);
}

#[test]
fn last_member_gets_an_error() {
    let place = Place::new(false);
    let mut receiver = Receiver::join(place.view()).unwrap();
    let mut sender = Sender::join(place.view()).unwrap();
    sender.send(&1_u64.to_le_bytes()).unwrap();
    drop(sender);
    assert_eq!(receiver.receive().map(number), Ok(1), "what was sent before is received");
    assert_eq!(receiver.receive(), Err(Closed));

    let mut sender = Sender::join(place.view()).unwrap();
    drop(receiver);
    assert!((0..=GEOMETRY.slots).any(|_| sender.send(&[0; 8]) == Err(Closed)));
}

#[test]
fn rejects_memory_that_is_too_small() {
    let place = Place::new(false);
    let larger = Geometry::with_slots(1 << 20, 16);
    let refused = Ring::new(Box::new(place.memory), larger, place.settings).err();
    assert!(matches!(refused, Some(TooSmall { .. })));
}
