//! Tests of accepted and rejected introductions.

use super::*;
use crate::sys::mach::message::{self as form_of, Destination, INTRODUCTION_BYTES, inline_bytes};
use crate::sys::mach::port::{ReceivePort, SendRight};
use crate::sys::mach::rendezvous::{initiate, respond};
use crate::sys::mach::token::Token;
use crate::sys::mach::{Code, Kernel, Name, Trailer, abi};
use std::sync::mpsc::channel;

pub(super) fn look_up(kernel: &Simulated, address: &Address) -> SendRight<Simulated> {
    loop {
        match kernel.look_up(address.service()) {
            Ok(name) => return SendRight::owning(kernel, name),
            Err(Code::UNKNOWN_SERVICE) => thread::yield_now(),
            Err(code) => panic!("{code}"),
        }
    }
}

#[expect(unsafe_code, reason = "a message may describe memory")]
pub(super) fn send(kernel: &Simulated, message: &mut [u8]) {
    // SAFETY: the memory that it describes belongs to the caller, which waits.
    let code = unsafe { kernel.send(message, Duration::from_secs(60)) };
    assert_eq!(code, Code::SUCCESS);
}

fn introduction(to: Name, port: Name, token: &Token) -> Vec<u8> {
    let mut message = vec![0; INTRODUCTION_BYTES];
    form_of::put_introduction(&mut message, Destination::Peer(to), port, token);
    message
}

/// All messages except an introduction that can reach a public name.
fn intrusions(address: &Address, to: Name, port: Name, memory: &[u8]) -> Vec<Vec<u8>> {
    let wrong = Token::read(&[0; 32]).unwrap();
    let good = introduction(to, port, &address.token);
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut message = good.clone();
        change(&mut message);
        message
    };
    let mut out_of_line = vec![0; 44];
    form_of::put_out_of_line(&mut out_of_line, Destination::Peer(to), memory, Copying::Physical);
    let mut inline = vec![0; inline_bytes(300_000)];
    form_of::put_inline(&mut inline, Destination::Peer(to), 300_000);
    let mut stop = vec![0; 24];
    form_of::put_stop(&mut stop, Destination::Peer(to));
    vec![
        introduction(to, port, &wrong),
        // Longer, shorter, without its token.
        changed(&|message| message.extend([0; 4])),
        changed(&|message| message.truncate(INTRODUCTION_BYTES - 4)),
        changed(&|message| message.truncate(40)),
        // No right, a send-once right.
        changed(&|message| message[28..32].fill(0)),
        changed(&|message| message[38] = abi::MAKE_SEND_ONCE),
        // Without the complex bit, it has no descriptors.
        changed(&|message| message[3] = 0),
        // It also expects an answer.
        changed(&|message| {
            message[1] = abi::MAKE_SEND;
            message[12..16].copy_from_slice(&port.0.to_ne_bytes());
        }),
        // Two descriptors: the second was the beginning of the token.
        changed(&|message| {
            message[24..28].copy_from_slice(&2_u32.to_ne_bytes());
            message[40..72].fill(0);
        }),
        out_of_line,
        inline,
        stop,
        // It looks like a notification from the kernel.
        {
            let mut message = vec![0; 36];
            form_of::put_stop(&mut message, Destination::Peer(to));
            message[20..24].copy_from_slice(&abi::NO_SENDERS.to_ne_bytes());
            message
        },
    ]
}

#[test]
fn rejects_intruders_and_accepts_the_next() {
    let kernel = Simulated::new(USER);
    let address = new_address().unwrap();
    let (over, is_over) = channel();
    thread::scope(|scope| {
        let (at, responder) = (&address, kernel.process(USER));
        let responding = scope.spawn(move || {
            let mut side = Side::connect(&responder, End::Responder, at, ALL[0].form).unwrap();
            let received = side.receive(4).unwrap();
            side.sender.send(&received).unwrap();
        });
        let (same_user, another_user) = (kernel.process(USER), kernel.process(0));
        scope.spawn(move || {
            let address = parsed(at);
            let memory = vec![7; 50_000];
            for intruder in [&same_user, &another_user] {
                let service = look_up(intruder, &address);
                let port = ReceivePort::new(intruder).unwrap();
                for mut message in intrusions(&address, service.name(), port.name(), &memory) {
                    send(intruder, &mut message);
                }
                if intruder.user() != USER {
                    send(intruder, &mut introduction(service.name(), port.name(), &address.token));
                }
                // Once all messages are rejected, no senders are left.
                drop(service);
                let mut buffer = [0; 100];
                assert_eq!(intruder.receive(port.name(), &mut buffer, Trailer::Least, None), Code::SUCCESS);
                assert_eq!(form_of::read(&buffer), Ok(form_of::Content::NoSenders));
            }
            over.send(()).unwrap();
        });
        is_over.recv().unwrap();
        let mut side = Side::connect(&kernel, End::Initiator, at, ALL[0].form).unwrap();
        side.sender.send(b"good").unwrap();
        assert_eq!(side.receive(4).unwrap(), b"good");
        responding.join().unwrap();
    });
    kernel.assert_clean();
}

#[test]
fn rejected_process_gets_an_error() {
    let kernel = Simulated::new(USER);
    let (address, other) = (new_address().unwrap(), kernel.process(USER + 1));
    thread::scope(|scope| {
        let (at, responder) = (&address, kernel.process(USER));
        let responding = scope.spawn(move || respond(&responder, &parsed(at), TIMEOUT).map(drop));
        let refused = initiate(&other, &parsed(at), TIMEOUT);
        assert!(is_closed(refused.map(drop)));
        initiate(&kernel, &parsed(at), TIMEOUT).unwrap();
        responding.join().unwrap().unwrap();
    });
    kernel.assert_clean();
}

#[test]
fn rejects_answers_from_another_user() {
    let kernel = Simulated::new(USER);
    let address = new_address().unwrap();
    thread::scope(|scope| {
        let (at, impostor) = (&address, kernel.process(0));
        scope.spawn(move || {
            let address = parsed(at);
            let service = ReceivePort::checked_in(&impostor, address.service()).unwrap();
            let mut buffer = [0; 200];
            let code = impostor.receive(service.name(), &mut buffer, Trailer::Audit, None);
            assert_eq!(code, Code::SUCCESS);
            let Ok(form_of::Content::Introduction { port, token }) = form_of::read(&buffer) else { panic!() };
            let peer = SendRight::owning(&impostor, port);
            let own = ReceivePort::new(&impostor).unwrap();
            send(&impostor, &mut introduction(peer.name(), own.name(), &token));
            // No one else can answer then.
        });
        assert!(is_closed(initiate(&kernel, &parsed(at), TIMEOUT).map(drop)));
    });
    kernel.assert_clean();
}

#[test]
fn waiting_times_out() {
    let kernel = Simulated::new(USER);
    let address = parsed(&new_address().unwrap());
    let alone = respond(&kernel, &address, Duration::ZERO).map(drop).unwrap_err();
    assert_eq!(alone.kind(), io::ErrorKind::TimedOut);
    assert_eq!(alone.to_string(), "the other end did not connect in time: no connection");
    let alone = initiate(&kernel, &address, Duration::ZERO).map(drop).unwrap_err().to_string();
    assert!(alone.contains("BOOTSTRAP_UNKNOWN_SERVICE"), "{alone}");
    kernel.assert_clean();

    // The error names the last sender.
    let service = ReceivePort::checked_in(&kernel, address.service()).unwrap();
    let silent = initiate(&kernel, &address, Duration::ZERO).map(drop).unwrap_err().to_string();
    assert_eq!(silent, "the other end did not connect in time: no connection");
    let second = respond(&kernel, &address, Duration::ZERO).map(drop).unwrap_err().to_string();
    assert!(second.contains("BOOTSTRAP_NAME_IN_USE"), "{second}");
    drop(service);
    kernel.assert_clean();
}

#[test]
fn introduction_waits_for_room() {
    let kernel = Simulated::new(USER);
    let address = new_address().unwrap();
    thread::scope(|scope| {
        let (at, responder) = (&address, kernel.process(USER));
        kernel.time_out_sends(1);
        let name = responder.check_in(parsed(at).service()).unwrap();
        let service = look_up(&kernel, &parsed(at));
        for _ in 0..abi::QUEUE_LIMIT_DEFAULT {
            let mut stop = [0; 24];
            form_of::put_stop(&mut stop, Destination::Peer(service.name()));
            send(&kernel, &mut stop);
        }
        drop(service);
        let (initiator, watcher) = (kernel.clone(), kernel.clone());
        let initiating = scope.spawn(move || initiate(&initiator, &parsed(at), TIMEOUT).map(drop));
        watcher.until(|tally, _| tally.timed_out >= 1);
        // Destroying the port also destroys its waiting messages, and a sender that waits for room gets an error.
        responder.destroy_receive(name).unwrap();
        assert!(is_closed(initiating.join().unwrap()));
    });
    kernel.assert_clean();
}
