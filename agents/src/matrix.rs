//! `roundtrip matrix`: a round trip between every two processors of this machine, which shows its topology.

use crate::cli::{Format, MatrixArguments};
use crate::failure::Failure;
use crate::format::{bytes, nanoseconds};
use crate::{output, run, table};
use roundtrip_bench::definition::{Placement, Plan, PlannedCase, Repetitions};
use roundtrip_bench::harness;
use roundtrip_bench::scenario::{self, Work};
use roundtrip_bench::sys::affinity;
use roundtrip_bench::transport;
use roundtrip_stats::Quartiles;
use roundtrip_wire::{CaseResult, Slug};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

const DEADLINE: Duration = Duration::from_secs(20);
const OPERATIONS: u64 = 1_000;
const WARMUP: u64 = 100;
const REPETITIONS: u32 = 5;

/// One pair, as `--format json` prints it.
#[derive(Debug, Serialize)]
struct Pair {
    initiator_cpu: u32,
    responder_cpu: u32,
    /// The relation of the two: `the same`, `siblings of one core`, `different cores`, `different packages`.
    relation: &'static str,
    /// The median of the repetitions' p50; absent if none finished.
    p50_ns: Option<u64>,
    failure: Option<String>,
}

pub(crate) fn matrix(arguments: &MatrixArguments) -> crate::Result<()> {
    let cpus = affinity::allowed().map_err(|error| Failure::Other(error.to_string()))?;
    let pairs: Vec<(u32, u32)> = cpus.iter().flat_map(|&i| cpus.iter().map(move |&r| (i, r))).collect();
    let cases = pairs.iter().map(|&pair| case(arguments, pair)).collect::<crate::Result<Vec<_>>>()?;
    if let Some(case) = cases.first() {
        harness::support(case)
            .map_err(|reason| Failure::Other(format!("{}: {reason}", arguments.transport)))?;
    }
    let plan = Plan { preset: Slug::from_name("matrix"), about: String::new(), cases, deadline: DEADLINE };
    let outcome = run::with_progress(&plan, &run::peer()?);
    let results = pairs.iter().zip(&outcome.results);
    let measured = results.map(|(&pair, result)| read(pair, result)).collect::<crate::Result<Vec<_>>>()?;
    match arguments.format {
        Format::Json => output::print_json(&measured),
        Format::Human => output::print(&render(arguments, &cpus, &measured)),
    }
}

fn case(arguments: &MatrixArguments, (initiator, responder): (u32, u32)) -> crate::Result<PlannedCase> {
    let missing =
        || Failure::Usage(format!("unknown transport `{}`. See `roundtrip list`.", arguments.transport));
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
        ..PlannedCase::new(transport, scenario::find("roundtrip").ok_or_else(missing)?, work)
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
    let names = cpus.iter().map(|cpu| format!("cpu {cpu}"));
    let header: Vec<String> = std::iter::once("from \\ to".to_owned()).chain(names.clone()).collect();
    let rows = names.zip(pairs.chunks(cpus.len().max(1))).map(|(name, row)| {
        let times = row.iter().map(|pair| pair.p50_ns.map_or("failed".into(), nanoseconds));
        std::iter::once(name).chain(times).collect::<Vec<_>>()
    });
    let table = output::table(header, rows, |_| true);
    let mut text = format!(
        "{}, {} round trip, pinned: p50, median of {REPETITIONS} process starts\n\n{}\n",
        arguments.transport,
        bytes(arguments.message_bytes as u64),
        table
    );
    for pair in pairs {
        if let Some(failure) = &pair.failure {
            text.push_str(&format!("\ncpu {} to cpu {}: {failure}", pair.initiator_cpu, pair.responder_cpu));
        }
    }
    let mut times: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    pairs.iter().for_each(|pair| times.entry(pair.relation).or_default().extend(pair.p50_ns));
    for (relation, times) in times {
        if let (Some(least), Some(most)) = (times.iter().min(), times.iter().max()) {
            text.push_str(&format!("\n{relation}: {} to {}", nanoseconds(*least), nanoseconds(*most)));
        }
    }
    text
}
