//! Members of a ring are killed (`SIGKILL`) at random moments, thousands of times. No other member may get stuck, and
//! no message may be torn, lost, out of order or received twice by a live receiver.
//!
//! The program starts itself as each member. Set the number of kills with `ROUNDTRIP_KILLS=20000`.

mod member;
mod parent;

use parent::{Setting, torture};
use roundtrip_bench::ring::Waiting;
use roundtrip_bench::sys::wake;
use std::process::ExitCode;

/// Mechanisms that work between processes; a system has some of them.
const MECHANISMS: [&str; 9] = [
    "futex",
    "futex-waitv",
    "posix-semaphore",
    "sysv-semaphore",
    "os-sync",
    "ulock",
    "umtx",
    "win-event",
    "win-semaphore",
];

/// Longest messages: in a ring of many slots, and in one of few whose single sender reuses buffers.
const SHORT_BYTES: usize = 256;
const LONG_BYTES: usize = 20_000;

/// Default number of kills per setting.
const KILLS: u32 = 1_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|argument| argument == "member") {
        return member::main(&arguments[1..]);
    }
    let kills = std::env::var("ROUNDTRIP_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let mechanisms: Vec<&str> = MECHANISMS
        .iter()
        .copied()
        .filter(|slug| wake::find(slug).is_ok_and(|it| it.support().is_ok()))
        .collect();
    let mut settings: Vec<Setting> = mechanisms
        .iter()
        .map(|mechanism| Setting {
            many_senders: true,
            mechanism,
            waiting: Waiting::Block,
            message_bytes: SHORT_BYTES,
        })
        .collect();
    settings.extend(mechanisms.first().into_iter().flat_map(|mechanism| {
        [
            (false, Waiting::SpinThenBlock, SHORT_BYTES),
            (true, Waiting::Spin, SHORT_BYTES),
            (false, Waiting::Block, LONG_BYTES),
            (true, Waiting::Block, LONG_BYTES),
        ]
        .map(|(many_senders, waiting, message_bytes)| Setting {
            many_senders,
            mechanism,
            waiting,
            message_bytes,
        })
    }));
    println!("\nrunning {} tests", settings.len());
    let mut failed = 0;
    for setting in &settings {
        match torture(setting, kills) {
            Ok(summary) => println!("test {setting} ... ok ({summary})"),
            Err(reason) => {
                failed += 1;
                println!("test {setting} ... FAILED\n{reason}");
            }
        }
    }
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    let passed = settings.len() - failed;
    println!(
        "\ntest result: {verdict}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out\n"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
