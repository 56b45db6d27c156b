//! The loop of the suite's scenario `write-and-read` with iceoryx2, for `cargo xtask bench rings`: each end writes its message
//! in a loaned sample and reads the other's in place. Prints a time in nanoseconds for each operation.
//!
//! `iceoryx2 in-place INITIATOR_CPU RESPONDER_CPU BYTES WARMUP OPERATIONS BATCH`, as the bare loops in `benches/reference/`.

use crate::Ends;
use roundtrip_protocol::{Channel, Result};
use std::io::{BufRead, BufReader};
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

const LOOP: &str = "in-place";

pub(crate) struct Arguments {
    cpus: [u64; 2],
    bytes: usize,
    warmup: u64,
    operations: u64,
    batch: u64,
    /// The name of the services, in the responder.
    name: Option<String>,
}

/// The arguments, if this loop was requested.
pub(crate) fn arguments() -> Option<Arguments> {
    let mut words = std::env::args().skip(1);
    if words.next()? != LOOP {
        return None;
    }
    let mut number = || words.next()?.parse().ok();
    let cpus = [number()?, number()?];
    let bytes = usize::try_from(number()?).ok()?;
    let (warmup, operations, batch) = (number()?, number()?, number()?);
    Some(Arguments { cpus, bytes, warmup, operations, batch, name: words.next() })
}

pub(crate) fn main(arguments: &Arguments) -> ExitCode {
    let done = match &arguments.name {
        None => initiate(arguments),
        Some(name) => respond(arguments, name),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn initiate(arguments: &Arguments) -> Result<()> {
    let Arguments { cpus, bytes, warmup, operations, batch, .. } = *arguments;
    let id = std::process::id().to_string();
    Command::new("taskset").args(["--cpu-list", "--pid", &cpus[0].to_string(), &id]).output()?;
    let name = format!("roundtrip/{id}");
    let mut responder = Command::new("taskset")
        .arg("--cpu-list")
        .arg(cpus[1].to_string())
        .arg(std::env::current_exe()?)
        .args(std::env::args().skip(1))
        .arg(&name)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut ready = String::new();
    BufReader::new(responder.stdout.take().ok_or("no pipe")?).read_line(&mut ready)?;
    let ends = Ends::open(bytes, &format!("{name}/to"), &format!("{name}/from"), true)?;
    let mut sequence = 0;
    let mut exchange = || -> Result<()> {
        sequence += 1;
        send(&ends, bytes, sequence)?;
        read(&ends, sequence)
    };
    for _ in 0..warmup * batch {
        exchange()?;
    }
    let mut times_ns = Vec::with_capacity(usize::try_from(operations)?);
    for _ in 0..operations {
        let began = Instant::now();
        for _ in 0..batch {
            exchange()?;
        }
        times_ns.push(began.elapsed().as_nanos() / u128::from(batch));
    }
    responder.wait()?;
    times_ns.iter().for_each(|ns| println!("{ns}"));
    Ok(())
}

fn respond(arguments: &Arguments, name: &str) -> Result<()> {
    let Arguments { bytes, warmup, operations, batch, .. } = *arguments;
    let ends = Ends::open(bytes, &format!("{name}/from"), &format!("{name}/to"), true)?;
    println!("ready");
    for sequence in 1..=(warmup + operations) * batch {
        read(&ends, sequence)?;
        send(&ends, bytes, sequence)?;
    }
    Ok(())
}

fn send(ends: &Ends, bytes: usize, sequence: u64) -> Result<()> {
    let mut sample = ends.publisher.loan_slice_uninit(bytes)?;
    let word = word(sequence).to_le_bytes().map(MaybeUninit::new);
    let (words, rest) = sample.payload_mut().as_chunks_mut();
    words.fill(word);
    rest.copy_from_slice(&word[..rest.len()]);
    // SAFETY: all bytes are written.
    unsafe { sample.assume_init() }.send()?;
    Ok(())
}

fn read(ends: &Ends, sequence: u64) -> Result<()> {
    let message = ends.receive()?;
    let message: &[u8] = message.deref();
    let expected = word(sequence);
    let (words, rest) = message.as_chunks();
    let differing =
        words.iter().fold(0, |differing, word| differing | (u64::from_le_bytes(*word) ^ expected));
    if differing == 0 && *rest == expected.to_le_bytes()[..rest.len()] {
        return Ok(());
    }
    Err(format!("message {sequence} differs").into())
}

/// The content of a message: a word for each 8 bytes.
fn word(sequence: u64) -> u64 {
    (sequence + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
