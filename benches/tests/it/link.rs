//! What every transport's link must do, both ends in this process: a byte stream in order whatever the pieces, and
//! an end that is gone is an error, never a wait.

use crate::support::alone;
use roundtrip_bench::link::Link;
use roundtrip_bench::transport::{self, Channel, End, Transport};
use std::thread;

/// Both ends of a fresh channel.
fn connect(transport: &'static dyn Transport) -> (Box<dyn Link>, Box<dyn Link>) {
    let Channel { initiator, responder, folder } = transport.open().unwrap();
    let responder = thread::spawn(move || transport.connect(End::Responder, responder).unwrap());
    let initiator = transport.connect(End::Initiator, initiator).unwrap();
    drop(folder);
    (initiator, responder.join().unwrap())
}

fn supported() -> impl Iterator<Item = &'static dyn Transport> {
    transport::ALL.iter().copied().filter(|transport| match transport.support() {
        Ok(()) => true,
        Err(reason) => {
            println!("{}: not run, because {reason}", transport.info().slug);
            false
        }
    })
}

#[test]
fn bytes_arrive_in_order_however_they_are_cut() {
    // Pieces that straddle pages and the end of the ring, in both directions of the cut.
    let (sent, received) =
        ([1, 7, 4096, 65_535, 65_537, 200_000, 3], [65_536, 5, 100_000, 1, 130_000, 39_632, 5]);
    assert_eq!(sent.iter().sum::<usize>(), received.iter().sum::<usize>());
    let _turn = alone();
    for transport in supported() {
        let (mut writer, mut reader) = connect(transport);
        let writing = thread::spawn(move || {
            let mut bytes = (0..=u8::MAX).cycle();
            for _ in 0..20 {
                for length in sent {
                    let piece: Vec<u8> = bytes.by_ref().take(length).collect();
                    writer.send(&piece).unwrap();
                }
            }
            writer
        });
        let mut expected = (0..=u8::MAX).cycle();
        for _ in 0..20 {
            for length in received {
                let mut piece = vec![0; length];
                reader.receive(&mut piece).unwrap();
                assert!(
                    piece.iter().copied().eq(expected.by_ref().take(length)),
                    "{}",
                    transport.info().slug
                );
            }
        }
        drop(writing.join().unwrap());
    }
}

#[test]
fn what_was_sent_before_leaving_is_received_and_then_the_end_is_an_error() {
    let _turn = alone();
    for transport in supported() {
        let (mut leaving, mut staying) = connect(transport);
        leaving.send(b"last words").unwrap();
        drop(leaving);
        let mut words = [0; 10];
        staying.receive(&mut words).unwrap();
        assert_eq!(&words, b"last words");
        assert!(staying.receive(&mut words).is_err(), "{}", transport.info().slug);
    }
}

#[test]
fn who_waits_for_an_end_that_leaves_is_released() {
    let _turn = alone();
    for transport in supported() {
        let (leaving, mut waiting) = connect(transport);
        let waits = thread::spawn(move || waiting.receive(&mut [0; 1]).is_err());
        drop(leaving);
        assert!(waits.join().unwrap(), "{}: receive", transport.info().slug);

        let (leaving, mut waiting) = connect(transport);
        let waits = thread::spawn(move || waiting.send(&vec![0; 64 * 1024 * 1024]).is_err());
        drop(leaving);
        assert!(waits.join().unwrap(), "{}: send", transport.info().slug);
    }
}

#[test]
fn the_registry_is_in_the_order_of_slugs_and_each_is_found() {
    let slugs: Vec<_> = transport::ALL.iter().map(|transport| transport.info().slug).collect();
    assert!(slugs.is_sorted(), "{slugs:?}");
    for slug in slugs {
        assert_eq!(transport::find(slug.as_str()).unwrap().info().slug, slug);
    }
}
