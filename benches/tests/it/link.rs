//! Required behaviour of every transport's link, with both ends in this process: messages arrive whole and in order at
//! all sizes, and a missing end is an error, never a wait.

use crate::support::{channel, serialize};
use roundtrip_bench::link::Link;
use roundtrip_bench::transport::{self, Channel, ChannelSpec, End, OnFull, Transport};
use std::thread;

/// Runs one end here and the other on a new thread, because links stay on the thread that connects them.
fn meet(
    transport: &'static dyn Transport,
    channel: ChannelSpec,
    initiate: impl FnOnce(Link),
    respond: impl FnOnce(Link) + Send + 'static,
) {
    let Channel { initiator, responder, folder, objects: _objects } = transport.open(&channel).unwrap();
    let responding =
        thread::spawn(move || respond(transport.connect(End::Responder, responder, &channel).unwrap()));
    let link = transport.connect(End::Initiator, initiator, &channel).unwrap();
    drop(folder);
    initiate(link);
    responding.join().unwrap();
}

/// The transports that carry messages of this size here.
fn supported(message_bytes: usize) -> impl Iterator<Item = &'static dyn Transport> {
    transport::ALL.iter().copied().filter(move |transport| match transport.support(&channel(message_bytes)) {
        Ok(()) => true,
        Err(reason) => {
            println!("{}: not run, because {reason}", transport.info().slug);
            false
        }
    })
}

fn message(number: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| u8::try_from((at * 7 + number * 13) % 251).unwrap()).collect()
}

#[test]
fn messages_arrive_whole_and_in_order() {
    const SIZES: [usize; 7] = [1, 7, 4_096, 8_000, 3, 8_192, 100];
    const ROUNDS: usize = 20;
    let _turn = serialize();
    for transport in supported(8_192).filter(|transport| transport.manner().on_full == OnFull::Wait) {
        meet(
            transport,
            channel(8_192),
            |mut link| {
                for number in 0..ROUNDS * SIZES.len() {
                    link.sender.send(&message(number, SIZES[number % SIZES.len()])).unwrap();
                }
                // Lent memory must stay until it has been returned.
                link.sender.reclaim().unwrap();
            },
            move |mut link| {
                for number in 0..ROUNDS * SIZES.len() {
                    let mut buffer = vec![0; SIZES[number % SIZES.len()]];
                    let slug = transport.info().slug;
                    let received = link.receiver.receive(&mut buffer);
                    let received =
                        received.unwrap_or_else(|error| panic!("{slug}: message {number}: {error}"));
                    assert_eq!(received, message(number, received.len()), "{slug}: message {number}");
                }
            },
        );
    }
}

#[test]
fn lent_memory_is_not_written_before_its_return() {
    let _turn = serialize();
    for transport in supported(8_192).filter(|transport| transport.manner().on_full == OnFull::Wait) {
        meet(
            transport,
            channel(8_192),
            |mut link| {
                let mut memory = link.sender.allocate(8_192).unwrap();
                for number in 0..50 {
                    link.sender.reclaim().unwrap();
                    memory.copy_from_slice(&message(number, 8_192));
                    link.sender.send(&memory).unwrap();
                }
                link.sender.reclaim().unwrap();
            },
            move |mut link| {
                let mut buffer = vec![0; 8_192];
                for number in 0..50 {
                    let received = link.receiver.receive(&mut buffer).unwrap();
                    assert_eq!(received, message(number, 8_192), "{}", transport.info().slug);
                }
            },
        );
    }
}

#[test]
fn sent_messages_arrive_before_the_end() {
    let _turn = serialize();
    for transport in supported(16) {
        meet(
            transport,
            channel(16),
            |mut link| {
                link.sender.send(b"last words").unwrap();
                // Memory that was passed by reference lives as long as its sender.
                link.sender.reclaim().unwrap();
            },
            move |mut link| {
                let slug = transport.info().slug;
                let mut buffer = [0; 10];
                assert_eq!(link.receiver.receive(&mut buffer).unwrap(), b"last words", "{slug}");
                assert!(link.receiver.receive(&mut buffer).is_err(), "{slug}");
            },
        );
    }
}

#[test]
fn receiver_fails_when_the_other_end_leaves() {
    let _turn = serialize();
    for transport in supported(16) {
        meet(transport, channel(16), drop, move |mut link| {
            assert!(link.receiver.receive(&mut [0; 1]).is_err(), "{}", transport.info().slug);
        });
    }
}

#[test]
fn sender_fails_when_the_other_end_leaves() {
    let _turn = serialize();
    for transport in supported(4_096) {
        let slug = transport.info().slug;
        if slug.as_str() == "posix-mq" {
            println!(
                "{slug}: not run, because a queue does not know its readers: the deadline ends such a wait"
            );
            continue;
        }
        meet(transport, channel(4_096), drop, move |mut link| {
            let message = link.sender.allocate(4_096).unwrap();
            // More than any channel holds. One that drops may never notice, and does not wait either.
            let refused = (0..100_000)
                .any(|_| link.sender.send(&message).and_then(|()| link.sender.reclaim()).is_err());
            assert!(refused || transport.manner().on_full == OnFull::Drop, "{slug}");
        });
    }
}

#[test]
fn grants_and_reports_requested_buffers() {
    let _turn = serialize();
    let asked = ChannelSpec { message_bytes: 64, buffer_bytes: Some(131_072), ..ChannelSpec::default() };
    for &transport in transport::ALL.iter().filter(|transport| transport.support(&asked).is_ok()) {
        meet(
            transport,
            asked,
            |mut link| {
                let granted = [link.buffers.send_bytes, link.buffers.receive_bytes];
                assert!(
                    granted.iter().all(|&bytes| bytes >= Some(131_072)),
                    "{}: {granted:?}",
                    transport.info().slug
                );
                // macOS cannot set buffer sizes on a socket whose other end is gone, so this one stays until then.
                link.receiver.receive(&mut [0; 64]).unwrap();
            },
            |mut link| {
                let message = link.sender.allocate(64).unwrap();
                link.sender.send(&message).unwrap();
                link.sender.reclaim().unwrap();
            },
        );
    }
}

#[test]
fn registry_is_sorted_and_searchable() {
    let slugs: Vec<_> = transport::ALL.iter().map(|transport| transport.info().slug).collect();
    assert!(slugs.is_sorted(), "{slugs:?}");
    for slug in slugs {
        assert_eq!(transport::find(slug.as_str()).unwrap().info().slug, slug);
    }
}
