//! Tests of the thread that hands messages over.

use super::*;
use crate::sys::passable;

fn bridged(
    initiate: impl FnOnce(&str, Form, Side),
    respond: impl Fn(&str, Form, Side) + Send + Sync + 'static,
) {
    let kernel = Simulated::new(USER);
    let other = kernel.process(USER);
    pair(
        "bridge",
        mach_kqueue_bridge::MACH_KQUEUE_BRIDGE.form,
        (&kernel, other),
        initiate,
        Arc::new(respond),
    );
    kernel.assert_clean();
}

/// Connecting takes two messages.
const CONNECT_MESSAGES: u32 = 2;

#[test]
fn stops_receiving_without_empty_frames() {
    bridged(
        |_, _, mut side| {
            for number in 0..20 {
                side.sender.send(&message(number, 16)).unwrap();
            }
        },
        |_, _, mut side| {
            side.kernel
                .until(|tally, waiting| tally.received == CONNECT_MESSAGES + 5 && waiting.contains(&5));
            for number in 0..20 {
                assert_eq!(side.receive(16).unwrap(), message(number, 16));
            }
        },
    );
}

#[test]
fn dropping_a_bridge_releases_messages() {
    bridged(
        |_, _, mut side| {
            let right = Right::for_file(&side.kernel, &passable::make().unwrap()).unwrap();
            for _ in 0..5 {
                side.sender.send_right(&right).unwrap();
            }
            side.kernel.until(|tally, _| tally.received >= CONNECT_MESSAGES + 5);
        },
        |_, _, side| {
            // Each of the five holds a right, and they stay unread.
            side.kernel.until(|tally, _| tally.received >= CONNECT_MESSAGES + 5);
        },
    );
}

#[test]
fn every_frame_grows_by_itself() {
    bridged(
        |_, _, mut side| {
            for bytes in [100_000; 12] {
                side.sender.send(&message(0, bytes)).unwrap();
            }
        },
        |_, _, mut side| {
            for bytes in [100_000; 12] {
                assert!(side.receive(bytes).unwrap() == message(0, bytes));
            }
            assert_eq!(side.kernel.tally().too_large, 5);
        },
    );
}
