//! Overhead of the harness over bare C loops that make the same system calls.
//!
//! It covers every kernel transport and every message size in Chromium's table. Harness and loop alternate in fresh
//! processes on the same processor. The result is the median over the turns of the ratio of their p50s.

use crate::bare::Bare;
use crate::comparison::{self, BareLoop, Comparison};
use crate::row;
use crate::{Measured, Options, Unsupported};
use roundtrip_bench::definition::{self, Placement, PlannedCase};
use roundtrip_bench::harness::support;
use roundtrip_bench::scenario::{self, Work};
use roundtrip_bench::transport::{self, Transport};
use roundtrip_budget::Row;
use std::collections::BTreeSet;

/// One below a page, one above two pages, one larger than any kernel buffer.
const MESSAGE_BYTES_QUICK: [usize; 3] = [1_024, 9_216, 1_048_576];

/// Turns per comparison; odd, so that one is the median. About seven minutes in all.
const TURNS: usize = 25;
/// The most turns of a comparison whose ratio is not narrow earlier. About twenty minutes in all.
const TURNS_MAX: usize = 101;
/// Turns with [`MESSAGE_BYTES_QUICK`]: less than two minutes in all.
const TURNS_QUICK: usize = 15;

/// The largest accepted ratio of the harness's time to the bare loop's.
const BAR: f64 = 1.03;
/// The same for times below [`SHORT_NS`], where a few nanoseconds are already some percent.
const BAR_SHORT: f64 = 1.10;
const SHORT_NS: u64 = 1_000;

pub(crate) fn measure(options: &Options) -> Result<Measured, String> {
    let (sizes, turns, turns_max) = if options.quick {
        (MESSAGE_BYTES_QUICK.into(), TURNS_QUICK, TURNS_QUICK)
    } else {
        (table_sizes()?, TURNS, TURNS_MAX)
    };
    let bare = Bare::compile()?;
    let (mut comparisons, mut unsupported) = (Vec::new(), Unsupported::new());
    for transport in transports(options.only.as_deref())? {
        for &bytes in &sizes {
            let case = case(transport, bytes)?;
            let slug = transport.info().slug.to_string();
            match support(&case) {
                Ok(()) => {
                    comparisons.push(Comparison::calibrate(case, BareLoop { bare: &bare, mechanism: slug })?);
                }
                Err(reason) => _ = unsupported.entry(reason.to_string()).or_default().insert(slug),
            }
        }
    }
    comparison::take_turns(&mut comparisons, turns, turns_max)?;
    let rows = comparisons.iter().map(row).collect::<Result<_, String>>()?;
    Ok(Measured { rows, unsupported })
}

fn row(comparison: &Comparison<'_>) -> Result<Row, String> {
    let typical = comparison.typical()?;
    let bar = if typical.peer < SHORT_NS { BAR_SHORT } else { BAR };
    Ok(row::ratio_at_most(bar, comparison.name(), typical, comparison.interval()))
}

/// The message sizes in Chromium's table, ascending, from the preset that measures it.
fn table_sizes() -> Result<BTreeSet<usize>, String> {
    let preset = definition::preset("chromium-mach").map_err(|error| error.to_string())?;
    let table = preset.cases.iter().filter(|case| case.scenario.slug() == "stream");
    Ok(table.map(|case| case.work.message_bytes).collect())
}

pub(crate) fn transports(only: Option<&str>) -> Result<Vec<&'static dyn Transport>, String> {
    let controls = transport::ALL.iter().copied().filter(|transport| transport.info().control);
    let wanted = |transport: &&dyn Transport| only.is_none_or(|slug| transport.info().slug.as_str() == slug);
    let found: Vec<_> = controls.filter(wanted).collect();
    match only {
        Some(slug) if found.is_empty() => Err(format!("unknown kernel transport `{slug}`")),
        _ => Ok(found),
    }
}

/// A round trip of this size with both ends on one processor.
pub(crate) fn case(transport: &'static dyn Transport, message_bytes: usize) -> Result<PlannedCase, String> {
    let scenario = scenario::find("roundtrip").ok_or("unknown scenario `roundtrip`")?;
    let work = Work { message_bytes, messages_per_operation: 1, batch: 1, ..Work::default() };
    Ok(PlannedCase { placement: Placement::SameCpu, ..PlannedCase::new(transport, scenario, work) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_fifteen_sizes() {
        let sizes = table_sizes().unwrap();
        assert_eq!((sizes.len(), sizes.first(), sizes.last()), (15, Some(&100), Some(&7_340_032)));
        assert!(MESSAGE_BYTES_QUICK.iter().all(|bytes| sizes.contains(bytes)));
    }

    #[test]
    fn only_kernel_transports_have_a_bare_loop() {
        assert_eq!(transports(Some("pipe")).unwrap().len(), 1);
        assert!(transports(Some("ring-futex")).is_err());
        let all = transports(None).unwrap();
        assert!(all.len() > 1 && all.iter().all(|transport| transport.info().control));
    }
}
