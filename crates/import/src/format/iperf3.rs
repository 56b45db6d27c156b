//! iperf3, `-J`.
//!
//! The name is the protocol with the settings that define the test. The rates of the intervals are the samples of one
//! repetition, without those that `--omit` excludes. The totals, retransmits, round-trip times, jitter, loss and
//! processor time are measures of their own.

use super::Reader;
use crate::VALUES_MAX;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, LONG, Place, cut};
use crate::json::{self, List, Loose, Members, Number};
use crate::quantity::Quantity;
use crate::time;
use roundtrip_wire::Better;
use serde::Deserialize;

pub(super) const READER: Reader = Reader {
    slug: "iperf3",
    title: "iperf3 (JSON)",
    detect: |probe| {
        let start = probe.outline().get("start");
        start.is_some_and(|start| start.has("version") && start.has("system_info"))
    },
    read,
};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct File {
    start: Start,
    #[serde(default)]
    intervals: List<Interval, VALUES_MAX>,
    #[serde(default)]
    end: End,
    error: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Start {
    #[serde(default)]
    version: Loose,
    #[serde(default)]
    system_info: Loose,
    #[serde(default)]
    timestamp: Timestamp,
    #[serde(default)]
    test_start: Option<Members<Loose, 100>>,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Timestamp {
    timesecs: Loose,
}

/// An interval: the sums over all streams.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Interval {
    sum: Rate,
    sum_bidir_reverse: Option<Rate>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(expecting = "an object")]
struct Rate {
    bits_per_second: f64,
    #[serde(default)]
    omitted: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct End {
    streams: List<Stream, 10_000>,
    sum_sent: Sum,
    sum_received: Sum,
    /// Of older versions, for datagrams.
    sum: Sum,
    sum_sent_bidir_reverse: Sum,
    sum_received_bidir_reverse: Sum,
    cpu_utilization_percent: Members<Loose, 100>,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Stream {
    sender: Sender,
    udp: Datagrams,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Sender {
    mean_rtt: Option<Number>,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Datagrams {
    out_of_order: Option<Number>,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Sum {
    bits_per_second: Option<Number>,
    retransmits: Option<Number>,
    jitter_ms: Option<Number>,
    lost_packets: Option<Number>,
    lost_percent: Option<Number>,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let File { start, intervals, end, error } = json::read(text)?;
    if let Some(error) = error {
        collector.warn(format!("the test failed: {}", cut(&error, LONG)));
    }
    collector.fact("tool_version", start.version.fact());
    // The output of `uname`: system, host, release, version, machine.
    let system = start.system_info.fact().unwrap_or_default();
    let mut system = system.split_ascii_whitespace();
    collector.fact("os", system.next());
    collector.fact("host", system.next());
    collector.fact("os_release", system.next());
    collector.fact("date", start.timestamp.timesecs.number().and_then(time::date_of_unix));
    let mut name = name(&start.test_start.unwrap_or_default());
    // Version 3.12 does not state this setting.
    if end.sum_sent_bidir_reverse.bits_per_second.is_some() {
        name += " bidir";
    }
    let entry = Entry::new(name, 1);
    for (measure, rate) in [
        ("rate of intervals", (|interval| Some(interval.sum)) as fn(&Interval) -> Option<Rate>),
        ("reverse: rate of intervals", |interval| interval.sum_bidir_reverse),
    ] {
        let rates = intervals.0.iter().filter_map(rate).filter(|rate| !rate.omitted);
        let mut rates = rates.map(|rate| rate.bits_per_second).peekable();
        if rates.peek().is_some() {
            collector.values(&entry, &Quantity::bit_rate(measure), rates, &Place::member("intervals"))?;
        }
    }
    add_sums(&entry, "", [&end.sum_sent, &end.sum_received, &end.sum], collector)?;
    let reverse = [&end.sum_sent_bidir_reverse, &end.sum_received_bidir_reverse, &Sum::default()];
    add_sums(&entry, "reverse: ", reverse, collector)?;
    add_streams(&entry, &end.streams.0, collector)?;
    for (name, value) in &end.cpu_utilization_percent.0 {
        let Some(value) = value.number() else { continue };
        let place = Place::member(format!("end.cpu_utilization_percent.{name}"));
        collector.value(
            &entry,
            &Quantity::fine(&format!("cpu {name}"), "%", Better::Lower),
            value,
            &place,
        )?;
    }
    Ok(())
}

/// The protocol, and the settings that change the figures, as far as they are set.
fn name(settings: &Members<Loose, 100>) -> String {
    let setting = |name: &str| {
        let value = settings.0.iter().find(|(known, _)| known == name)?.1.fact()?;
        (value != "0").then_some(value)
    };
    let mut name = setting("protocol").unwrap_or_else(|| "unknown protocol".into());
    for setting_name in ["blksize", "num_streams", "reverse", "target_bitrate"] {
        if let Some(value) = setting(setting_name) {
            name += &format!(" {setting_name}={value}");
        }
    }
    name
}

/// Adds the totals of a direction.
fn add_sums(
    entry: &Entry,
    direction: &str,
    [sent, received, both]: [&Sum; 3],
    collector: &mut Collector,
) -> Result<(), Fault> {
    let place = Place::member("end");
    let named = |name: &str| format!("{direction}{name}");
    // The receiver of datagrams states the loss; older versions state it only with the sender, or for both.
    let either = |of: fn(&Sum) -> Option<Number>| of(received).or(of(sent)).or(of(both));
    let figures = [
        (Quantity::bit_rate(&named("sent")), sent.bits_per_second),
        (Quantity::bit_rate(&named("received")), received.bits_per_second),
        (Quantity::counter(&named("retransmits")), sent.retransmits),
        (Quantity::new(&named("jitter"), "ms", Better::Lower), either(|sum| sum.jitter_ms)),
        (Quantity::counter(&named("lost packets")), either(|sum| sum.lost_packets)),
        (Quantity::fine(&named("lost"), "%", Better::Lower), either(|sum| sum.lost_percent)),
    ];
    collector.stated(entry, figures, &place)
}

/// A quantity, and its value for a stream.
type OfStream = (Quantity, fn(&Stream) -> Option<Number>);

/// Adds what only the streams state. They run at the same time.
fn add_streams(entry: &Entry, streams: &[Stream], collector: &mut Collector) -> Result<(), Fault> {
    let place = Place::member("end.streams");
    let round_trips = Quantity::new("mean round-trip time", "us", Better::Lower);
    let figures: [OfStream; 2] = [
        (round_trips, |stream| stream.sender.mean_rtt),
        (Quantity::counter("out of order"), |stream| stream.udp.out_of_order),
    ];
    for (quantity, of) in figures {
        let mut values = streams.iter().filter_map(|stream| Some(of(stream)?.0)).peekable();
        if values.peek().is_some() {
            collector.values(entry, &quantity, values, &place)?;
        }
    }
    Ok(())
}
