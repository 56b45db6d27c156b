//! The responder: returns messages and counts them.

use crate::case::{Case, Counts};
use crate::{Channel, Result, clock, print_line, read_line};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, process, thread};

/// The argument that precedes the case and the address.
pub(crate) const ROLE: &str = "responder";

/// A line from the responder to the initiator.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    Ready,
    /// In `stream`: the last message of a sample arrived.
    Received {
        at_ns: u64,
    },
    /// The counts since the last such line, on request.
    Counts(Counts),
    Failed(String),
}

struct State {
    case: Case,
    address: String,
    received: Mutex<Received>,
}

#[derive(Default)]
struct Received {
    /// The number of the next message.
    number: i64,
    counts: Counts,
}

/// Counts the messages that the responder receives. A clone counts the same messages.
#[derive(Clone)]
pub struct Responder(Arc<State>);

impl Responder {
    pub fn case(&self) -> &Case {
        &self.0.case
    }

    /// The address that the initiator passed to [`crate::Start::responder`].
    pub fn address(&self) -> &str {
        &self.0.address
    }

    /// Lets the initiator continue.
    pub fn ready(&self) -> Result<()> {
        print_line(&Report::Ready)
    }

    /// Counts a received message.
    pub fn count(&self, message: &[u8]) -> Result<()> {
        let case = self.case();
        let mut received = self.0.received.lock().unwrap_or_else(PoisonError::into_inner);
        let number = received.number;
        received.number += 1;
        received.counts.add(case, number, message)?;
        if case.is_stream() && received.number % case.messages_per_sample() == 0 {
            print_line(&Report::Received { at_ns: clock::now_ns() })?;
        }
        Ok(())
    }

    /// Receives messages, and in `roundtrip` returns them, until the initiator closes the channel.
    pub fn serve(&self, channel: &impl Channel) -> Result<()> {
        loop {
            let message = channel.receive()?;
            self.count(&message)?;
            if !self.case().is_stream() {
                channel.send(&message)?;
            }
        }
    }

    /// Answers each line of the initiator with the counts. Exits when the initiator closes standard input or dies.
    fn report(&self) -> Result<()> {
        let mut initiator = io::stdin().lock();
        while read_line(&mut initiator)?.is_some() {
            let mut received = self.0.received.lock().unwrap_or_else(PoisonError::into_inner);
            print_line(&Report::Counts(std::mem::take(&mut received.counts)))?;
        }
        process::exit(0)
    }
}

pub(crate) fn run(case: &str, address: &str, respond: impl FnOnce(&Responder) -> Result<()>) -> Result<()> {
    let case: Case = serde_json::from_str(case)?;
    let number = -case.warmup_samples * case.messages_per_sample();
    let received = Mutex::new(Received { number, counts: Counts::default() });
    let responder = Responder(Arc::new(State { case, address: address.to_owned(), received }));
    let reporting = responder.clone();
    thread::spawn(move || {
        // The initiator died if this fails.
        let _ = reporting.report();
        process::exit(1)
    });
    respond(&responder)
}
