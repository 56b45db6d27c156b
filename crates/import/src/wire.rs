//! Converts an import to wire results. Facts that a file does not state become `unknown`.

use crate::format::Import;
use crate::model::{Benchmark, Data, Repetitions, Statistic, Summary};
use roundtrip_stats::Distribution;
use roundtrip_wire::{
    Case, CaseResult, Measure, Methodology, Repetition, RunReport, Slug, StatedQuantile, Summary as Stated,
    TransportInfo,
};
use std::io::{self, Write};

/// The version of the readers. Raise it when a change of the readers changes the values of a file.
pub const PROTOCOL_VERSION: u32 = 2;

/// The scenario of imported results. Only the benchmark's name may describe the traffic.
pub const SCENARIO: &str = "benchmark";

/// The mechanism family of the formats.
pub const FAMILY: &str = "import";

/// The value of missing facts: number of processes, placement, kind of waiting.
pub const UNKNOWN: &str = "unknown";

impl Import {
    /// Creates one result per benchmark, in the order of the file. The repetitions stay in their compact form next to
    /// it: results without them, until [`Repetitions::to_wire`] adds them. Together, results take a hundred times the
    /// memory of the file, so do not collect them.
    pub fn into_results(self) -> impl Iterator<Item = (CaseResult, Repetitions)> {
        let Self { format, benchmarks, facts, .. } = self;
        let transport = TransportInfo {
            slug: Slug::from_name(format.slug()),
            title: format.title().to_owned(),
            family: Slug::from_name(FAMILY),
            semantics: format!(
                "Imported from {}. The tool and the benchmark define the method.",
                format.title()
            ),
            control: false,
        };
        benchmarks.into_iter().map(move |Benchmark { name, variant, measure, operations, data }| {
            let (repetitions, summary) = match data {
                Data::Repetitions(repetitions) => (repetitions, None),
                Data::Summary(summary) => (Repetitions::default(), Some(*summary)),
            };
            let result = CaseResult {
                transport: transport.clone(),
                case: case(name, variant.as_deref(), operations, measure.as_deref()),
                methodology: methodology(format.title(), summary.as_ref().map(|summary| summary.statistic)),
                repetitions: Vec::new(),
                failures: Vec::new(),
                counters: [].into(),
                facts: facts.clone(),
                unsupported: None,
                oversubscribed: false,
                summary: summary.map(stated),
                explanation: None,
                profile: None,
            };
            (result, repetitions)
        })
    }
}

impl Repetitions {
    /// Creates the repetitions of a result, one at a time.
    pub fn to_wire(&self) -> impl Iterator<Item = Repetition> {
        (0..).zip(self.iter()).map(repetition)
    }
}

/// Writes a report whose results are added one at a time. The JSON is that of the whole [`RunReport`].
#[derive(Debug)]
pub struct ReportWriter<W> {
    to: W,
    is_first: bool,
}

impl<W: Write> ReportWriter<W> {
    /// Writes the beginning of a report. It must have no results.
    ///
    /// # Errors
    /// The report has results, or it cannot be written.
    pub fn new(report: &RunReport, mut to: W) -> io::Result<Self> {
        let json = serde_json::to_vec(report)?;
        let beginning = json.strip_suffix(b"[]}").ok_or_else(|| io::Error::other("a report with results"))?;
        to.write_all(beginning)?;
        to.write_all(b"[")?;
        Ok(Self { to, is_first: true })
    }

    /// Writes a result, which must have no repetitions, with these repetitions.
    ///
    /// # Errors
    /// The result has repetitions, or it cannot be written.
    pub fn write(
        &mut self,
        result: &CaseResult,
        repetitions: impl IntoIterator<Item = Repetition>,
    ) -> io::Result<()> {
        let json = serde_json::to_string(result)?;
        // Within a text, quotation marks are escaped.
        let (before, after) = json
            .split_once("\"repetitions\":[]")
            .ok_or_else(|| io::Error::other("a result with repetitions"))?;
        self.to.write_all(if self.is_first { b"" } else { b"," })?;
        self.is_first = false;
        self.to.write_all(before.as_bytes())?;
        self.to.write_all(b"\"repetitions\":[")?;
        for (index, repetition) in repetitions.into_iter().enumerate() {
            self.to.write_all(if index == 0 { b"" } else { b"," })?;
            self.to.write_all(&serde_json::to_vec(&repetition)?)?;
        }
        self.to.write_all(b"]")?;
        self.to.write_all(after.as_bytes())
    }

    /// Writes the end of the report, and returns the writer.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.to.write_all(b"]}")?;
        Ok(self.to)
    }
}

fn case(name: String, variant: Option<&str>, operations: u64, measure: Option<&Measure>) -> Case {
    Case {
        scenario: Slug::from_name(SCENARIO),
        message_bytes: 0,
        total_bytes: None,
        peers: 1,
        mode: Slug::from_name(UNKNOWN),
        placement: Slug::from_name(UNKNOWN),
        buffer_bytes: None,
        rate_per_second: None,
        size_profile: None,
        senders: None,
        messages: None,
        variant: variant.map(Slug::from_name),
        benchmark: Some(name),
        operations: (operations > 1).then_some(operations),
        measure: measure.cloned(),
    }
}

fn methodology(title: &str, statistic: Option<Statistic>) -> Methodology {
    let unknown = || Slug::from_name(UNKNOWN);
    Methodology {
        protocol_version: PROTOCOL_VERSION,
        send: unknown(),
        receive: unknown(),
        on_full: unknown(),
        window: 1,
        batch: 1,
        clock: unknown(),
        warmup: 0,
        payload: format!("not known: imported from a file of {title}"),
        storage: unknown(),
        discarded_repetitions: None,
        probe: None,
        wake: None,
        parts: None,
        statistic: statistic.map(|statistic| {
            Slug::from_name(match statistic {
                Statistic::Mean => "mean",
                Statistic::Median => "median",
                Statistic::Value => "value",
            })
        }),
    }
}

/// Creates a repetition without message counts, which are unknown.
fn repetition((index, distribution): (u32, Distribution)) -> Repetition {
    Repetition {
        index,
        histogram: distribution.histogram_text(),
        samples: distribution.samples_text(),
        count: distribution.count(),
        min_ns: distribution.min_ns(),
        max_ns: distribution.max_ns(),
        sum_ns: distribution.sum_ns(),
        attempted: 0,
        accepted: 0,
        delivered: 0,
        out_of_order: 0,
        corrupted: 0,
        elapsed_ns: 0,
        ends: Vec::new(),
        disturbed: Vec::new(),
        late: None,
        missed: None,
        conditions: [].into(),
        log_ratio_ppb: None,
    }
}

fn stated(summary: Summary) -> Stated {
    let Summary { center_ns, low_ns, high_ns, min_ns, max_ns, quantiles, count, .. } = summary;
    let quantiles = quantiles.into_iter().map(|(q_ppm, ns)| StatedQuantile { q_ppm, ns }).collect();
    Stated { center_ns, low_ns, high_ns, min_ns, max_ns, quantiles, count }
}
