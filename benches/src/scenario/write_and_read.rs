//! `write-and-read`: a round trip in which each end writes its whole message and reads every byte of the other's, within
//! the time. Memory that is passed without a copy then costs what its users pay.

use super::{EndReport, Observer, Pair, Pattern, Ready, Scenario, Work, samples};
use crate::link::Link;
use crate::memory::Memory;
use crate::sys::clock::now_ns;
use std::io;

#[derive(Debug)]
pub(crate) struct WriteAndRead;

impl Scenario for WriteAndRead {
    fn slug(&self) -> &'static str {
        "write-and-read"
    }

    fn about(&self) -> &'static str {
        "Like roundtrip, but each end writes its whole message and reads every byte of the other's, within the time."
    }

    fn payload(&self) -> &'static str {
        "written and compared in full by both ends, inside the timed section"
    }

    fn message_bytes_min(&self) -> usize {
        1
    }

    fn asks(&self) -> bool {
        true
    }

    fn pattern(&self) -> Pattern<'_> {
        Pattern::Pair(self)
    }
}

impl Pair for WriteAndRead {
    fn initiate(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let sizes = work.sizes()?;
        let mut message = link.sender.allocate(work.message_bytes)?;
        let mut buffer = Memory::heap(work.message_bytes);
        let mut report = EndReport { samples_ns: samples(work.operations), ..EndReport::default() };
        write(&mut message, 0);
        ready()?;
        let mut sequence = 0;
        let mut exchange = |link: &mut Link, bytes: usize| {
            sequence += 1;
            let message = &mut message[..bytes];
            link.sender.reclaim()?;
            write(message, sequence);
            let is_intact = is_written(link.exchange(message, &mut buffer[..bytes])?, sequence);
            link.receiver.release();
            io::Result::Ok(is_intact)
        };
        // One more exchange outside the clock, so that the responder's observer has started.
        for operation in 0..=work.warmup {
            exchange(link, sizes.bytes_of(operation))?;
        }
        let mut observer = Observer::begin(work);
        let first_send_ns = now_ns();
        for operation in 0..work.operations {
            let bytes = sizes.bytes_of(work.warmup + operation);
            let start_ns = now_ns();
            for _ in 0..work.batch {
                report.attempted += 1;
                report.accepted += 1;
                if exchange(link, bytes)? {
                    report.delivered += 1;
                } else {
                    report.corrupted += 1;
                }
            }
            report.samples_ns.push((now_ns() - start_ns) / work.batch);
            observer.look();
        }
        report.elapsed_ns = now_ns() - first_send_ns;
        report.observation = observer.finish();
        Ok(report)
    }

    fn respond(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let sizes = work.sizes()?;
        let mut answer = link.sender.allocate(work.message_bytes)?;
        let mut buffer = Memory::heap(work.message_bytes);
        write(&mut answer, 0);
        ready()?;
        let mut sequence = 0;
        let mut echo = |link: &mut Link, bytes: usize| {
            sequence += 1;
            let is_intact = is_written(link.receiver.receive(&mut buffer[..bytes])?, sequence);
            link.receiver.release();
            link.sender.reclaim()?;
            // The initiator then counts the answer as corrupted.
            write(&mut answer[..bytes], if is_intact { sequence } else { 0 });
            link.sender.send(&answer[..bytes])
        };
        for operation in 0..=work.warmup {
            echo(link, sizes.bytes_of(operation))?;
        }
        let mut observer = Observer::begin(work);
        for operation in 0..work.operations {
            let bytes = sizes.bytes_of(work.warmup + operation);
            for _ in 0..work.batch {
                echo(link, bytes)?;
            }
            observer.look();
        }
        let observation = observer.finish();
        link.finish()?;
        Ok(EndReport { observation, ..EndReport::default() })
    }
}

/// The content of a message: a word for each 8 bytes. It differs from that of the messages before in every word.
fn word(sequence: u64) -> u64 {
    (sequence + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn write(message: &mut [u8], sequence: u64) {
    let word = word(sequence).to_le_bytes();
    let (words, rest) = message.as_chunks_mut();
    words.fill(word);
    rest.copy_from_slice(&word[..rest.len()]);
}

/// Reads all bytes, also after a difference, so that the compiler can vectorize it.
fn is_written(message: &[u8], sequence: u64) -> bool {
    let expected = word(sequence);
    let (words, rest) = message.as_chunks();
    let differing =
        words.iter().fold(0, |differing, word| differing | (u64::from_le_bytes(*word) ^ expected));
    differing == 0 && *rest == expected.to_le_bytes()[..rest.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_wrong_byte_is_found() {
        for length in [1, 7, 8, 9, 64, 1_000] {
            let mut message = vec![0; length];
            write(&mut message, 5);
            assert!(is_written(&message, 5));
            assert!(!is_written(&message, 6), "of {length} bytes");
            for at in 0..length {
                message[at] ^= 1;
                assert!(!is_written(&message, 5), "byte {at} of {length}");
                message[at] ^= 1;
            }
        }
    }
}
