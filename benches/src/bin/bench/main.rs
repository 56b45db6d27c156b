//! `cargo xtask bench`: checks the budgets that the transport suite can measure itself, each against a peer in the same
//! run. Prints one row per bar; exits with code 3 if one fails.

use roundtrip_budget::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

mod ab;
mod bare;
mod comparison;
mod harness;
mod rings;
mod row;
mod time_budget;

const USAGE: &str =
    "usage: bench ab|harness|rings|time-budget [--quick] [--only TRANSPORT] [--format human|json]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(peer) = arguments.iter().position(|argument| argument == "peer") {
        return roundtrip_bench::peer::main(&arguments[peer + 1..]);
    }
    match Options::parse(&arguments).and_then(|options| run(&options)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Measured {
    rows: Vec<Row>,
    unsupported: Unsupported,
}

type Unsupported = BTreeMap<String, BTreeSet<String>>;

fn run(options: &Options) -> Result<ExitCode, String> {
    let Measured { rows, unsupported } = match options.budgets {
        Budgets::Ab => ab::measure(options)?,
        Budgets::Harness => harness::measure(options)?,
        Budgets::Rings => rings::measure(options)?,
        Budgets::TimeBudget => time_budget::measure(options)?,
    };
    let code = roundtrip_budget::print(&rows, options.json).map_err(|error| error.to_string())?;
    // With `--json`, standard output is one array of bars.
    if options.json {
        eprint!("{}", lines(&unsupported));
    } else {
        print!("{}", lines(&unsupported));
    }
    Ok(code)
}

/// One line per reason: ten sizes of ten transports missing on this system are one fact.
fn lines(unsupported: &Unsupported) -> String {
    let line = |(reason, those): (&String, &BTreeSet<String>)| {
        let those: Vec<&str> = those.iter().map(String::as_str).collect();
        format!("unsupported: {}: {reason}\n", those.join(", "))
    };
    unsupported.iter().map(line).collect()
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Budgets {
    Ab,
    #[default]
    Harness,
    Rings,
    TimeBudget,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    budgets: Budgets,
    quick: bool,
    json: bool,
    only: Option<String>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut rest = arguments.iter().map(String::as_str);
        let budgets = match rest.next() {
            Some("ab") => Budgets::Ab,
            Some("harness") => Budgets::Harness,
            Some("rings") => Budgets::Rings,
            Some("time-budget") => Budgets::TimeBudget,
            other => return Err(format!("unknown command `{}`; {USAGE}", other.unwrap_or_default())),
        };
        let mut options = Self { budgets, ..Self::default() };
        while let Some(argument) = rest.next() {
            match (argument, argument == "--quick" || rest.len() > 0) {
                ("--quick", _) => options.quick = true,
                ("--only", true) => options.only = rest.next().map(str::to_owned),
                ("--format", true) => match rest.next() {
                    Some("json") => options.json = true,
                    Some("human") => options.json = false,
                    other => {
                        return Err(format!("unknown format `{}`; {USAGE}", other.unwrap_or_default()));
                    }
                },
                _ => return Err(format!("unexpected argument `{argument}`; {USAGE}")),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn prints_each_reason_once() {
        let those = |slugs: [&str; 2]| slugs.map(str::to_owned).into();
        let unsupported = Unsupported::from([
            ("only on macOS".to_owned(), those(["mach-ool", "mach-inline"])),
            ("too long".to_owned(), ["udp".to_owned()].into()),
        ]);
        let expected = "unsupported: mach-inline, mach-ool: only on macOS\nunsupported: udp: too long\n";
        assert_eq!(lines(&unsupported), expected);
    }

    #[test]
    fn parses_options_and_names_unknown_ones() {
        let options = parse("harness --quick --only pipe --format json").unwrap();
        assert_eq!(
            options,
            Options { budgets: Budgets::Harness, quick: true, json: true, only: Some("pipe".into()) }
        );
        assert_eq!(parse("rings").unwrap().budgets, Budgets::Rings);
        for (line, named) in [
            ("rings --fast", "`--fast`"),
            ("rings --format xml", "`xml`"),
            ("harness --only", "`--only`"),
            ("", "``"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(named) && error.contains("usage"), "{error}");
        }
    }
}
