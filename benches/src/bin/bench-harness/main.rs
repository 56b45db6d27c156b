//! `cargo xtask bench harness`: what the harness adds to bare C loops that make the same calls.
//!
//! Every kernel transport and every message size of Chromium's table: the two take turns, fresh processes each time,
//! on the same processor; what counts is the median over the turns of the ratio of their p50s. Prints one row a bar;
//! exit code 3 when one does not hold.

use bare::Bare;
use comparison::Comparison;
use roundtrip_bench::definition::{self, Crowd, Mode, Placement, PlannedCase, Repetitions};
use roundtrip_bench::harness::support;
use roundtrip_bench::scenario::{self, Work};
use roundtrip_bench::sys::affinity;
use roundtrip_bench::transport::{self, Transport};
use row::Row;
use std::collections::BTreeSet;
use std::io::{IsTerminal, stderr};
use std::process::ExitCode;

mod bare;
mod comparison;
mod row;

/// One below a page, one above two, one that no kernel buffer holds.
const MESSAGE_BYTES_QUICK: [usize; 3] = [1_024, 9_216, 1_048_576];

/// Turns of a comparison: odd, so that one of them is the median. About seven minutes in all.
const TURNS: usize = 25;
/// Turns of a comparison whose ratio is not narrow before. With these, about twenty minutes in all.
const TURNS_MAX: usize = 101;
/// With [`MESSAGE_BYTES_QUICK`], less than two minutes in all.
const TURNS_QUICK: usize = 15;

const USAGE: &str = "usage: bench-harness [--quick] [--only TRANSPORT] [--format human|json]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "peer") {
        return roundtrip_bench::peer::main();
    }
    match Options::parse(&arguments).and_then(|options| run(&options)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("bench-harness: {error}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    quick: bool,
    json: bool,
    /// Slug of the one transport to look at.
    only: Option<String>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            match (argument, argument == "--quick" || rest.len() > 0) {
                ("--quick", _) => options.quick = true,
                ("--only", true) => options.only = rest.next().map(str::to_owned),
                ("--format", true) => match rest.next() {
                    Some("json") => options.json = true,
                    Some("human") => options.json = false,
                    other => {
                        return Err(format!("no format is called `{}`; {USAGE}", other.unwrap_or_default()));
                    }
                },
                _ => return Err(format!("`{argument}` is not expected here; {USAGE}")),
            }
        }
        Ok(options)
    }
}

fn run(options: &Options) -> Result<ExitCode, String> {
    let (sizes, turns) =
        if options.quick { (MESSAGE_BYTES_QUICK.into(), TURNS_QUICK) } else { (table_sizes()?, TURNS) };
    let cpu = *affinity::allowed().map_err(|error| error.to_string())?.last().ok_or("no processor")?;
    let bare = Bare::compile(cpu)?;
    let (mut comparisons, mut unsupported) = (Vec::new(), Vec::new());
    for transport in transports(options.only.as_deref())? {
        for &bytes in &sizes {
            let case = case(transport, bytes)?;
            match support(&case) {
                Ok(()) => comparisons.push(Comparison::calibrate(case, &bare)?),
                Err(reason) => unsupported.push(format!("{case}: {reason}")),
            }
        }
    }
    for turn in 0..turns {
        progress(turn, turns, comparisons.len());
        // One turn of every comparison, then the next: a drift of the machine spreads over all of them.
        for comparison in &mut comparisons {
            comparison.turn(&bare)?;
        }
    }
    for turn in (turns..if options.quick { turns } else { TURNS_MAX }).step_by(2) {
        let mut wide: Vec<_> = comparisons.iter_mut().filter(|comparison| !comparison.is_narrow()).collect();
        if wide.is_empty() {
            break;
        }
        progress(turn, TURNS_MAX, wide.len());
        for comparison in &mut wide {
            // Two, because an odd number has one in the middle.
            comparison.turn(&bare)?;
            comparison.turn(&bare)?;
        }
    }
    let rows = comparisons.iter().map(Comparison::row).collect::<Result<Vec<Row>, String>>()?;
    if options.json {
        println!("{}", serde_json::to_string_pretty(&rows).map_err(|error| error.to_string())?);
        // Standard output is an array of bars and nothing else.
        unsupported.iter().for_each(|line| eprintln!("unsupported: {line}"));
    } else {
        print!("{}", row::table(&rows));
        unsupported.iter().for_each(|line| println!("unsupported: {line}"));
    }
    Ok(if rows.iter().all(|row| row.holds) { ExitCode::SUCCESS } else { ExitCode::from(3) })
}

fn progress(turn: usize, turns: usize, comparisons: usize) {
    if stderr().is_terminal() {
        eprint!("\rturn {} of {turns}, {comparisons} cases \r", turn + 1);
    }
}

/// The message sizes of Chromium's table, ascending: those of the preset that measures it.
fn table_sizes() -> Result<BTreeSet<usize>, String> {
    let preset = definition::preset("chromium-mach").map_err(|error| error.to_string())?;
    let table = preset.cases.iter().filter(|case| case.scenario.slug() == "stream");
    Ok(table.map(|case| case.work.message_bytes).collect())
}

/// Those of the kernel, or the one that is asked for.
fn transports(only: Option<&str>) -> Result<Vec<&'static dyn Transport>, String> {
    let controls = transport::ALL.iter().copied().filter(|transport| transport.info().control);
    let wanted = |transport: &&dyn Transport| only.is_none_or(|slug| transport.info().slug.as_str() == slug);
    let found: Vec<_> = controls.filter(wanted).collect();
    match only {
        Some(slug) if found.is_empty() => Err(format!("no transport of the kernel is called `{slug}`")),
        _ => Ok(found),
    }
}

fn case(transport: &'static dyn Transport, message_bytes: usize) -> Result<PlannedCase, String> {
    Ok(PlannedCase {
        transport,
        scenario: scenario::find("roundtrip").ok_or("no scenario is called `roundtrip`")?,
        mode: Mode::TwoProcesses,
        placement: Placement::SameCpu,
        total_bytes: None,
        work: Work { message_bytes, messages_per_operation: 1, batch: 1, ..Work::default() },
        buffer_bytes: None,
        manner: transport.manner(),
        crowd: Crowd::PAIR,
        probe: None,
        repetitions: Repetitions::exactly(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read_and_others_are_refused_by_name() {
        let options = parse("--quick --only pipe --format json").unwrap();
        assert_eq!(options, Options { quick: true, json: true, only: Some("pipe".into()) });
        assert_eq!(parse("").unwrap(), Options::default());
        for (line, named) in [("--fast", "`--fast`"), ("--format xml", "`xml`"), ("--only", "`--only`")] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(named) && error.contains("usage"), "{error}");
        }
    }

    #[test]
    fn the_sizes_are_the_fifteen_of_the_table() {
        let sizes = table_sizes().unwrap();
        assert_eq!((sizes.len(), sizes.first(), sizes.last()), (15, Some(&100), Some(&7_340_032)));
        assert!(MESSAGE_BYTES_QUICK.iter().all(|bytes| sizes.contains(bytes)));
    }

    #[test]
    fn only_a_transport_of_the_kernel_has_a_bare_loop() {
        assert_eq!(transports(Some("pipe")).unwrap().len(), 1);
        assert!(transports(Some("ring-futex")).is_err());
        let all = transports(None).unwrap();
        assert!(all.len() > 1 && all.iter().all(|transport| transport.info().control));
    }
}
