//! The page "Which IPC should I use?": rankings of mechanisms and libraries from a report.

use super::{List, Settings};
use crate::advice::{self, Behind, Ranked, Wanted};
use crate::cli::Waits;
use crate::failure::Failure;
use crate::format::{bytes, counted, digits, nanoseconds, whole};
use roundtrip_advisor::Figure;
use roundtrip_wire::size_profile::{SizeBucket, SizeHistogram};
use roundtrip_wire::{RunReport, Slug};
use std::collections::{BTreeMap, BTreeSet};

const HEAD: &str = "\
# Which IPC should I use?

Round trips of the system's own mechanisms and of IPC libraries, measured side by side: same machine, same messages, same checks.
Every answer was compared byte by byte in the warm-up, and the headers of all messages were checked afterwards. Written by
`roundtrip libraries page` from one report; [Compare IPC libraries](../how-to/compare-libraries.md) has the commands to measure
your machine.

To rank them for your messages and needs:

```sh
roundtrip advise --report report.json --profile chromium --placement cross-cpu
roundtrip advise --report report.json --sizes 64:9,65536:1 --language rust --need to-many,notices-exit --waits blocks
```
";

const COLUMNS: &str = "
**p50** and **p99** are times of a round trip. **× first** is the ratio of p50 to that of the first program, with its 95 % interval; **=**
means that both are statistically tied. **CPU time** of both ends and **wake-ups** are per round trip of 64 B; those of programs with libraries include their warm-up.
Mechanisms of the system are in *italics*: [Transports](../reference/transports.md) describes them. `ring-futex-lent`, `ring-spin-lent` and `memfd-remap` pass memory
that the sender has written before, and copy nothing. Programs with libraries time themselves, and write a header of eight digits to
each message within the time. A program without p99 was timed in batches.
";

const PROGRAMS: &str = "
## Programs

Each program is written as the documentation of its library recommends, and is in
[`benches/libraries/`](../../benches/libraries/libraries.toml). *Settings* are the library's default, or those that its documentation
recommends for low latency. *Lines* are those of the program, without comments and the protocol of the measurement. *Exit* says
whether a waiting receiver gets an error when the other process dies. If a library can do better than its program, send a change.
";

/// Programs that are compared with each other.
struct Section {
    title: &'static str,
    mode: &'static str,
    placement: &'static str,
    waits: Option<Waits>,
}

const SECTIONS: [Section; 4] = [
    Section {
        title: "Between two CPUs, the receiver sleeps",
        mode: "2proc",
        placement: "cross-cpu",
        waits: Some(Waits::Blocks),
    },
    Section {
        title: "On one CPU, the receiver sleeps",
        mode: "2proc",
        placement: "same-cpu",
        waits: Some(Waits::Blocks),
    },
    Section {
        title: "Between two CPUs, the receiver spins",
        mode: "2proc",
        placement: "cross-cpu",
        waits: Some(Waits::Spins),
    },
    Section { title: "Between two threads of one process", mode: "2thread", placement: "free", waits: None },
];

/// The message sizes of the columns.
const SIZES: [u64; 3] = [64, 64 << 10, 1 << 20];

/// The page of a report.
///
/// # Errors
/// If the report has no results of the preset, or an invalid distribution.
pub(super) fn page(list: &List, report: &RunReport) -> crate::Result<String> {
    let mut text = format!("{HEAD}\n{}\n\n## Results\n{COLUMNS}", machine(report));
    let mut measured = BTreeSet::new();
    for section in &SECTIONS {
        let rankings = section.rankings(list, report)?;
        let Some(first) = rankings.first().filter(|ranking| !ranking.is_empty()) else { continue };
        measured.extend(first.iter().map(|ranked| ranked.transport.slug.clone()));
        text.push_str(&format!(
            "\n### {}\n\n{}\n{}",
            section.title,
            fastest(list, &rankings),
            table(list, report, &rankings)
        ));
    }
    if measured.is_empty() {
        return Err(Failure::NotComparable(
            "the report has no round trips of 64 B: expected a report of `roundtrip run --preset libraries \
             --output FILE`"
                .into(),
        ));
    }
    Ok(text + PROGRAMS + "\n" + &programs(list, &measured))
}

/// As in `Measured on 2026-11-30 on linux 6.18, AMD EPYC, with roundtrip 0.9.0`.
fn machine(report: &RunReport) -> String {
    let fact = |name: &str| report.environment.stable.get(name).map_or("unknown", String::as_str);
    format!(
        "Measured on {} on {} {}, {}, with roundtrip {}.",
        report.started_at.format("%Y-%m-%d"),
        report.machine.os,
        fact("os.kernel"),
        fact("cpu.model"),
        report.suite.version
    )
}

impl Section {
    /// The ranking for each of [`SIZES`].
    fn rankings(&self, list: &List, report: &RunReport) -> crate::Result<Vec<Vec<Ranked>>> {
        let (mode, placement) = (Slug::from_name(self.mode), Slug::from_name(self.placement));
        let waits_so = |slug: &Slug| {
            self.waits.is_none_or(|waits| list.properties(slug).is_some_and(|found| found.waits == waits))
        };
        let ranking = |&size: &u64| {
            let only = SizeBucket { from_bytes: size, to_bytes: size, count: 1 };
            let sizes = SizeHistogram::new(vec![only]).map_err(|error| Failure::Other(error.to_string()))?;
            let wanted = Wanted {
                sizes: &sizes,
                by: Figure::P50,
                rate: None,
                mode: Some(&mode),
                placement: Some(&placement),
                accepts: &waits_so,
            };
            let groups = advice::groups(report, &wanted)?;
            let within = groups.into_iter().find(|group| !group.oversubscribed);
            Ok(within.map_or_else(Vec::new, |group| group.ranking))
        };
        SIZES.iter().map(ranking).collect()
    }
}

/// The fastest mechanism and library for each size, and how many are tied.
fn fastest(list: &List, rankings: &[Vec<Ranked>]) -> String {
    let is_library = |ranked: &&Ranked| list.is_library(&ranked.transport.slug);
    let name = |ranked: &Ranked| {
        let tied = if ranked.is_tied() { ", tied with the first" } else { "" };
        format!("`{}` ({}{tied})", ranked.transport.slug, time(ranked.latency_ns.p50))
    };
    let sentence = |(&size, ranking): (&u64, &Vec<Ranked>)| {
        let mechanism = ranking.iter().find(|ranked| !is_library(ranked)).map(name);
        let library = ranking.iter().find(is_library).map(name);
        let best: Vec<String> =
            mechanism.into_iter().chain(library.map(|name| format!("library: {name}"))).collect();
        let tied = match ranking.iter().filter(|ranked| ranked.is_tied()).count() {
            0 => String::new(),
            count => format!("; {} tied with the first", counted(count, "program")),
        };
        (!best.is_empty()).then(|| format!("- {}: {}{tied}\n", bytes(size), best.join(", ")))
    };
    let sentences: String = SIZES.iter().zip(rankings).filter_map(sentence).collect();
    format!("The fastest:\n\n{sentences}")
}

/// All programs, in the order of the first size.
fn table(list: &List, report: &RunReport, rankings: &[Vec<Ranked>]) -> String {
    let batched: BTreeSet<&Slug> = report
        .results
        .iter()
        .filter(|result| result.methodology.batch > 1)
        .map(|result| &result.transport.slug)
        .collect();
    let by_slug: Vec<BTreeMap<&Slug, &Ranked>> = rankings
        .iter()
        .map(|ranking| ranking.iter().map(|ranked| (&ranked.transport.slug, ranked)).collect())
        .collect();
    let mut text = "| program |".to_owned();
    SIZES.iter().for_each(|&size| text.push_str(&format!(" {}: p50 | × first | p99 |", bytes(size))));
    text.push_str(&format!(" CPU time | wake-ups |\n|---|{}\n", "--:|".repeat(3 * SIZES.len() + 2)));
    for Ranked { transport, cpu_ns_per_message, wakes_per_message, .. } in
        rankings.first().into_iter().flatten()
    {
        let name = if list.is_library(&transport.slug) {
            format!("`{}`", transport.slug)
        } else {
            format!("*`{}`*", transport.slug)
        };
        text.push_str(&format!("| {name} |"));
        for of_size in &by_slug {
            let cells = of_size.get(&transport.slug).map(|ranked| {
                let is_batched = batched.contains(&transport.slug);
                let p99 = if is_batched { "–".into() } else { time(ranked.latency_ns.p99) };
                [time(ranked.latency_ns.p50), ratio(ranked.behind_first.as_ref()), p99]
            });
            let cells = cells.unwrap_or_else(|| std::array::from_fn(|_| "–".into()));
            text.push_str(&format!(" {} |", cells.join(" | ")));
        }
        let cpu = cpu_ns_per_message.map_or("–".into(), time);
        let wakes = wakes_per_message.map_or("–".into(), |wakes| format!("{wakes:.1}"));
        text.push_str(&format!(" {cpu} | {wakes} |\n"));
    }
    text
}

fn time(ns: f64) -> String {
    nanoseconds(whole(ns))
}

/// As in `1.35 (1.21 to 1.50)`.
fn ratio(behind: Option<&Behind>) -> String {
    let Some(behind) = behind else { return "1".into() };
    let tied = if behind.is_sure { "" } else { "= " };
    let interval = behind.low.zip(behind.high);
    let interval =
        interval.map_or(String::new(), |(low, high)| format!(" ({} to {})", digits(low), digits(high)));
    format!("{tied}{}{interval}", digits(behind.ratio))
}

fn programs(list: &List, measured: &BTreeSet<Slug>) -> String {
    let mut text = "| program | library | settings | language | licence | lines | several receivers | exit | systems | reproduce |\n\
                    |---|---|---|---|---|--:|---|---|---|---|\n"
        .to_owned();
    let yes = |holds: bool| if holds { "yes" } else { "no" };
    for library in &list.library {
        for program in library.program.iter().filter(|program| measured.contains(&program.slug)) {
            let settings = match program.settings {
                Settings::Default => "default",
                Settings::Latency => "latency",
            };
            text.push_str(&format!(
                "| `{slug}` | {} {} | {settings} | {} | {} | {} | {} | {} | {} | `roundtrip run --preset libraries {slug}` |\n",
                library.title,
                library.version,
                library.language,
                library.licence,
                library.lines,
                yes(library.to_many),
                yes(program.notices_exit),
                library.systems.join(", "),
                slug = program.slug,
            ));
        }
    }
    text
}
