//! `roundtrip probe-effect`: measures how a probe changes results. Runs the FreeBSD study's sweep of buffer
//! sizes, alternating without and with the probe. Each line is normalised by its mean to compare shapes, and
//! each size is tested with the paired Wilcoxon signed-rank test, as in the study's figure 3.

use crate::cli::{Format, ProbeEffectArguments};
use crate::comparison::probability;
use crate::failure::Failure;
use crate::format::{bytes, percent, whole};
use crate::{output, run};
use roundtrip_bench::definition::{self, Mode, Placement, Plan, PlannedCase};
use roundtrip_bench::harness;
use roundtrip_bench::probe::Probe;
use roundtrip_bench::scenario::Work;
use roundtrip_bench::transport::OnFull;
use roundtrip_stats::{Quartiles, wilcoxon};
use roundtrip_wire::{CaseResult, Slug};
use serde::Serialize;
use std::collections::BTreeMap;

/// The study's significance level.
const SIGNIFICANCE: f64 = 0.05;

/// The smallest buffer with the probe `syscalls`, which stops both ends at every call. A write and a read
/// take about 40 us, so 16 MiB in pieces of 32 B would take 20 s, and 30 repetitions of the whole sweep over
/// 20 minutes.
const TRACED_BYTES_MIN: usize = 256;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
struct Effect {
    transport: String,
    probe: String,
    sizes: Vec<Size>,
}

#[derive(Debug, Serialize)]
struct Size {
    buffer_bytes: u64,
    /// Median over the repetitions, in bytes per second.
    raw_bytes_per_second: u64,
    /// The same with the probe.
    probed_bytes_per_second: u64,
    /// The raw median as a multiple of the mean over all sizes.
    raw_normalised: f64,
    /// The same with the probe.
    probed_normalised: f64,
    pairs: usize,
    /// The two-sided p-value of the paired Wilcoxon signed-rank test on the normalised values; absent without
    /// differences.
    p_two_sided: Option<f64>,
}

pub(crate) fn probe_effect(arguments: &ProbeEffectArguments) -> crate::Result<()> {
    let probe = arguments.probe.probe().ok_or_else(|| {
        Failure::Usage("--probe none has no effect: expected syscalls, counters or sched".into())
    })?;
    let plan = plan(arguments)?;
    let outcome = run::with_progress(&plan, &run::peer()?);
    let sizes = compare(&outcome.results)?;
    let effect = Effect { transport: arguments.transport.clone(), probe: probe.to_string(), sizes };
    match arguments.format {
        Format::Json => output::print_json(&effect),
        Format::Human => output::print(&render(&effect)),
    }
}

/// The sweep of `ipc-static` for one transport and two threads on one CPU, as in the study: each size with
/// and without the probe. Planned with the pipe's cases, which request no buffer.
fn plan(arguments: &ProbeEffectArguments) -> crate::Result<Plan> {
    let study = definition::preset("ipc-static").map_err(|error| Failure::Other(error.to_string()))?;
    let transport = roundtrip_bench::transport::find(&arguments.transport).ok_or_else(|| {
        Failure::Usage(format!("unknown transport `{}`. See `roundtrip list`.", arguments.transport))
    })?;
    let least = if arguments.probe.probe() == Some(Probe::Syscalls) { TRACED_BYTES_MIN } else { 0 };
    let sweep = study.cases.iter().filter(|case| case.work.message_bytes >= least).filter(|case| {
        case.mode == Mode::TwoThreads
            && case.placement == Placement::SameCpu
            && case.buffer_bytes.is_none()
            && case.transport.info().slug.as_str() == "pipe"
    });
    let mut cases = Vec::new();
    for case in sweep {
        let work = Work { lossy: transport.manner().on_full == OnFull::Drop, ..case.work.clone() };
        let raw =
            PlannedCase { transport: transport.into(), manner: transport.manner(), work, ..case.clone() };
        harness::support(&raw).map_err(|reason| Failure::Other(format!("{raw}: {reason}")))?;
        cases.push(PlannedCase { probe: arguments.probe.probe(), ..raw.clone() });
        cases.push(raw);
    }
    Ok(Plan { preset: Slug::from_name("probe-effect"), cases, ..study })
}

/// Bytes per second of each repetition, by its number.
type Line = BTreeMap<u32, f64>;

fn compare(results: &[CaseResult]) -> crate::Result<Vec<Size>> {
    let mut lines: BTreeMap<u64, (Line, Line)> = BTreeMap::new();
    for result in results {
        if let Some(failure) = result.failures.first() {
            let size = bytes(result.case.message_bytes);
            return Err(Failure::Other(format!("a repetition of {size} failed: {}", failure.reason)));
        }
        let rates = result.repetitions.iter().map(|repetition| {
            let total = result.case.total_bytes.unwrap_or(0) * repetition.count;
            (repetition.index, total as f64 * 1e9 / repetition.sum_ns.max(1) as f64)
        });
        let (raw, probed) = lines.entry(result.case.message_bytes).or_default();
        if result.methodology.probe.is_some() { probed.extend(rates) } else { raw.extend(rates) }
    }

    let mean = |of: fn(&(Line, Line)) -> &Line| {
        lines.values().map(|both| median(of(both))).sum::<f64>() / lines.len().max(1) as f64
    };
    let (raw_mean, probed_mean) = (mean(|both| &both.0), mean(|both| &both.1));
    Ok(lines
        .iter()
        .map(|(&buffer_bytes, (raw, probed))| {
            let pairs: Vec<(f64, f64)> = raw
                .iter()
                .filter_map(|(index, rate)| Some((rate / raw_mean, probed.get(index)? / probed_mean)))
                .collect();
            Size {
                buffer_bytes,
                raw_bytes_per_second: whole(median(raw)),
                probed_bytes_per_second: whole(median(probed)),
                raw_normalised: median(raw) / raw_mean,
                probed_normalised: median(probed) / probed_mean,
                pairs: pairs.len(),
                p_two_sided: wilcoxon::signed_rank(&pairs).map(|test| test.p_two_sided),
            }
        })
        .collect())
}

fn median(line: &Line) -> f64 {
    let rates: Vec<u64> = line.values().copied().map(whole).collect();
    Quartiles::of(&rates).map_or(0.0, |quartiles| quartiles.median as f64)
}

fn render(effect: &Effect) -> String {
    let header = ["buffer", "raw", "probed", "slower by", "raw, normalised", "probed, normalised", "p"];
    let row = |size: &Size| {
        let (raw, probed) = (size.raw_bytes_per_second as f64, size.probed_bytes_per_second as f64);
        [
            bytes(size.buffer_bytes),
            format!("{}/s", bytes(size.raw_bytes_per_second)),
            format!("{}/s", bytes(size.probed_bytes_per_second)),
            percent(raw / probed.max(1.0) - 1.0),
            format!("{:.3}", size.raw_normalised),
            format!("{:.3}", size.probed_normalised),
            size.p_two_sided.map_or("no differences".into(), probability),
        ]
    };
    let table = output::table(header, effect.sizes.iter().map(row), |_| true);
    let differ =
        effect.sizes.iter().filter(|size| size.p_two_sided.is_some_and(|p| p < SIGNIFICANCE)).count();
    let mut text = format!(
        "{}, two threads on one CPU, alternating without and with the probe {}\n\n{}\n\n",
        effect.transport, effect.probe, table
    );
    if effect.sizes.iter().all(|size| size.buffer_bytes >= TRACED_BYTES_MIN as u64) {
        text.push_str(
            "Smaller buffers are left out: with this probe the sweep would take over 20 minutes.\n",
        );
    }
    text.push_str(&format!(
        "The probe changes the normalised rate at {differ} of {} sizes (p < \
     {SIGNIFICANCE}, paired Wilcoxon signed-rank test); about {:.0} expected by chance.",
        effect.sizes.len(),
        SIGNIFICANCE * effect.sizes.len() as f64
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results of the sweep: for each size, whether probed, and the repetitions' times.
    fn result(buffer_bytes: u64, is_probed: bool, times_ns: impl Iterator<Item = u64>) -> CaseResult {
        let mut result = crate::golden_report().results.remove(0);
        result.failures.clear();
        result.case.message_bytes = buffer_bytes;
        result.case.total_bytes = Some(16 << 20);
        result.methodology.probe = is_probed.then(|| Slug::from_name("sched"));
        let repetition = result.repetitions[0].clone();
        let numbered = (0..).zip(times_ns);
        result.repetitions = numbered
            .map(|(index, sum_ns)| roundtrip_wire::Repetition {
                index,
                count: 1,
                sum_ns,
                ..repetition.clone()
            })
            .collect();
        result
    }

    #[test]
    fn detects_changes_of_shape() {
        // A deterministic jitter of up to 4 %, different for the probed line.
        let jitter = |seed: u64| (0..20).map(move |i| 1_000_000 + (i * 7919 + seed * 104_729) % 40_000);
        let mut results = Vec::new();
        for (size, slowdown) in [(64, 4), (1_024, 2), (65_536, 2), (1 << 20, 2), (16 << 20, 2)] {
            results.push(result(size, false, jitter(size)));
            results.push(result(size, true, jitter(size + 1).map(move |time| time * slowdown)));
        }
        let sizes = compare(&results).unwrap();
        let p = |index: usize| sizes[index].p_two_sided.unwrap();
        assert_eq!(sizes[0].pairs, 20);
        assert!(p(0) < 0.001, "{sizes:?}");
        assert!(sizes[0].probed_normalised < 0.7 && sizes[2].probed_normalised > 1.0, "{sizes:?}");

        let alike: Vec<CaseResult> =
            results.into_iter().filter(|result| result.case.message_bytes > 64).collect();
        let sizes = compare(&alike).unwrap();
        assert!(sizes.iter().all(|size| size.p_two_sided.unwrap() > 0.01), "{sizes:?}");
    }

    #[test]
    fn skips_failed_repetitions() {
        let mut failed = result(64, false, [1_000_000].into_iter());
        failed.failures.push(roundtrip_wire::Failure { repetition: 0, reason: "killed by signal 9".into() });
        assert!(compare(&[failed]).unwrap_err().to_string().contains("killed by signal 9"));
    }
}
