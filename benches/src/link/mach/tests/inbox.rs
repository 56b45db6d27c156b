//! Tests of the buffer that grows, and of errors when receiving.

use super::*;
use crate::sys::mach::exchange::fill;
use crate::sys::mach::frame::Frame;
use crate::sys::mach::{Code, Trailer, abi};

#[test]
fn buffer_grows_once_and_never_shrinks() {
    const SIZES: [usize; 6] = [100, 1 << 20, 100, 1 << 20, 500_000, 2 << 20];
    for transport in [ALL[0], ALL[1], ALL[3]] {
        let kernel = Simulated::new(USER);
        let other = kernel.process(USER);
        let respond = |_: &str, _: Form, mut side: Side| {
            for bytes in SIZES {
                assert!(side.receive(bytes).unwrap() == message(0, bytes));
            }
            // A message that was too large stayed in the port and was then received.
            assert_eq!(side.kernel.tally().too_large, 2);
        };
        let initiate = |_: &str, _: Form, mut side: Side| {
            for bytes in SIZES {
                side.sender.send(&message(0, bytes)).unwrap();
            }
        };
        pair(transport.slug, transport.form, (&kernel, other), initiate, Arc::new(respond));
        kernel.assert_clean();
    }
}

/// Fills a small frame with simulated kernel answers; a message that is too large reports this size.
fn filled(size: u32, answers: &[Code]) -> io::Result<usize> {
    let kernel = Simulated::new(USER);
    let mut frame = Frame::new(1_000, 4_096);
    let mut answers = answers.iter();
    fill(&kernel, &mut frame, Trailer::Least, |buffer| {
        buffer[abi::SIZE].copy_from_slice(&size.to_ne_bytes());
        Ok(*answers.next().expect("no more calls"))
    })?;
    assert!(answers.next().is_none());
    Ok(frame.len())
}

#[test]
fn frame_grows_to_message_and_trailer() {
    let too_large = Code::RECEIVE_TOO_LARGE;
    assert_eq!(filled(100_000, &[too_large, Code::SUCCESS]).unwrap(), 100_008);
    // Only the trailer does not fit.
    assert_eq!(filled(996, &[too_large, Code::SUCCESS]).unwrap(), 1_004);
    assert_eq!(filled(0, &[Code::RECEIVE_INTERRUPTED, Code::SUCCESS]).unwrap(), 1_000);
}

#[test]
fn rejects_oversized_messages() {
    let most = 256 << 20;
    let error = filled(most + 4, &[Code::RECEIVE_TOO_LARGE]).unwrap_err().to_string();
    assert_eq!(error, "the next Mach message has 268435460 B: expected at most 268435456 B");
    // Stops if the kernel contradicts itself.
    let error = filled(992, &[Code::RECEIVE_TOO_LARGE]).unwrap_err().to_string();
    assert_eq!(error, "Mach message of 992 B exceeds the buffer of 1000 B");
}

#[test]
fn reports_kernel_codes_by_name() {
    assert!(is_closed(filled(0, &[Code::RECEIVE_PORT_DIED])));
    let error = filled(0, &[Code(Code::RECEIVE_BODY_ERROR.0 | 0x1000)]).unwrap_err().to_string();
    assert_eq!(error, "Mach error MACH_RCV_BODY_ERROR (0x1000500c)");
}
