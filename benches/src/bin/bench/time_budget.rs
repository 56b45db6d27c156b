//! The residue of time budgets: the share of a round trip on one processor that no counter explains.

use crate::comparison::progress;
use crate::harness::{case, transports};
use crate::{Measured, Options, Unsupported};
use roundtrip_bench::definition::{Plan, PlannedCase, Repetitions};
use roundtrip_bench::harness::{self, Event, PeerCommand, support};
use roundtrip_bench::scenario::Work;
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_wire::{Budget, CaseResult, Part, Slug};
use std::time::Duration;

const MESSAGE_BYTES: [usize; 3] = [64, 4 << 10, 64 << 10];
const OPERATIONS: u64 = 2_000;
const WARMUP: u64 = 200;
const REPETITIONS: u32 = 30;
const REPETITIONS_QUICK: u32 = 10;
const DEADLINE: Duration = Duration::from_secs(60);

/// The largest accepted residue, as a share of the measured time.
const BAR: f64 = 0.05;

pub(crate) fn measure(options: &Options) -> Result<Measured, String> {
    let repetitions = if options.quick { REPETITIONS_QUICK } else { REPETITIONS };
    let mut unsupported = Unsupported::new();
    let mut cases: Vec<PlannedCase> = Vec::new();
    for transport in transports(options.only.as_deref())? {
        for bytes in MESSAGE_BYTES {
            let case = case(transport, bytes)?;
            let work = Work { operations: OPERATIONS, warmup: WARMUP, ..case.work.clone() };
            let case = PlannedCase { work, ..case };
            match support(&case) {
                Ok(()) => cases.push(PlannedCase { repetitions: Repetitions::exactly(repetitions), ..case }),
                Err(reason) => {
                    let those = unsupported.entry(reason.to_string()).or_default();
                    those.insert(transport.info().slug.to_string());
                }
            }
        }
    }
    let all = cases.len() * repetitions as usize;
    let plan =
        Plan { preset: Slug::from_name("time-budget"), about: String::new(), cases, deadline: DEADLINE };
    let peer = PeerCommand::this_program().map_err(|error| error.to_string())?;
    let outcome = harness::run(&plan, &peer, rand::random(), &mut |event| {
        if let Event::Repetition { done, .. } = event {
            progress(usize::try_from(done).unwrap_or(usize::MAX), all, 1);
        }
    });
    let rows = outcome.results.iter().map(row).collect::<Result<_, String>>()?;
    Ok(Measured { rows, unsupported })
}

fn row(result: &CaseResult) -> Result<Row, String> {
    let name = format!("{} {} B", result.transport.slug, result.case.message_bytes);
    let budget = Budget::of(result).ok_or_else(|| format!("{name}: {:?}", result.failures))?;
    let ready = 100.0 * budget.ns(Part::Ready) / budget.elapsed_ns();
    let peer = Peer {
        name: format!("{:.0} ns, {ready:.0} % of it waiting for other programs", budget.elapsed_ns()),
        value: budget.elapsed_ns(),
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and saturates"
    )]
    let residue_ns = (budget.residue() * budget.elapsed_ns()).round() as u64;
    Ok(Row::new(format!("residue, {name}"), residue_ns, "ns", peer, BarIs::RatioAtMost, BAR))
}
