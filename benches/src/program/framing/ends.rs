//! Implements the protocol for programs, starts the responder, and measures the times.

use super::Format;
use super::inbox::Inbox;
use crate::peer_command::PeerCommand;
use crate::program::header::{self, HEADER_BYTES, Sum};
use crate::program::protocol::{Answer, Case, Connected, Done, Request, VERSION};
use crate::sys::clock::now_ns;
use crate::sys::death;
use crate::sys::fork_channel::{self, Channel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::env;
use std::io::{self, BufRead, ErrorKind, Lines, StdinLock, Write};
use std::process::{Child, ExitCode, Stdio};

pub(super) fn run(format: &dyn Format) -> io::Result<ExitCode> {
    let mut lines = io::stdin().lock().lines();
    let asked: Request = serde_json::from_str(&next(&mut lines)?)?;
    let mut case = asked.case;
    if asked.protocol != VERSION {
        return unsupported(&format!("protocol version {}: expected {VERSION}", asked.protocol));
    }
    if case.mode != "2proc" {
        return unsupported("the child is a separate process: expected 2proc");
    }
    let (channel, mut responder) = start(&case)?;
    let connected = Connected {
        initiator_pid: std::process::id(),
        responder_pid: responder.id(),
        facts: BTreeMap::from([("roundtrip".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]),
    };
    say(&Answer::Connected(connected))?;
    let mut end = End::new(channel, format);
    while lines.next().transpose()?.is_some() {
        let measure = if case.scenario == "stream" { transfers } else { round_trips };
        say(&Answer::Done(measure(&mut end, &case)?))?;
        case = case.next_part();
    }
    // Closing the channel ends the responder.
    drop(end);
    responder.wait()?;
    Ok(ExitCode::SUCCESS)
}

/// Starts the other end of the channel in another process.
fn start(case: &Case) -> io::Result<(Channel, Child)> {
    let (ours, theirs) = Channel::pair()?;
    // Uses the command of this process, with the case.
    let mut process = PeerCommand::new(env::current_exe()?, None).command();
    process.args(env::args().skip(1)).arg(serde_json::to_string(case)?);
    process.stdin(Stdio::null()).stdout(Stdio::null());
    death::prepare(&mut process);
    fork_channel::give(&mut process, &theirs);
    let child = process.spawn()?;
    death::bind(&child)?;
    Ok((ours, child))
}

/// Measures round trips, with a full window of messages in flight.
fn round_trips(end: &mut End<'_>, case: &Case) -> io::Result<Done> {
    let (warmup, all) = (case.warmup_messages(), case.warmup_messages() + case.messages());
    let window = u64::from(case.window).min(all);
    let mut message = Message::new(case);
    let mut answers = Sum::default();
    let mut samples_ns = samples(case);
    let mut corrupted = 0;
    let mut begin_ns = now_ns();
    let (mut first_send_ns, mut last_receipt_ns) = (begin_ns, begin_ns);
    for sent in 0..window {
        end.send(message.number(sent))?;
    }
    for answered in 1..=all {
        let text = end.receive()?;
        last_receipt_ns = now_ns();
        match (answered - 1).checked_sub(warmup) {
            Some(number) => answers.add(text, header::for_message(case.seed, number)),
            None => corrupted += u64::from(!message.is_alike(text)),
        }
        let is_sample = answered % case.messages_per_sample() == 0;
        if is_sample && answered > warmup {
            samples_ns.push(last_receipt_ns - begin_ns);
        }
        if is_sample {
            // With a window of 1, comparing the last message is not part of the next one's time.
            begin_ns = if window == 1 { now_ns() } else { last_receipt_ns };
        }
        if answered == warmup {
            first_send_ns = begin_ns;
        }
        let sent = answered - 1 + window;
        if sent < all {
            end.send(message.number(sent))?;
        }
    }
    let received: Received = serde_json::from_slice(end.receive()?)?;
    let elapsed_ns = last_receipt_ns - first_send_ns;
    let delivered = received.delivered.min(answers.delivered).saturating_sub(corrupted);
    Ok(done(case, samples_ns, elapsed_ns, delivered, received.sum, Some(answers.sum)))
}

/// Measures one-way messages; the responder reports the end of each transfer.
fn transfers(end: &mut End<'_>, case: &Case) -> io::Result<Done> {
    let mut message = Message::new(case);
    let mut samples_ns = samples(case);
    let (mut sent, mut first_send_ns, mut last_receipt_ns) = (0, 0, 0_u64);
    for sample in 0..case.warmup_samples + case.samples {
        let begin_ns = now_ns();
        for _ in 0..case.messages_per_sample() {
            end.send(message.number(sent))?;
            sent += 1;
        }
        last_receipt_ns = std::str::from_utf8(end.receive()?)
            .map_err(io::Error::other)?
            .parse()
            .map_err(io::Error::other)?;
        if sample == case.warmup_samples {
            first_send_ns = begin_ns;
        }
        if sample >= case.warmup_samples {
            samples_ns.push(last_receipt_ns.saturating_sub(begin_ns));
        }
    }
    let received: Received = serde_json::from_slice(end.receive()?)?;
    let elapsed_ns = last_receipt_ns.saturating_sub(first_send_ns);
    Ok(done(case, samples_ns, elapsed_ns, received.delivered, received.sum, None))
}

/// A message whose header is rewritten each time.
struct Message<'a> {
    case: &'a Case,
    bytes: Vec<u8>,
}

impl<'a> Message<'a> {
    fn new(case: &'a Case) -> Self {
        let bytes = vec![b'.'; usize::try_from(case.message_bytes).unwrap_or(0).max(HEADER_BYTES)];
        Self { case, bytes }
    }

    /// Returns the message to send after this many others.
    fn number(&mut self, sent: u64) -> &[u8] {
        let number = sent.wrapping_sub(self.case.warmup_messages());
        header::write(&mut self.bytes, header::for_message(self.case.seed, number));
        &self.bytes
    }

    /// Whether a message equals this one except for its header.
    fn is_alike(&self, message: &[u8]) -> bool {
        message.get(HEADER_BYTES..) == self.bytes.get(HEADER_BYTES..)
    }
}

/// Space for all samples, to avoid allocating while the clock runs.
fn samples(case: &Case) -> Vec<u64> {
    Vec::with_capacity(usize::try_from(case.samples).unwrap_or(0))
}

fn done(
    case: &Case,
    samples_ns: Vec<u64>,
    elapsed_ns: u64,
    delivered: u64,
    responder_sum: u32,
    initiator_sum: Option<u32>,
) -> Done {
    let attempted = case.messages();
    Done {
        samples_ns: Some(samples_ns),
        histogram: None,
        elapsed_ns: Some(elapsed_ns),
        attempted,
        accepted: attempted,
        delivered,
        out_of_order: 0,
        corrupted: attempted - delivered.min(attempted),
        responder_sum,
        initiator_sum,
    }
}

fn next(lines: &mut Lines<StdinLock<'_>>) -> io::Result<String> {
    lines.next().ok_or(ErrorKind::UnexpectedEof)?
}

fn unsupported(reason: &str) -> io::Result<ExitCode> {
    say(&Answer::Unsupported(reason.to_owned()))?;
    Ok(ExitCode::SUCCESS)
}

fn say(answer: &Answer) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(answer)?)?;
    out.flush()
}

// One end of the channel: strings out and in, without waiting for each other.

struct End<'a> {
    channel: Channel,
    format: &'a dyn Format,
    inbox: Inbox<'a>,
    /// Frames that did not fit into the channel, from `sent` on.
    outgoing: Vec<u8>,
    sent: usize,
}

impl<'a> End<'a> {
    fn new(channel: Channel, format: &'a dyn Format) -> Self {
        Self { channel, format, inbox: Inbox::new(format), outgoing: Vec::new(), sent: 0 }
    }

    /// Sends a string immediately, as Node does, or queues what does not fit.
    #[inline]
    fn send(&mut self, text: &[u8]) -> io::Result<()> {
        self.format.frame(text, &mut self.outgoing);
        self.flush()
    }

    #[inline]
    fn receive(&mut self) -> io::Result<&[u8]> {
        while !self.inbox.has_next()? {
            match self.channel.receive(self.inbox.room())? {
                Some(0) => {
                    return Err(io::Error::new(ErrorKind::BrokenPipe, "the other end closed the channel"));
                }
                Some(bytes) => self.inbox.received(bytes),
                None => {
                    self.channel.wait(!self.outgoing.is_empty())?;
                    self.flush()?;
                }
            }
        }
        self.inbox.take()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        while !self.outgoing.is_empty() {
            self.channel.wait(true)?;
            self.flush()?;
        }
        Ok(())
    }

    #[inline]
    fn flush(&mut self) -> io::Result<()> {
        while self.sent < self.outgoing.len() {
            match self.channel.send(&self.outgoing[self.sent..])? {
                0 => return Ok(()),
                sent => self.sent += sent,
            }
        }
        self.outgoing.clear();
        self.sent = 0;
        Ok(())
    }
}

// Echoes messages, or reports the end of each transfer; at the end of each part, reports its counts.

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Received {
    delivered: u64,
    sum: u32,
}

/// Answers each part until the channel is closed.
pub(super) fn respond(format: &dyn Format, case: &str) -> io::Result<ExitCode> {
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
            sum.add(text, header::for_message(case.seed, number));
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
