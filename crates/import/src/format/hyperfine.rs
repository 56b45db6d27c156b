//! hyperfine, `--export-json`.
//!
//! Each of `times`, in seconds, is one repetition, because hyperfine starts the command for each. Parameters
//! that the command does not show are added to its name, as hyperfine prints them. CPU times and memory are
//! left out.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, List, Loose, Members, Number};
use crate::time::Scale;
use crate::{Summary, VALUES_MAX};
use serde::Deserialize;
use serde::de::IgnoredAny;

pub(super) const READER: Reader = Reader {
    slug: "hyperfine",
    title: "hyperfine (JSON)",
    detect: |probe| {
        let first = probe.outline().get("results").and_then(|results| results.elements().first());
        first.is_some_and(|first| first.has("command") && (first.has("mean") || first.has("times")))
    },
    read,
};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Command {
    command: String,
    mean: Option<Number>,
    median: Option<Number>,
    min: Option<Number>,
    max: Option<Number>,
    times: Option<List<Number, VALUES_MAX>>,
    exit_codes: Option<List<Option<i64>, VALUES_MAX>>,
    #[serde(default)]
    parameters: Members<Loose, 100>,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let (IgnoredAny, commands) = json::object_with_list::<_, Command, VALUES_MAX>(text, "results")?;
    commands.each(|index, command| read_command(index, &command, collector))
}

fn read_command(index: usize, command: &Command, collector: &mut Collector) -> Result<(), Fault> {
    let path = format!("results[{index}]");
    let entry = Entry::new(name(command), 1);
    let codes = command.exit_codes.iter().flat_map(|codes| &codes.0);
    let failed = codes.filter(|code| **code != Some(0)).count();
    if failed > 0 {
        collector.warn(format!("{}: failed runs: {failed}", entry.name));
    }
    match &command.times {
        Some(times) => {
            for (run, &Number(value)) in times.0.iter().enumerate() {
                let place = Place::member(format!("{path}.times[{run}]"));
                let time = Scale::per_one(1e9).time_at(value, || place.clone())?;
                collector.samples(&entry, vec![time], &place)?;
            }
            Ok(())
        }
        None => collector.summary(&entry, summary(command, &path)?, &Place::member(path)),
    }
}

fn name(command: &Command) -> String {
    let shown: Vec<_> = command
        .parameters
        .0
        .iter()
        .filter_map(|(name, value)| Some((name, value.fact()?)))
        .filter(|(_, value)| !command.command.contains(value.as_str()))
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if shown.is_empty() {
        command.command.clone()
    } else {
        format!("{} ({})", command.command, shown.join(", "))
    }
}

fn summary(command: &Command, path: &str) -> Result<Summary, Fault> {
    let time = |name: &str, number: Option<Number>| {
        let place = || Place::member(format!("{path}.{name}"));
        number.map(|Number(value)| Scale::per_one(1e9).time_at(value, place)).transpose()
    };
    let middle = Summary::from_median_or_mean(time("median", command.median)?, time("mean", command.mean)?)
        .ok_or_else(|| Place::member(path).fault("expected times, a median or a mean"))?;
    Ok(Summary { min_ns: time("min", command.min)?, max_ns: time("max", command.max)?, ..middle })
}
