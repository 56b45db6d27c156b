//! `roundtrip matrix`: a round trip between every two processors of this machine, which shows its topology.

use crate::cli::{Format, MatrixArguments};
use crate::failure::Failure;
use crate::format::{bytes, nanoseconds};
use crate::progress::Progress;
use crate::{output, run, table};
use comfy_table::{CellAlignment, Table, presets};
use roundtrip_bench::definition::{Placement, Plan, PlannedCase, Repetitions};
use roundtrip_bench::harness;
use roundtrip_bench::scenario::{self, Work};
use roundtrip_bench::sys::affinity;
use roundtrip_bench::transport;
use roundtrip_stats::Quartiles;
use roundtrip_wire::{CaseResult, Slug};
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Duration;

const DEADLINE: Duration = Duration::from_secs(20);
const OPERATIONS: u64 = 1_000;
const WARMUP: u64 = 100;
const REPETITIONS: u32 = 5;

/// One pair, as `--format json` prints it.
#[derive(Debug, Serialize)]
struct Pair {
    /// Processor of the end that sends first.
    initiator_cpu: u32,
    /// Processor of the end that answers.
    responder_cpu: u32,
    /// How the two are related: `the same`, `siblings of one core`, `different cores`, `different packages`.
    relation: &'static str,
    /// Median over the repetitions of their p50; absent when none finished.
    p50_ns: Option<u64>,
    /// Why there is none.
    failure: Option<String>,
}

/// Runs the verb.
///
/// # Errors
/// This system cannot pin, the transport cannot carry such messages here, or standard output is closed.
pub(crate) fn matrix(arguments: &MatrixArguments) -> crate::Result<()> {
    let cpus = affinity::allowed().map_err(|error| Failure::Other(error.to_string()))?;
    let pairs: Vec<(u32, u32)> = cpus.iter().flat_map(|&i| cpus.iter().map(move |&r| (i, r))).collect();
    let cases = pairs.iter().map(|&pair| case(arguments, pair)).collect::<crate::Result<Vec<_>>>()?;
    if let Some(case) = cases.first() {
        harness::support(case)
            .map_err(|reason| Failure::Other(format!("{}: {reason}", arguments.transport)))?;
    }
    let plan = Plan { preset: Slug::from_name("matrix"), about: String::new(), cases, deadline: DEADLINE };
    let progress = Progress::new("matrix");
    let outcome = harness::run(&plan, &run::peer()?, rand::random(), &mut |event| progress.observe(&event));
    progress.finish();

    let results = pairs.iter().zip(&outcome.results);
    let measured = results.map(|(&pair, result)| read(pair, result)).collect::<crate::Result<Vec<_>>>()?;
    match arguments.format {
        Format::Json => output::print_json(&measured),
        Format::Human => output::print(&render(arguments, &cpus, &measured)),
    }
}

fn case(arguments: &MatrixArguments, (initiator, responder): (u32, u32)) -> crate::Result<PlannedCase> {
    let missing = || Failure::Usage(format!("no transport is called `{}`", arguments.transport));
    let transport = transport::find(&arguments.transport).ok_or_else(missing)?;
    let work = Work {
        message_bytes: arguments.message_bytes,
        messages_per_operation: 1,
        operations: OPERATIONS,
        warmup: WARMUP,
        batch: 1,
        ..Work::default()
    };
    Ok(PlannedCase {
        placement: Placement::Cpus(initiator, responder),
        repetitions: Repetitions::exactly(REPETITIONS),
        ..PlannedCase::of(transport, scenario::find("roundtrip").ok_or_else(missing)?, work)
    })
}

fn read((initiator_cpu, responder_cpu): (u32, u32), result: &CaseResult) -> crate::Result<Pair> {
    Ok(Pair {
        initiator_cpu,
        responder_cpu,
        relation: affinity::relation(initiator_cpu, responder_cpu),
        p50_ns: Quartiles::of(&table::p50s_ns(result)?).map(|p50s| p50s.median),
        failure: result.failures.first().map(|failure| failure.reason.clone()),
    })
}

fn render(arguments: &MatrixArguments, cpus: &[u32], pairs: &[Pair]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut header = vec!["from \\ to".to_owned()];
    header.extend(cpus.iter().map(|cpu| format!("cpu {cpu}")));
    table.set_header(header);
    for row in pairs.chunks(cpus.len().max(1)) {
        let mut cells =
            vec![row.first().map(|pair| format!("cpu {}", pair.initiator_cpu)).unwrap_or_default()];
        cells.extend(row.iter().map(|pair| pair.p50_ns.map_or("failed".into(), nanoseconds)));
        table.add_row(cells);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = format!(
        "{}, {} there and back, both ends pinned: median of {REPETITIONS} fresh starts of their p50\n\n{}\n",
        arguments.transport,
        bytes(arguments.message_bytes as u64),
        table.trim_fmt()
    );
    for pair in pairs {
        if let Some(failure) = &pair.failure {
            // Writing to a string cannot fail, here and below.
            let _ = write!(text, "\ncpu {} to cpu {}: {failure}", pair.initiator_cpu, pair.responder_cpu);
        }
    }
    let mut relations: Vec<&str> = pairs.iter().map(|pair| pair.relation).collect();
    relations.sort_unstable();
    relations.dedup();
    for relation in relations {
        let of: Vec<u64> =
            pairs.iter().filter(|pair| pair.relation == relation).filter_map(|pair| pair.p50_ns).collect();
        if let (Some(least), Some(most)) = (of.iter().min(), of.iter().max()) {
            let _ = write!(text, "\n{relation}: {} to {}", nanoseconds(*least), nanoseconds(*most));
        }
    }
    text
}
