//! Sends back what it receives, or says when the last of a transfer was there; at the end of each part, what it has
//! received.

use super::Format;
use super::end::End;
use crate::program::head::{self, Sum};
use crate::program::protocol::Case;
use crate::sys::clock::now_ns;
use crate::sys::fork_channel::Channel;
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind};
use std::process::ExitCode;

/// What the responder says at the end of a part.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Received {
    pub(super) delivered: u64,
    pub(super) sum: u32,
}

/// Answers part after part, until the channel is closed.
pub(super) fn run(format: &dyn Format, case: &str) -> io::Result<ExitCode> {
    let mut case: Case = serde_json::from_str(case)?;
    let mut end = End::new(Channel::inherited()?, format);
    loop {
        match part(&mut end, &case) {
            Ok(()) => case = case.next_part(),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(ExitCode::SUCCESS),
            Err(error) => return Err(error),
        }
    }
}

fn part(end: &mut End<'_>, case: &Case) -> io::Result<()> {
    let is_stream = case.scenario == "stream";
    let (warmup, all) = (case.warmup_messages(), case.warmup_messages() + case.messages());
    let mut sum = Sum::default();
    let mut echo = Vec::new();
    for message in 0..all {
        let text = end.receive()?;
        if let Some(number) = message.checked_sub(warmup) {
            sum.add(text, head::of(case.seed, number));
        }
        if !is_stream {
            echo.clear();
            echo.extend_from_slice(text);
            end.send(&echo)?;
        } else if (message + 1) % case.messages_per_sample() == 0 {
            end.send(now_ns().to_string().as_bytes())?;
        }
    }
    let received = Received { delivered: sum.delivered, sum: sum.sum };
    end.send(serde_json::to_string(&received)?.as_bytes())?;
    end.finish()
}
