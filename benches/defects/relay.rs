//! A courier in Rust over two pipes, with at most one seeded defect: `relay plain|parsed|followed|batched none|DEFECT`.
//!
//! `parsed` divides messages into fields, `followed` publishes the last message to a follower, `batched` streams with a buffer.
//! Only the standard library. Compile with: rustc -O -g -C force-frame-pointers=yes

use std::fs::File;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use std::{env, hint, thread};

const HEADER_BYTES: usize = 8;
const DEFECTS: &[&str] =
    &["none", "lost-batching", "copy", "lock-across-send", "checksum", "allocation", "thread-hop"];

/// How this end works.
#[derive(Clone, Copy)]
struct Variant {
    is_parsed: bool,
    is_followed: bool,
    is_batched: bool,
    defect: &'static str,
}

impl Variant {
    fn has(self, defect: &str) -> bool {
        self.defect == defect
    }

    /// What each end does with a message that it sends or has received. The last four bytes are for a checksum.
    fn process(self, message: &mut [u8]) {
        if self.has("checksum") {
            let (content, sum) = message.split_at_mut(message.len() - 4);
            sum.copy_from_slice(&checksum(content).to_le_bytes());
        }
        match (self.is_parsed, self.has("allocation")) {
            (true, true) => _ = hint::black_box(own_fields(message)),
            (true, false) => _ = hint::black_box(borrow_fields(message)),
            (false, _) => {}
        }
    }
}

/// The defect `checksum`: Adler-32, byte by byte.
#[inline(never)]
fn checksum(content: &[u8]) -> u32 {
    let (mut low, mut high) = (1_u32, 0_u32);
    for &byte in content {
        low = (low + u32::from(byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    high << 16 | low
}

/// The number of fields of eight bytes that begin with a letter or digit.
#[inline(never)]
fn borrow_fields(message: &[u8]) -> usize {
    message.chunks(8).filter(|field| field[0].is_ascii_alphanumeric()).count()
}

/// The defect `allocation`: each field is an allocation of its own.
#[inline(never)]
fn own_fields(message: &[u8]) -> usize {
    let fields: Vec<Vec<u8>> = message.chunks(8).map(<[u8]>::to_vec).collect();
    fields.iter().filter(|field| field[0].is_ascii_alphanumeric()).count()
}

/// The defect `copy`: messages pass through a staging area.
#[inline(never)]
fn stage(staging: &mut Vec<u8>, message: &[u8]) {
    staging.clear();
    staging.extend_from_slice(message);
}

/// The sending side of an end.
struct Sending<W: Write> {
    variant: Variant,
    writer: BufWriter<W>,
    staging: Vec<u8>,
}

impl<W: Write> Sending<W> {
    fn new(variant: Variant, writer: W) -> Self {
        Self { variant, writer: BufWriter::with_capacity(8192, writer), staging: Vec::new() }
    }

    /// `is_last` of an operation: others may wait in the buffer.
    fn send(&mut self, message: &[u8], is_last: bool) -> io::Result<()> {
        if self.variant.has("copy") {
            stage(&mut self.staging, message);
            self.writer.write_all(&self.staging)?;
        } else {
            self.writer.write_all(message)?;
        }
        match is_last || !self.variant.is_batched || self.variant.has("lost-batching") {
            true => self.writer.flush(),
            false => Ok(()),
        }
    }
}

/// The last message, which a thread publishes to a follower. A slow follower misses some.
#[derive(Default)]
struct Published {
    last: Mutex<(Vec<u8>, bool)>,
    changed: Condvar,
}

impl Published {
    fn set(&self, message: &[u8]) {
        let mut last = self.last.lock().expect("the publisher does not panic");
        last.0.clear();
        last.0.extend_from_slice(message);
        last.1 = true;
        self.changed.notify_one();
    }

    /// Sends the last message to the follower, and waits for the acknowledgement.
    #[inline(never)]
    fn publish(&self, variant: Variant, follower: &mut UnixStream) -> io::Result<()> {
        let mut last = self.last.lock().expect("no holder panics");
        while !last.1 {
            last = self.changed.wait(last).expect("no holder panics");
        }
        last.1 = false;
        if variant.has("lock-across-send") {
            return send_to_follower(follower, &last.0);
        }
        let message = last.0.clone();
        drop(last);
        send_to_follower(follower, &message)
    }
}

#[inline(never)]
fn send_to_follower(follower: &mut UnixStream, message: &[u8]) -> io::Result<()> {
    follower.write_all(message)?;
    follower.read_exact(&mut [0])
}

/// Starts a follower, which acknowledges messages after a while, and a thread that publishes to it.
fn follow(case: &Case, variant: Variant) -> io::Result<Arc<Published>> {
    let published = Arc::new(Published::default());
    let (mut ours, mut theirs) = UnixStream::pair()?;
    let mut message = vec![0; case.message_bytes];
    thread::spawn(move || {
        while theirs.read_exact(&mut message).is_ok() {
            thread::sleep(Duration::from_micros(20));
            if theirs.write_all(&[1]).is_err() {
                return;
            }
        }
    });
    let publisher = Arc::clone(&published);
    thread::spawn(move || while publisher.publish(variant, &mut ours).is_ok() {});
    Ok(published)
}

/// Sends answers, with the defect `thread-hop` from another thread.
enum Answering {
    Here(Sending<File>),
    There(Sender<Vec<u8>>, Receiver<Vec<u8>>),
}

impl Answering {
    fn new(variant: Variant) -> io::Result<Self> {
        // Standard output without the buffer of lines.
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        let mut sending = Sending::new(variant, File::from(output));
        if !variant.has("thread-hop") {
            return Ok(Self::Here(sending));
        }
        let (sender, messages) = channel::<Vec<u8>>();
        let (back, free) = channel();
        thread::spawn(move || {
            for message in messages {
                if sending.send(&message, true).is_err() || back.send(message).is_err() {
                    return;
                }
            }
        });
        Ok(Self::There(sender, free))
    }

    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        match self {
            Self::Here(sending) => sending.send(message, true),
            Self::There(sender, free) => {
                // Buffers come back: the hop allocates nothing.
                let mut buffer = free.try_recv().unwrap_or_default();
                buffer.clear();
                buffer.extend_from_slice(message);
                sender.send(buffer).map_err(|_| io::Error::other("the sending thread ended"))
            }
        }
    }
}

/// Receives messages and returns them, part after part, until the initiator closes the channel.
fn respond(case: &Case, variant: Variant) -> io::Result<()> {
    let (mut receiver, mut answering) = (io::stdin().lock(), Answering::new(variant)?);
    let published = variant.is_followed.then(|| follow(case, variant)).transpose()?;
    let mut message = vec![0; case.message_bytes];
    let (mut number, mut end) = (-case.warmup_samples * case.per_sample, 0);
    loop {
        let mut counts = Counts::default();
        end += case.samples * case.per_sample;
        while number < end {
            receiver.read_exact(&mut message)?;
            counts.add(case, number, &message);
            variant.process(&mut message);
            if let Some(published) = &published {
                published.set(&message);
            }
            number += 1;
            if !case.is_stream {
                answering.send(&message)?;
            } else if number.rem_euclid(case.per_sample) == 0 {
                answering.send(b"received")?;
            }
        }
        answering.send(&[&counts.delivered.to_le_bytes()[..], &counts.sum.to_le_bytes()].concat())?;
    }
}

/// Measures a part that begins with this sample, and returns its results. The first part begins with the warm-up, whose
/// samples are negative.
fn measure(
    case: &Case,
    first: i64,
    sending: &mut Sending<ChildStdin>,
    receiver: &mut ChildStdout,
) -> io::Result<String> {
    let variant = sending.variant;
    let mut message = vec![b'.'; case.message_bytes];
    let mut answer = vec![0; if case.is_stream { HEADER_BYTES } else { case.message_bytes }];
    let (mut answers, mut samples_ns) = (Counts::default(), Vec::new());
    let mut first_send = Instant::now();
    for sample in first..first.max(0) + case.samples {
        let begin = Instant::now();
        if sample == first.max(0) {
            first_send = begin;
        }
        let end = (sample + 1) * case.per_sample;
        for number in sample * case.per_sample..end {
            write!(&mut message[..HEADER_BYTES], "{:08x}", case.header(number))?;
            variant.process(&mut message);
            sending.send(&message, number + 1 == end)?;
            if case.is_stream && number + 1 < end {
                continue;
            }
            receiver.read_exact(&mut answer)?;
            if case.is_stream {
                continue;
            }
            answers.add(case, number, &answer);
            variant.process(&mut answer);
            if sample < 0 && answer != message {
                return Err(io::Error::other("the responder returned a different message"));
            }
        }
        if sample >= 0 {
            samples_ns.push(begin.elapsed().as_nanos());
        }
    }
    let elapsed_ns = first_send.elapsed().as_nanos();
    let (mut delivered, mut sum) = ([0; 8], [0; 4]);
    receiver.read_exact(&mut delivered)?;
    receiver.read_exact(&mut sum)?;
    let (mut delivered, sum) = (u64::from_le_bytes(delivered), u32::from_le_bytes(sum));
    let mut initiator_sum = String::new();
    if !case.is_stream {
        delivered = delivered.min(answers.delivered);
        initiator_sum = format!(r#","initiator_sum":{}"#, answers.sum);
    }
    let all = case.samples * case.per_sample;
    Ok(format!(
        r#"{{"done":{{"samples_ns":{samples_ns:?},"elapsed_ns":{elapsed_ns},"attempted":{all},"accepted":{all},"delivered":{delivered},"responder_sum":{sum}{initiator_sum}}}}}"#,
    ))
}

/// Starts the responder, and measures a part for each request of the harness.
fn initiate(case: &Case, line: &str, variant: Variant, harness: &mut impl BufRead) -> io::Result<()> {
    let mut command = Command::new(env::current_exe()?);
    command.args(env::args().skip(1)).arg(line).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut responder = command.spawn()?;
    let no_pipe = || io::Error::other("the responder has no pipe");
    let mut sending = Sending::new(variant, responder.stdin.take().ok_or_else(no_pipe)?);
    let mut receiver = responder.stdout.take().ok_or_else(no_pipe)?;
    println!(
        r#"{{"connected":{{"initiator_pid":{},"responder_pid":{}}}}}"#,
        std::process::id(),
        responder.id()
    );
    let mut first = -case.warmup_samples;
    while harness.read_line(&mut String::new())? > 0 {
        println!("{}", measure(case, first, &mut sending, &mut receiver)?);
        first = first.max(0) + case.samples;
    }
    Ok(())
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let defect = words.get(1).and_then(|word| DEFECTS.iter().find(|defect| *defect == word));
    let Some(defect) = defect else {
        eprintln!("usage: relay plain|parsed|followed|batched none|DEFECT");
        std::process::exit(1);
    };
    let (is_parsed, is_followed) = (words[0] == "parsed", words[0] == "followed");
    let variant = Variant { is_parsed, is_followed, is_batched: words[0] == "batched", defect };
    if let Some(line) = words.get(2) {
        let case = Case::parse(line).expect("the initiator checked the case");
        // The initiator closes the channel after the last part.
        let _ = respond(&case, variant);
        return;
    }
    let mut harness = io::stdin().lock();
    let mut line = String::new();
    let answer = match harness.read_line(&mut line).ok().and_then(|_| Case::parse(&line)) {
        Some(case) => initiate(&case, &line, variant, &mut harness).map_err(|error| error.to_string()),
        None => Err("a field of the case is missing or invalid".to_owned()),
    };
    if let Err(why) = answer {
        println!(r#"{{"failed":{why:?}}}"#);
    }
}

/// The case to measure. Counts are for one part.
struct Case {
    is_stream: bool,
    message_bytes: usize,
    per_sample: i64,
    samples: i64,
    warmup_samples: i64,
    seed: u32,
}

impl Case {
    fn parse(line: &str) -> Option<Self> {
        // The harness writes each name once, and no spaces.
        let field = |name: &str| line.split_once(&format!("\"{name}\":"))?.1.split([',', '}']).next();
        let number = |name| field(name)?.parse::<i64>().ok();
        Some(Self {
            is_stream: field("scenario")? == "\"stream\"",
            message_bytes: usize::try_from(number("message_bytes")?).ok()?,
            per_sample: number("batch")? * number("messages_per_operation")?,
            samples: number("samples")?,
            warmup_samples: number("warmup_samples")?,
            seed: u32::try_from(number("seed")?).ok()?,
        })
    }

    /// The header of a message as an integer. Warm-up messages have negative numbers.
    fn header(&self, number: i64) -> u32 {
        // The cast keeps the low 32 bits.
        self.seed.wrapping_add(number as u32).wrapping_mul(2_654_435_761)
    }
}

/// Counts of received messages.
#[derive(Default)]
struct Counts {
    delivered: u64,
    sum: u32,
}

impl Counts {
    fn add(&mut self, case: &Case, number: i64, message: &[u8]) {
        let digits = std::str::from_utf8(&message[..HEADER_BYTES]).ok();
        let header = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if number >= 0 {
            self.sum = self.sum.wrapping_add(header.unwrap_or_default());
            self.delivered += u64::from(header == Some(case.header(number)));
        }
    }
}
