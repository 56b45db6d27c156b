//! Compares the advice for a browser's mix of sizes with processes that send this mix. One run measures both:
//! the single sizes and the mix alternate.

use roundtrip_advisor::{Figure, Line, Measured, Mixture};
use roundtrip_bench::definition;
use roundtrip_bench::harness::{self, PeerCommand};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::Distribution;
use roundtrip_wire::CaseResult;
use roundtrip_wire::size_profile::SizeProfile;
use std::collections::BTreeMap;
use std::path::Path;

/// The number of runs: odd, because their median is reported.
const RUNS: usize = 7;
const RUNS_QUICK: usize = 3;
/// The largest accepted error, per thousand.
const ERROR_MAX: f64 = 50.0;

/// Each size of one preset and their mix. Both ends run on one processor, where an error of either method
/// shows.
const DEFINITION: &str = r#"
about = "Sizes, and a mix of them."
deadline_seconds = 20
[[case]]
scenario = "roundtrip"
message_bytes = [8, 64, 256, 1024, 4096, 16384]
transports = ["pipe", "ring-futex", "socketpair"]
modes = ["2proc"]
placements = ["same-cpu"]
operations = 500
warmup = 50
repetitions = 10
[[case]]
scenario = "roundtrip"
size_profile = "chromium-ipc"
transports = ["pipe", "ring-futex", "socketpair"]
modes = ["2proc"]
placements = ["same-cpu"]
operations = 2000
warmup = 50
repetitions = 10
"#;

/// The advised and the measured value of each run, by transport and figure.
type Found = BTreeMap<(String, &'static str), Vec<[f64; 2]>>;

pub(crate) fn rows(is_quick: bool) -> Vec<Row> {
    if std::env::consts::OS != "linux" {
        eprintln!(
            "the mix is sent on Linux alone: other systems have other transports, and no processor to keep both ends on"
        );
        return Vec::new();
    }
    let mut found = Found::new();
    for run in 0..if is_quick { RUNS_QUICK } else { RUNS } {
        measure(run as u64, &mut found);
    }
    found.into_iter().map(|((transport, figure), pairs)| row(&transport, figure, pairs)).collect()
}

fn row(transport: &str, figure: &str, mut pairs: Vec<[f64; 2]>) -> Row {
    let ratio = |pair: &[f64; 2]| pair[0] / pair[1];
    pairs.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    let [advised, sent] = pairs[pairs.len() / 2];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a thousand")]
    let off = (1_000.0 * (advised / sent - 1.0).abs()).round() as u64;
    eprintln!(
        "{transport} {figure}: advised {advised:.0} ns, sent {sent:.0} ns; of {} runs {}",
        pairs.len(),
        pairs.iter().map(|pair| format!("{:.3}", ratio(pair))).collect::<Vec<_>>().join(" ")
    );
    Row::new(
        format!("{transport}: advised {figure} of a browser's mix, off by"),
        off,
        "per mille",
        Peer { name: format!("the {figure} of the mix that was sent"), value: 1_000.0 },
        BarIs::ValueAtMost,
        ERROR_MAX,
    )
}

fn measure(seed: u64, found: &mut Found) {
    let plan = definition::parse("mix", DEFINITION, Path::new(".")).unwrap();
    let peer = PeerCommand::this_program().unwrap();
    let outcome = harness::run(&plan, &peer, seed, &mut |_| {});
    let sizes = SizeProfile::named("chromium-ipc").unwrap().sizes().unwrap();
    let mut of_sizes: BTreeMap<String, Vec<Measured>> = BTreeMap::new();
    let mut of_mix: BTreeMap<String, Distribution> = BTreeMap::new();
    for result in &outcome.results {
        let transport = result.transport.slug.to_string();
        let (distribution, repetitions_ns) = decode(result);
        if result.case.size_profile.is_some() {
            of_mix.insert(transport, distribution);
        } else {
            let message_bytes = result.case.message_bytes;
            let measured = Measured { message_bytes, distribution, repetitions_ns };
            of_sizes.entry(transport).or_default().push(measured);
        }
    }
    for (transport, measured) in of_sizes {
        let line = Line::new(&measured, Figure::P50.repetition_ppm());
        let mixture = Mixture::new(&line.unwrap(), &sizes).unwrap();
        let sent = &of_mix[&transport];
        for (name, figure, ppm) in [("p50", Figure::P50, 500_000), ("p98", Figure::P98, 980_000)] {
            let pair = [mixture.figure_ns(figure), sent.quantile_ns(ppm) as f64];
            found.entry((transport.clone(), name)).or_default().push(pair);
        }
    }
}

/// The distribution of all operations, and the median of each repetition.
fn decode(result: &CaseResult) -> (Distribution, Vec<u64>) {
    let parts: Vec<Distribution> = result
        .repetitions
        .iter()
        .map(|repetition| Distribution::decode(&repetition.encoded()).unwrap())
        .collect();
    let medians = parts.iter().map(|part| part.quantile_ns(500_000)).collect();
    (Distribution::merged(parts).unwrap(), medians)
}
