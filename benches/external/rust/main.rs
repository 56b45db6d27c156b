//! An external transport in Rust: two processes over two pipes. To measure your library, replace the part marked "Replace".
//! Protocol: https://github.com/roundtrip-ipc/roundtrip/blob/main/benches/external/PROTOCOL.md

use std::io::{self, BufRead, Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

// Replace: these two functions send and receive with your library; `start` and `main` create the channel.

fn send(sender: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    sender.write_all(bytes)?;
    sender.flush()
}

fn receive(receiver: &mut impl Read, bytes: &mut [u8]) -> io::Result<()> {
    receiver.read_exact(bytes)
}

/// Starts this program as the responder, with a pipe in each direction. Returns its process id too.
fn start(line: &str) -> io::Result<(u32, ChildStdin, ChildStdout)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["responder", line]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut responder = command.spawn()?;
    let no_pipe = || io::Error::other("the responder has no pipe");
    let sender = responder.stdin.take().ok_or_else(no_pipe)?;
    let receiver = responder.stdout.take().ok_or_else(no_pipe)?;
    Ok((responder.id(), sender, receiver))
}

fn main() {
    if let Some(line) = std::env::args().nth(2) {
        let case = Case::parse(&line).expect("the initiator checked the case");
        // The initiator closes the channel after the last part.
        let _ = respond(&case, &mut io::stdout().lock(), &mut io::stdin().lock());
        return;
    }
    let mut harness = io::stdin().lock();
    let mut line = String::new();
    if harness.read_line(&mut line).is_err() {
        return;
    }
    match Case::parse(&line) {
        Err(why) => println!(r#"{{"unsupported":"{why}"}}"#),
        Ok(case) => {
            if let Err(error) = initiate(&case, &line, &mut harness) {
                println!(r#"{{"failed":{:?}}}"#, error.to_string());
            }
        }
    }
}

// The protocol and the measurement.

const HEADER_BYTES: usize = 8;

/// The case to measure. Counts are for one part.
struct Case {
    message_bytes: usize,
    batch: i64,
    samples: i64,
    warmup_samples: i64,
    seed: u32,
}

impl Case {
    /// Reads the case of a request, or returns why this program does not support it.
    fn parse(line: &str) -> Result<Self, &'static str> {
        // The harness writes each name once, and no spaces.
        let field = |name: &str| {
            let (_, rest) = line.split_once(&format!("\"{name}\":"))?;
            rest.split([',', '}']).next()
        };
        let number = |name| {
            field(name).and_then(|text| text.parse().ok()).ok_or("a field of the case is missing or invalid")
        };
        if field("protocol") != Some("1") {
            return Err("unsupported protocol version: expected 1");
        }
        if field("mode") != Some("\"2proc\"") {
            return Err("only mode 2proc is supported");
        }
        if field("scenario") != Some("\"roundtrip\"") {
            return Err("only scenario roundtrip is supported");
        }
        if field("window") != Some("1") {
            return Err("only a window of 1 is supported");
        }
        Ok(Self {
            message_bytes: usize::try_from(number("message_bytes")?).map_err(|_| "invalid message size")?,
            batch: number("batch")?,
            samples: number("samples")?,
            warmup_samples: number("warmup_samples")?,
            seed: u32::try_from(number("seed")?).map_err(|_| "invalid seed")?,
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
        let header = std::str::from_utf8(&message[..HEADER_BYTES])
            .ok()
            .and_then(|text| u32::from_str_radix(text, 16).ok());
        if number >= 0 {
            self.sum = self.sum.wrapping_add(header.unwrap_or_default());
            self.delivered += u64::from(header == Some(case.header(number)));
        }
    }
}

/// Receives messages and returns them, part after part, until the initiator closes the channel.
fn respond(case: &Case, sender: &mut impl Write, receiver: &mut impl Read) -> io::Result<()> {
    let mut message = vec![0; case.message_bytes];
    let (mut number, mut end) = (-case.warmup_samples * case.batch, 0);
    loop {
        let mut counts = Counts::default();
        end += case.samples * case.batch;
        while number < end {
            receive(receiver, &mut message)?;
            counts.add(case, number, &message);
            send(sender, &message)?;
            number += 1;
        }
        send(sender, &counts.delivered.to_le_bytes())?;
        send(sender, &counts.sum.to_le_bytes())?;
    }
}

/// Measures a part for each request of the harness.
fn initiate(case: &Case, line: &str, harness: &mut impl BufRead) -> io::Result<()> {
    let (responder_pid, mut sender, mut receiver) = start(line)?;
    let initiator_pid = std::process::id();
    println!(
        r#"{{"connected":{{"initiator_pid":{initiator_pid},"responder_pid":{responder_pid},"facts":{{}}}}}}"#
    );
    let mut first = -case.warmup_samples;
    // The harness sends "go" for each part, and closes standard input after the last.
    while harness.read_line(&mut String::new())? > 0 {
        println!("{}", measure(case, first, &mut sender, &mut receiver)?);
        first = first.max(0) + case.samples;
    }
    Ok(())
}

/// Measures a part that begins with this sample, and returns its results. The first part begins with the warm-up, whose
/// samples are negative.
fn measure(case: &Case, first: i64, sender: &mut impl Write, receiver: &mut impl Read) -> io::Result<String> {
    let mut message = vec![b'.'; case.message_bytes];
    let mut answer = vec![0; case.message_bytes];
    let (mut answers, mut samples_ns) = (Counts::default(), Vec::new());
    let mut first_send = Instant::now();
    for sample in first..first.max(0) + case.samples {
        let begin = Instant::now();
        if sample == first.max(0) {
            first_send = begin;
        }
        for number in sample * case.batch..(sample + 1) * case.batch {
            write!(&mut message[..HEADER_BYTES], "{:08x}", case.header(number))?;
            send(sender, &message)?;
            receive(receiver, &mut answer)?;
            answers.add(case, number, &answer);
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
    receive(receiver, &mut delivered)?;
    receive(receiver, &mut sum)?;
    let (delivered, responder_sum) =
        (u64::from_le_bytes(delivered).min(answers.delivered), u32::from_le_bytes(sum));
    let all = case.samples * case.batch;
    Ok(format!(
        r#"{{"done":{{"samples_ns":{samples_ns:?},"elapsed_ns":{elapsed_ns},"attempted":{all},"accepted":{all},"delivered":{delivered},"responder_sum":{responder_sum},"initiator_sum":{}}}}}"#,
        answers.sum
    ))
}
