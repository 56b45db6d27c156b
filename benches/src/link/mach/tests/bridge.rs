//! The thread that hands messages over.

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

/// Both ends have met by two messages.
const MET: u32 = 2;

#[test]
fn no_more_messages_are_handed_over_than_there_are_frames() {
    bridged(
        |_, _, mut side| {
            for number in 0..20 {
                side.sender.send(&message(number, 16)).unwrap();
            }
        },
        |_, _, mut side| {
            side.kernel.until(|tally, waiting| tally.received == MET + 5 && waiting.contains(&5));
            for number in 0..20 {
                assert_eq!(side.receive(16).unwrap(), message(number, 16));
            }
        },
    );
}

#[test]
fn a_bridge_that_is_dropped_lets_go_of_what_it_was_handed() {
    bridged(
        |_, _, mut side| {
            let right = Right::of(&side.kernel, &passable::make().unwrap()).unwrap();
            for _ in 0..5 {
                side.sender.send_right(&right).unwrap();
            }
            side.kernel.until(|tally, _| tally.received >= MET + 5);
        },
        |_, _, side| {
            // Each of the five holds a right, and nobody looks at them.
            side.kernel.until(|tally, _| tally.received >= MET + 5);
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
