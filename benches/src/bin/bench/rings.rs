//! Speed of the shared-memory ring, and the cost of waking compared with a C loop.
//!
//! One run alternates between three measurements: a bare C loop over a word and a message in shared memory, which
//! sleeps on a futex or spins; round trips over the ring, of copied and of lent messages; and transfers of a route, with
//! every byte compared. Memory lent by a spinning ring is also compared with iceoryx2, with every byte written and read by
//! both ends, if `roundtrip libraries build iceoryx2` has built it.

use crate::bare::Bare;
use crate::comparison::{self, BareLoop, Comparison, Turn, interval, progress, typical};
use crate::row;
use crate::{Measured, Options, Unsupported, harness};
use roundtrip_bench::definition::{Participants, Placement, PlannedCase};
use roundtrip_bench::harness::{PeerCommand, peers, support};
use roundtrip_bench::ring::Waiting;
use roundtrip_bench::scenario::{self, Work, many};
use roundtrip_bench::sys::affinity;
use roundtrip_bench::transport::{self, Manner, Transport};
use roundtrip_budget::Row;
use roundtrip_stats::Quartiles;
use std::path::PathBuf;
use std::time::Duration;

const MESSAGE_BYTES: usize = 64;
const SIZES: [usize; 6] = [MESSAGE_BYTES, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];
/// Round trips timed together if one takes less than a microsecond.
const BATCH: u64 = 100;

/// One-way time when spinning: half of the figure that iceoryx2 prints in the same setting.
const SPIN_NS: u64 = 100;
/// The largest accepted ratios to the bare loop's time: when spinning, for sleeping and waking, and for lent memory.
const SPIN: f64 = 1.5;
const BLOCK: f64 = 1.05;
const LENT: f64 = 1.15;
/// Written and read in place, compared with iceoryx2.
const IN_PLACE: f64 = 1.0;
const IN_PLACE_SIZES: [usize; 3] = [MESSAGE_BYTES, 4 << 10, 64 << 10];
/// Time per message of a stream, including comparison.
const STREAM_NS: u64 = 300;
/// The total rate of all receivers must not fall as their number grows.
const AGGREGATE: f64 = 1.0;

const MESSAGES: u64 = 100_000;
const TURNS: usize = 31;
const TURNS_MAX: usize = 101;
const TURNS_QUICK: usize = 9;
const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) fn measure(options: &Options) -> Result<Measured, String> {
    let (turns, turns_max) = if options.quick { (TURNS_QUICK, TURNS_QUICK) } else { (TURNS, TURNS_MAX) };
    let bare = Bare::compile()?;
    let mut measured = Measured { rows: Vec::new(), unsupported: Unsupported::new() };
    let iceoryx2 = iceoryx2();
    let (mut round_trips, mut in_place, mut transfers) = (Vec::new(), Vec::new(), Vec::new());
    for transport in rings(options) {
        let slug = transport.info().slug;
        let is_spinning = transport.manner().waiting == Waiting::Spin;
        let mechanism = mechanism(transport);
        for placement in [Placement::SameCpu, Placement::CrossCpu] {
            if is_spinning && placement == Placement::SameCpu {
                // Two ends that spin on one processor wait for the scheduler.
                continue;
            }
            for &bytes in sizes(transport, placement) {
                let case = PlannedCase { placement, ..harness::case(transport, bytes)? };
                let batch = if is_spinning { BATCH } else { 1 };
                let case = PlannedCase { work: Work { batch, ..case.work.clone() }, ..case };
                match support(&case) {
                    Ok(()) => {
                        let bare_loop = BareLoop { bare: &bare, mechanism: mechanism.clone() };
                        round_trips.push(Comparison::calibrate(case, bare_loop)?);
                    }
                    Err(reason) => {
                        let those = measured.unsupported.entry(reason.to_string()).or_default();
                        those.insert(format!("{slug} {placement}"));
                    }
                }
            }
        }
        if transport.ring().is_none() {
            if is_spinning {
                match &iceoryx2 {
                    Some(bare) => in_place.extend(with_iceoryx2(transport, bare)?),
                    None => {
                        let those = measured.unsupported.entry(NO_ICEORYX2.into()).or_default();
                        those.insert(format!("{slug} vs. iceoryx2"));
                    }
                }
            }
            continue;
        }
        for waiting in waits(transport) {
            if support(&route(transport, waiting, 1)?).is_ok() {
                transfers.push(Transfer::new(transport, waiting)?);
            }
        }
    }
    comparison::take_turns(&mut round_trips, turns, turns_max)?;
    comparison::take_turns(&mut in_place, turns, turns_max)?;
    for turn in 0..turns {
        progress(turn, turns, transfers.len());
        transfers.iter_mut().try_for_each(Transfer::turn)?;
    }
    let mut bare_way_ns = None;
    for comparison in &round_trips {
        let (typical, interval) = (comparison.typical()?, comparison.interval());
        let transport = &comparison.case.transport;
        if transport.is_ring() && transport.manner().waiting == Waiting::Spin {
            let way = Turn { value: typical.value / 2, peer: typical.peer / 2 };
            bare_way_ns = Some(way.peer);
            let name = format!("one way, {}", comparison.name());
            measured.rows.push(row::value_at_most(SPIN_NS, name.clone(), way, interval));
            measured.rows.push(row::ratio_at_most(SPIN, name, way, interval));
        } else {
            let bar = if transport.is_ring() { BLOCK } else { LENT };
            measured.rows.push(row::ratio_at_most(bar, comparison.name(), typical, interval));
        }
    }
    for comparison in &in_place {
        let (typical, interval) = (comparison.typical()?, comparison.interval());
        measured.rows.push(row::ratio_to("iceoryx2", IN_PLACE, comparison.name(), typical, interval));
    }
    for transfer in &transfers {
        measured.rows.extend(transfer.rows(bare_way_ns));
    }
    Ok(measured)
}

const NO_ICEORYX2: &str = "iceoryx2 is not built: run `roundtrip libraries build iceoryx2`";

/// The program that uses iceoryx2, where `roundtrip libraries build` puts it on Linux.
fn iceoryx2() -> Option<Bare> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(std::env::home_dir()?.join(".cache")))?;
    Bare::at(cache.join("roundtrip/libraries/iceoryx2/target/release/iceoryx2"))
}

/// Round trips of messages that both ends write and read in place.
fn with_iceoryx2<'a>(
    transport: &'static dyn Transport,
    bare: &'a Bare,
) -> Result<Vec<Comparison<'a>>, String> {
    let scenario = scenario::find("write-and-read").ok_or("unknown scenario `write-and-read`")?;
    let comparison = |bytes| {
        let case = harness::case(transport, bytes)?;
        let work = Work { batch: BATCH, ..case.work.clone() };
        let case = PlannedCase { scenario, placement: Placement::CrossCpu, work, ..case };
        Comparison::calibrate(case, BareLoop { bare, mechanism: "in-place".into() })
    };
    IN_PLACE_SIZES.into_iter().map(comparison).collect()
}

fn rings(options: &Options) -> impl Iterator<Item = &'static dyn Transport> {
    let only = options.only.as_deref();
    let wanted = move |transport: &&dyn Transport| {
        let slug = transport.info().slug;
        slug.as_str().starts_with("ring-") && only.is_none_or(|only| slug.as_str() == only)
    };
    transport::ALL.iter().copied().filter(wanted)
}

/// The bare loop for this transport: its own, or one that sleeps on a futex or spins.
fn mechanism(transport: &dyn Transport) -> String {
    let slug = transport.info().slug.to_string();
    if ["ring-futex-waitv", "ring-sysv-semaphore"].contains(&slug.as_str()) {
        return slug;
    }
    let waits = if transport.manner().waiting == Waiting::Spin { "spin" } else { "futex" };
    let lent = if transport.ring().is_some() { "" } else { "-lent" };
    format!("ring-{waits}{lent}")
}

/// All sizes on one processor for the mechanism of the bare loop, and for lent memory; else only short messages, because the
/// ring is the same.
fn sizes(transport: &dyn Transport, placement: Placement) -> &'static [usize] {
    let slug = transport.info().slug;
    let is_bare_loops = slug.as_str() == "ring-futex" && placement == Placement::SameCpu;
    if is_bare_loops || transport.ring().is_none() { &SIZES } else { &SIZES[..1] }
}

/// The ways to wait that this kind of ring offers.
fn waits(transport: &dyn Transport) -> Vec<Waiting> {
    match transport.manner().waiting {
        Waiting::Spin => vec![Waiting::Spin],
        _ => vec![Waiting::Block, Waiting::SpinThenBlock],
    }
}

fn route(transport: &'static dyn Transport, waiting: Waiting, receivers: u32) -> Result<PlannedCase, String> {
    let case = harness::case(transport, MESSAGE_BYTES)?;
    Ok(PlannedCase {
        scenario: scenario::find("route").ok_or("unknown scenario `route`")?,
        placement: Placement::CrossCpu,
        manner: Manner { waiting, ..transport.manner() },
        participants: Participants { senders: 1, receivers },
        work: Work {
            message_bytes: 256,
            size_profile: Some("uniform-2-256".into()),
            messages_per_operation: MESSAGES,
            operations: 1,
            senders: 1,
            ..case.work
        },
        ..case
    })
}

/// Alternating transfers of a route with one receiver and with one per processor.
struct Transfer {
    one: PlannedCase,
    all: Vec<PlannedCase>,
    /// For each turn: the time per message with one receiver, and the deliveries per second of all receivers with one
    /// and with more.
    turns: Vec<(u64, Vec<u64>)>,
}

impl Transfer {
    fn new(transport: &'static dyn Transport, waiting: Waiting) -> Result<Self, String> {
        let cpus = affinity::allowed().map_err(|error| error.to_string())?.len();
        let cpus = u32::try_from(cpus).unwrap_or(1);
        let all =
            (2..=cpus).map(|receivers| route(transport, waiting, receivers)).collect::<Result<_, _>>()?;
        Ok(Self { one: route(transport, waiting, 1)?, all, turns: Vec::new() })
    }

    fn turn(&mut self) -> Result<(), String> {
        let (message_ns, alone) = transfer(&self.one)?;
        let mut rates = vec![alone];
        for case in &self.all {
            rates.push(transfer(case)?.1);
        }
        self.turns.push((message_ns, rates));
        Ok(())
    }

    fn rows(&self, bare_way_ns: Option<u64>) -> Vec<Row> {
        let name = |case: &PlannedCase| {
            format!("{case}, {}, {} turns", case.manner.waiting.slug(), self.turns.len())
        };
        let times_ns: Vec<u64> = self.turns.iter().map(|turn| turn.0).collect();
        let bare_ns = bare_way_ns.unwrap_or(STREAM_NS);
        let of_bare: Vec<Turn> = times_ns.iter().map(|&value| Turn { value, peer: bare_ns }).collect();
        let median_ns = Quartiles::of(&times_ns).map_or(u64::MAX, |times| times.median);
        let streamed = Turn { value: median_ns, peer: bare_ns };
        let title = format!("a message of {}", name(&self.one));
        let mut rows = vec![row::value_at_most(STREAM_NS, title, streamed, interval(&of_bare))];
        for (index, case) in self.all.iter().enumerate() {
            let rates = self.turns.iter().map(|(_, rates)| Turn { value: rates[index + 1], peer: rates[0] });
            let rates: Vec<Turn> = rates.collect();
            if let Some(typical) = typical(&rates) {
                let name = format!("delivered to all of {}", name(case));
                rows.push(row::rate_at_least(AGGREGATE, name, typical, interval(&rates)));
            }
        }
        rows
    }
}

/// Runs one transfer; returns the time per message, and deliveries per second of all receivers together.
fn transfer(case: &PlannedCase) -> Result<(u64, u64), String> {
    let peer = PeerCommand::this_program().map_err(|error| error.to_string())?;
    let report =
        peers::run(case, &peer, DEADLINE, &mut |_| {}).map_err(|error| format!("{case}: {error}"))?;
    let delivered: u64 = report.ends.iter().map(|end| end.delivered).sum();
    let expected = MESSAGES * u64::from(case.participants.receivers);
    if delivered != expected {
        return Err(format!("{case}: {delivered} delivered, expected {expected}"));
    }
    let elapsed_ns = many::elapsed_ns(&report.ends).max(1);
    Ok((elapsed_ns / MESSAGES, delivered * 1_000_000_000 / elapsed_ns))
}
