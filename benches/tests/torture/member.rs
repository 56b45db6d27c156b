//! A member: sends or receives until it is killed. It ends by itself only if it detects an error.

use roundtrip_bench::ring::geometry::Geometry;
use roundtrip_bench::ring::{Receiver, Ring, Sender, Settings, Waiting, WakeRule};
use roundtrip_bench::sys::handle::{self, Handle};
use roundtrip_bench::sys::shared_memory::Mapping;
use roundtrip_bench::sys::wake::{self, Mechanism};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Life and number.
const HEADER_BYTES: usize = 16;

/// Offset of the ring: a page of progress counters comes first.
pub(crate) const RING_OFFSET: usize = 4_096;

/// The progress of the member in this place: it counts its messages there, across lives.
#[expect(unsafe_code, reason = "numbers in shared memory")]
pub(crate) fn progress(mapping: &Mapping, place: usize) -> &AtomicU64 {
    assert!((place + 1) * size_of::<AtomicU64>() <= RING_OFFSET);
    // SAFETY: within the first page, aligned, and only used as atomics.
    unsafe { &*mapping.address().cast::<AtomicU64>().as_ptr().add(place) }
}

/// Arguments: `sender|receiver`, place, life, several senders, mechanism, waiting, longest message. The first line of
/// standard input is the ticket for the memory.
pub(crate) fn main(arguments: &[String]) -> ExitCode {
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{}: {reason}", arguments.join(" "));
            ExitCode::from(3)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [role, place, life, many_senders, mechanism, waiting, message_bytes] = arguments else {
        return Err("expected seven arguments".into());
    };
    let number = |text: &String| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let mut ticket = String::new();
    std::io::stdin().read_line(&mut ticket).map_err(|error| error.to_string())?;
    let ticket = serde_json::from_str(&ticket).map_err(|error| error.to_string())?;
    let memory = handle::adopt(ticket).map_err(|error| error.to_string())?;
    let waiting = [Waiting::Spin, Waiting::SpinThenBlock, Waiting::Block]
        .into_iter()
        .find(|known| known.slug() == waiting)
        .ok_or("unknown way to wait")?;
    let mechanism = wake::find(mechanism).map_err(|error| error.to_string())?;
    let page = Mapping::part(&memory, 0, RING_OFFSET).map_err(|error| error.to_string())?;
    let message_bytes = usize::try_from(number(message_bytes)?).unwrap_or_default();
    let ring = ring(&memory, many_senders == "true", mechanism, waiting, message_bytes)?;
    let progress = progress(&page, usize::try_from(number(place)?).unwrap_or_default());
    match role.as_str() {
        "sender" => send(ring, number(life)?, message_bytes, progress),
        _ => receive(ring, message_bytes, progress),
    }
}

/// A view of the ring in this memory.
pub(crate) fn ring(
    memory: &Handle,
    many_senders: bool,
    mechanism: &'static dyn Mechanism,
    waiting: Waiting,
    message_bytes: usize,
) -> Result<Ring, String> {
    let settings =
        Settings { many_senders, waiting, wake_rule: WakeRule::IfAsleep, mechanism: Some(mechanism) };
    let geometry = Geometry::for_messages(message_bytes);
    let mapping = Mapping::part(memory, RING_OFFSET, geometry.bytes()).map_err(|error| error.to_string())?;
    Ring::new(Box::new(mapping), geometry, settings).map_err(|error| error.to_string())
}

fn send(ring: Ring, life: u64, message_bytes: usize, progress: &AtomicU64) -> Result<(), String> {
    let mut sender = Sender::join(ring).map_err(|error| error.to_string())?;
    let mut message = vec![0; message_bytes];
    for number in 0.. {
        let length = length(life, number, message_bytes);
        write(life, number, &mut message[..length]);
        // If no receiver is alive, retry until the next one starts.
        while sender.send(&message[..length]).is_err() {
            std::thread::yield_now();
        }
        progress.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

fn receive(ring: Ring, message_bytes: usize, progress: &AtomicU64) -> Result<(), String> {
    let mut receiver = Receiver::join(ring).map_err(|error| error.to_string())?;
    // The next number, for each life of a sender.
    let mut expected: BTreeMap<u64, u64> = BTreeMap::new();
    loop {
        let Ok(message) = receiver.receive() else {
            std::thread::yield_now();
            continue;
        };
        let (life, number) = read(message, message_bytes)?;
        // For earlier lives, only the end is visible.
        let next = expected.entry(life).or_insert(number);
        if *next != number {
            return Err(format!("life {life}: message {number} came, expected {next}"));
        }
        *next += 1;
        progress.fetch_add(1, Ordering::Relaxed);
    }
}

fn length(life: u64, number: u64, message_bytes: usize) -> usize {
    let more = (life * 31 + number * 7) % (message_bytes - HEADER_BYTES + 1) as u64;
    HEADER_BYTES + usize::try_from(more).unwrap_or_default()
}

#[expect(clippy::cast_possible_truncation, reason = "a pattern of low bytes is wanted")]
fn byte(life: u64, number: u64, at: usize) -> u8 {
    (life.wrapping_mul(0x9e37_79b9) ^ number.wrapping_mul(0x85eb_ca6b) ^ (at as u64 * 0x27)) as u8
}

fn write(life: u64, number: u64, message: &mut [u8]) {
    message[..8].copy_from_slice(&life.to_le_bytes());
    message[8..HEADER_BYTES].copy_from_slice(&number.to_le_bytes());
    for (at, place) in message[HEADER_BYTES..].iter_mut().enumerate() {
        *place = byte(life, number, at);
    }
}

fn read(message: &[u8], message_bytes: usize) -> Result<(u64, u64), String> {
    let word = |from: usize| {
        message.get(from..from + 8).and_then(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)))
    };
    let (Some(life), Some(number)) = (word(0), word(8)) else {
        return Err(format!("torn: {} bytes", message.len()));
    };
    let body = &message[HEADER_BYTES..];
    let is_whole = message.len() == length(life, number, message_bytes)
        && body.iter().enumerate().all(|(at, &found)| found == byte(life, number, at));
    if is_whole {
        Ok((life, number))
    } else {
        Err(format!("torn: message {number} of life {life}, {} bytes", message.len()))
    }
}
