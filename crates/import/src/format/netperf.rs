//! netperf: its tables, or the selected output of `-o` (CSV) or `-k` (keys).
//!
//! The name is the test with the sizes of its messages, and the burst of `-b` if it is not 0. A run is one repetition
//! with one value, as a file can have the output of several runs: the transaction rate of a request/response test
//! becomes the time of a transaction, and the throughput of any other test is a measure. Latencies, which only the
//! selected output has, are a summary, and the processor time is a measure.

use super::Reader;
use crate::Summary;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place, cut};
use crate::quantity::Quantity;
use crate::time::{Scale, number};
use roundtrip_wire::Better;

pub(super) const READER: Reader = Reader {
    slug: "netperf",
    title: "netperf (text)",
    detect: |probe| probe.lines().any(|line| title(line).is_some()),
    read,
};

/// The name of the test and the burst in the first line of a run. Without bursts, the burst is empty or 0.
fn title(line: &str) -> Option<(&str, &str)> {
    let (title, rest) = line.split_once(" TEST from ")?;
    let burst = rest.rsplit_once(" : first burst ").map_or("", |(_, burst)| burst.trim());
    rest.contains(" AF_INET").then(|| (title.strip_prefix("MIGRATED ").unwrap_or(title), burst))
}

/// The most bytes of the words above a table. netperf writes about 300.
const WORDS_BYTES_MAX: usize = 1_000;

/// The names of figures in CSV, and their keys in the output of `-k`.
const COLUMNS: [(&str, &str); 18] = [
    ("Throughput", "THROUGHPUT"),
    ("Throughput Units", "THROUGHPUT_UNITS"),
    ("Transaction Rate Tran/s", "TRANSACTION_RATE"),
    ("Request Size Bytes", "REQUEST_SIZE"),
    ("Response Size Bytes", "RESPONSE_SIZE"),
    ("Local Send Size", "LOCAL_SEND_SIZE"),
    ("Minimum Latency Microseconds", "MIN_LATENCY"),
    ("Maximum Latency Microseconds", "MAX_LATENCY"),
    ("Mean Latency Microseconds", "MEAN_LATENCY"),
    ("50th Percentile Latency Microseconds", "P50_LATENCY"),
    ("90th Percentile Latency Microseconds", "P90_LATENCY"),
    ("99th Percentile Latency Microseconds", "P99_LATENCY"),
    ("Stddev Latency Microseconds", "STDDEV_LATENCY"),
    ("Local CPU Util %", "LOCAL_CPU_UTIL"),
    ("Remote CPU Util %", "REMOTE_CPU_UTIL"),
    ("Local Transport Retransmissions", "LOCAL_TRANSPORT_RETRANS"),
    ("Elapsed Time (sec)", "ELAPSED_TIME"),
    ("RT Latency usec/tran", "RT_LATENCY"),
];

/// The selected output of a run: keys and values.
struct Run {
    title: String,
    /// The number of transactions in flight, besides one; empty or 0 for none.
    burst: String,
    place: Place,
    /// The lines of words above the numbers of a table.
    words: String,
    columns: Option<Vec<String>>,
    figures: Vec<(String, String)>,
    /// Whether the numbers of a table were read.
    is_read: bool,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let mut run: Option<Run> = None;
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        if let Some((title, burst)) = title(line) {
            if let Some(run) = run.take() {
                run.finish(collector)?;
            }
            run = Some(Run {
                title: title.to_owned(),
                burst: burst.to_owned(),
                place,
                words: String::new(),
                columns: None,
                figures: Vec::new(),
                is_read: false,
            });
        } else if let Some(run) = &mut run {
            run.read_line(line, &place, collector)?;
        }
    }
    run.map_or(Ok(()), |run| run.finish(collector))
}

impl Run {
    fn read_line(&mut self, line: &str, place: &Place, collector: &mut Collector) -> Result<(), Fault> {
        let key = |name: &str| {
            let known = COLUMNS.iter().find(|(column, _)| *column == name);
            known.map_or(name, |(_, key)| key).to_owned()
        };
        if let Some((key, value)) = line.split_once('=') {
            self.figures.push((key.to_owned(), value.to_owned()));
        } else if line.contains(',') {
            match self.columns.take() {
                None => self.columns = Some(line.split(',').map(key).collect()),
                Some(columns) => {
                    let values = line.split(',').map(str::to_owned);
                    self.figures.extend(columns.into_iter().zip(values));
                }
            }
        } else {
            let fields: Vec<_> = line.split_ascii_whitespace().collect();
            if fields.iter().any(|field| field.parse::<f64>().is_err()) {
                if self.words.len() < WORDS_BYTES_MAX {
                    self.words += &cut(line, 200);
                    self.words.push(' ');
                }
            } else if !fields.is_empty() {
                self.read_row(&fields, place, collector)?;
            }
        }
        Ok(())
    }

    /// Reads the numbers of a table. The second row of a table is about the other side.
    fn read_row(&mut self, fields: &[&str], place: &Place, collector: &mut Collector) -> Result<(), Fault> {
        let is_datagrams = self.words.contains("Messages");
        if std::mem::replace(&mut self.is_read, true) {
            return match fields {
                [_, _, _, received] if is_datagrams => {
                    let size = self.figure("LOCAL_SEND_SIZE").unwrap_or_default().to_owned();
                    self.throughput(
                        &format!("message={size}"),
                        "received",
                        number(received, place)?,
                        collector,
                    )
                }
                _ => Ok(()),
            };
        }
        match fields {
            [_, _, request, response, _, rate, ..] if self.words.contains("Trans.") => {
                self.transaction(&format!("request={request} response={response}"), rate, collector)
            }
            [_, size, _, _, errors, sent] if is_datagrams => {
                self.figures.push(("LOCAL_SEND_SIZE".into(), (*size).to_owned()));
                let name = format!("message={size}");
                self.throughput(&name, "sent", number(sent, place)?, collector)?;
                let entry = self.entry(&name, 1);
                collector.value(&entry, &Quantity::counter("errors"), number(errors, place)?, place)
            }
            [_, _, size, _, rate, ..] if self.words.contains("Throughput") => {
                self.throughput(&format!("message={size}"), "throughput", number(rate, place)?, collector)
            }
            _ => {
                collector.skip(format!("{}: skipped a table with unknown columns", self.title));
                Ok(())
            }
        }
    }

    /// The test with the sizes of its messages.
    fn entry(&self, sizes: &str, operations: u64) -> Entry {
        let burst = match self.burst.as_str() {
            "" | "0" => String::new(),
            burst => format!("burst={burst}"),
        };
        let parts = [&self.title, sizes, &burst];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        Entry::new(parts.collect::<Vec<_>>().join(" "), operations)
    }

    fn figure(&self, key: &str) -> Option<&str> {
        self.figures.iter().find(|(known, _)| known == key).map(|(_, value)| value.trim())
    }

    /// Adds a rate of transactions per second, as the time of a transaction.
    fn transaction(&self, sizes: &str, rate: &str, collector: &mut Collector) -> Result<(), Fault> {
        let entry = self.entry(sizes, 1_000);
        let time = Scale::per_thousand(1e9).rate(number(rate, &self.place)?);
        collector.samples(&entry, vec![time.map_err(|problem| self.place.fault(problem))?], &self.place)
    }

    /// Adds a throughput in the unit that the words of the table name.
    fn throughput(&self, sizes: &str, name: &str, rate: f64, collector: &mut Collector) -> Result<(), Fault> {
        let entry = self.entry(sizes, 1);
        let units = [self.figure("THROUGHPUT_UNITS").unwrap_or_default(), &self.words].join(" ");
        // `-f` selects bits or bytes, and its factor.
        let factors = [
            ("10^3bits/s", 1e3),
            ("10^6bits/s", 1e6),
            ("10^9bits/s", 1e9),
            ("KBytes/s", 1_024.0),
            ("MBytes/s", 1_048_576.0),
            ("GBytes/s", 1_073_741_824.0),
        ];
        let Some((unit, factor)) = factors.iter().find(|(unit, _)| units.contains(unit)) else {
            collector.skip(format!("{}: skipped {name}: unknown unit", entry.name));
            return Ok(());
        };
        let quantity =
            if unit.contains("bits") { Quantity::bit_rate(name) } else { Quantity::byte_rate(name) };
        collector.value(&entry, &quantity, rate * factor, &self.place)
    }

    /// Adds the selected output.
    fn finish(self, collector: &mut Collector) -> Result<(), Fault> {
        if self.is_read {
            return Ok(());
        }
        if self.figures.is_empty() {
            collector.skip(format!("{}: skipped, no result", self.title));
            return Ok(());
        }
        let size = |name: &str, key: &str| self.figure(key).map(|size| format!("{name}={size}"));
        let sizes = [
            size("request", "REQUEST_SIZE"),
            size("response", "RESPONSE_SIZE"),
            size("message", "LOCAL_SEND_SIZE"),
        ];
        let sizes = sizes.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let entry = self.entry(&sizes, 1);
        let is_transactions = self.figure("THROUGHPUT_UNITS") == Some("Trans/s");
        let rate = self.figure("TRANSACTION_RATE").or(self.figure("THROUGHPUT").filter(|_| is_transactions));
        if let Some(rate) = rate {
            self.transaction(&sizes, rate, collector)?;
        }
        if let Some(rate) = self.figure("THROUGHPUT").filter(|_| !is_transactions) {
            self.throughput(&sizes, "throughput", number(rate, &self.place)?, collector)?;
        }
        let latency = Quantity::time("latency");
        if let Some(summary) = self.latency(&latency)? {
            collector.summary(&entry.of(&latency), summary, &self.place)?;
        }
        let measures = [
            ("LOCAL_CPU_UTIL", Quantity::fine("local cpu", "%", Better::Lower)),
            ("REMOTE_CPU_UTIL", Quantity::fine("remote cpu", "%", Better::Lower)),
            ("LOCAL_TRANSPORT_RETRANS", Quantity::counter("retransmits")),
        ];
        for (key, quantity) in &measures {
            // -1 stands for a figure that was not measured.
            if let Some(value) = self.figure(key).filter(|value| !value.starts_with('-')) {
                collector.value(&entry, quantity, number(value, &self.place)?, &self.place)?;
            }
        }
        let is_known = |key: &str| COLUMNS.iter().any(|(_, known)| *known == key);
        let is_setting = |key: &str| key.to_ascii_uppercase().contains("SIZE");
        for (key, _) in self.figures.iter().filter(|(key, _)| !is_known(key) && !is_setting(key)) {
            collector.skip(format!("{}: skipped {}", entry.name, cut(key, 40)));
        }
        Ok(())
    }

    /// The latencies, in microseconds; `None` without a median and a mean.
    fn latency(&self, quantity: &Quantity) -> Result<Option<Summary>, Fault> {
        let time = |key: &str| {
            let value = self.figure(key).filter(|value| !value.starts_with('-'));
            let stored = |value| {
                quantity
                    .stored(number(value, &self.place)? * 1e3)
                    .map_err(|problem| self.place.fault(problem))
            };
            value.map(stored).transpose()
        };
        let mean = time("MEAN_LATENCY")?.or(time("RT_LATENCY")?);
        let mut quantiles = Vec::new();
        for (key, ppm) in [("P50_LATENCY", 500_000), ("P90_LATENCY", 900_000), ("P99_LATENCY", 990_000)] {
            quantiles.extend(time(key)?.map(|value| (ppm, value)));
        }
        let (min_ns, max_ns) = (time("MIN_LATENCY")?, time("MAX_LATENCY")?);
        let summary = Summary::from_quantiles_or_mean(quantiles, mean);
        Ok(summary.map(|summary| Summary { min_ns, max_ns, ..summary }))
    }
}
