//! Small benchmarks of the machine, part of every run. A commit cannot change them: if one moves, the machine changed.

use crate::sys::affinity;
use crate::sys::clock::{self, now_ns};
use crate::sys::null_call::null_call;
use roundtrip_stats::nearest_rank;
use roundtrip_wire::{Canary, Slug};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::{self, Thread};

type Take = fn() -> Result<Vec<u64>, String>;

const ALL: [(&str, Take); 7] = [
    ("clock-cost", || Ok(clock::measure().cost_ns)),
    ("clock-step", || Ok(clock::measure().step_ns)),
    ("null-syscall", || Ok(null_syscall())),
    ("cache-line", cache_line),
    ("wake", wake),
    ("memcpy-64k", || Ok(copy(64 * 1024, 200))),
    ("memcpy-64m", || Ok(copy(64 * 1024 * 1024, 5))),
];

/// Measures all canaries: under half a second in all, with 128 MiB of memory.
pub fn measure() -> Vec<Canary> {
    ALL.into_iter().map(|(slug, take)| reading(slug, take())).collect()
}

/// The canaries of a report in which they could not be measured.
pub fn unread(reason: &str) -> Vec<Canary> {
    ALL.into_iter().map(|(slug, _)| reading(slug, Err(reason.to_owned()))).collect()
}

fn reading(slug: &str, readings: Result<Vec<u64>, String>) -> Canary {
    let (mut sorted, unsupported) = match readings {
        Ok(readings) => (readings, None),
        Err(reason) => (Vec::new(), Some(reason)),
    };
    sorted.sort_unstable();
    Canary {
        slug: Slug::from_name(slug),
        p50_ns: nearest_rank(&sorted, 500_000),
        min_ns: sorted.first().copied(),
        count: sorted.len() as u64,
        unsupported,
    }
}

/// A minimal system call, in batches of 1,000.
fn null_syscall() -> Vec<u64> {
    const BATCH: u64 = 1_000;
    (0..50)
        .map(|_| {
            let start_ns = now_ns();
            for _ in 0..BATCH {
                null_call();
            }
            (now_ns() - start_ns) / BATCH
        })
        .collect()
}

/// Passing a cache line to another processor and back: two pinned threads spin on one word, in batches.
fn cache_line() -> Result<Vec<u64>, String> {
    const BATCH: u64 = 1_000;
    const READINGS: u64 = 50;
    let pair = affinity::pair().map_err(|error| error.to_string())?;
    let word = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            // An unpinned partner only makes the reading worse, which a canary may show.
            let _ = affinity::pin(pair.second);
            for turn in 0..BATCH * READINGS {
                spin_until(&word, 2 * turn + 1);
                word.store(2 * turn + 2, Ordering::Release);
            }
        });
        scope
            .spawn(|| {
                let _ = affinity::pin(pair.first);
                let mut turn = 0;
                (0..READINGS)
                    .map(|_| {
                        let start_ns = now_ns();
                        for _ in 0..BATCH {
                            word.store(2 * turn + 1, Ordering::Release);
                            spin_until(&word, 2 * turn + 2);
                            turn += 1;
                        }
                        (now_ns() - start_ns) / BATCH
                    })
                    .collect()
            })
            .join()
            .map_err(|_| "a thread panicked".to_owned())
    })
}

/// Spins, but yields now and then, so that it also finishes on a machine without two free processors.
fn spin_until(word: &AtomicU64, value: u64) {
    for spins in 1_u64.. {
        if word.load(Ordering::Acquire) == value {
            return;
        }
        if spins % 10_000 == 0 {
            thread::yield_now();
        }
        std::hint::spin_loop();
    }
}

/// Waking a thread on the same processor and being woken by it: two threads that park and unpark each other.
fn wake() -> Result<Vec<u64>, String> {
    const READINGS: u64 = 500;
    let cpu = affinity::pair().map_err(|error| error.to_string())?.first;
    let turn = AtomicU64::new(0);
    let (introduce, introduced) = mpsc::channel::<Thread>();
    thread::scope(|scope| {
        let (turn, introduced) = (&turn, introduced);
        let answering = scope.spawn(move || {
            let _ = affinity::pin(cpu);
            let Ok(asking) = introduced.recv() else { return };
            for reading in 0..READINGS {
                park_until(turn, 2 * reading + 1);
                turn.store(2 * reading + 2, Ordering::Release);
                asking.unpark();
            }
        });
        let asked = answering.thread().clone();
        let asking = scope.spawn(move || {
            let _ = affinity::pin(cpu);
            (0..READINGS)
                .map(|reading| {
                    let start_ns = now_ns();
                    turn.store(2 * reading + 1, Ordering::Release);
                    asked.unpark();
                    park_until(turn, 2 * reading + 2);
                    now_ns() - start_ns
                })
                .collect()
        });
        let _ = introduce.send(asking.thread().clone());
        asking.join().map_err(|_| "a thread panicked".to_owned())
    })
}

fn park_until(turn: &AtomicU64, value: u64) {
    while turn.load(Ordering::Acquire) != value {
        thread::park();
    }
}

/// Copying this many bytes between two touched buffers.
fn copy(bytes: usize, readings: u64) -> Vec<u64> {
    let source = vec![1_u8; bytes];
    let mut target = vec![2_u8; bytes];
    (0..readings)
        .map(|_| {
            let start_ns = now_ns();
            target.copy_from_slice(black_box(&source));
            black_box(&mut target);
            now_ns() - start_ns
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unread_canaries_have_a_reason() {
        for (read, unread) in measure().iter().zip(unread("their process was killed")) {
            assert_eq!(read.slug, unread.slug);
            assert_eq!(
                (unread.p50_ns, unread.unsupported.as_deref()),
                (None, Some("their process was killed"))
            );
        }
    }

    #[test]
    fn every_canary_has_a_reading_or_a_reason() {
        for canary in measure() {
            assert_eq!(canary.p50_ns.is_some(), canary.unsupported.is_none(), "{canary:?}");
        }
    }
}
