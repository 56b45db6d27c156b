//! hyperfine, `--export-json`.
//!
//! Each of `times`, in seconds, is one repetition, because hyperfine starts the command for each; without times, the
//! statistics are a summary. The memory of each run, and the mean CPU times (`user`, `system`), are measures. Parameters
//! that the command does not contain as a word are added to its name, as hyperfine prints them.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, Figure, List, Loose, Members, Number};
use crate::quantity::Quantity;
use crate::time::Scale;
use crate::{Statistic, Summary, VALUES_MAX};
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
    #[serde(default)]
    user: Loose,
    #[serde(default)]
    system: Loose,
    times: Option<List<Number, VALUES_MAX>>,
    memory_usage_byte: Option<List<Figure, VALUES_MAX>>,
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
    let mut entry = Entry::new(name(command, false), 1);
    if collector.is_taken(&entry) {
        entry.name = name(command, true);
    }
    let entry = collector.distinct(&entry);
    let codes = command.exit_codes.iter().flat_map(|codes| &codes.0);
    let failed = codes.filter(|code| **code != Some(0)).count();
    if failed > 0 {
        collector.warn(format!("{}: failed runs: {failed}", entry.name));
    }
    match command.times.as_ref().filter(|times| !times.0.is_empty()) {
        Some(times) => {
            let place = Place::member(format!("{path}.times"));
            for (run, &Number(value)) in times.0.iter().enumerate() {
                let of_run = || Place::member(format!("{path}.times[{run}]"));
                let time = Scale::per_one(1e9).time_at(value, of_run)?;
                collector.samples(&entry, vec![time], &place)?;
            }
        }
        None => collector.summary(&entry, summary(command, &path)?, &Place::member(&path))?,
    }
    measures(&entry, command, &path, collector)
}

fn measures(entry: &Entry, command: &Command, path: &str, collector: &mut Collector) -> Result<(), Fault> {
    for (name, seconds) in [("user", &command.user), ("system", &command.system)] {
        if let Some(seconds) = seconds.number_or_nan() {
            let mean = (Statistic::Mean, seconds * 1e9);
            collector.statistic(entry, &Quantity::time(name).whole(), mean, &Place::member(path))?;
        }
    }
    let memory = Quantity::bytes("memory_usage_byte");
    let place = Place::member(format!("{path}.memory_usage_byte"));
    for &Figure(bytes) in command.memory_usage_byte.iter().flat_map(|list| &list.0) {
        collector.value(entry, &memory, bytes, &place)?;
    }
    Ok(())
}

/// The command with its parameters: all of them, or those whose value the command does not contain.
fn name(command: &Command, with_all: bool) -> String {
    let Command { command, parameters, .. } = command;
    let parameters = parameters.0.iter().filter_map(|(name, value)| Some((name, value.fact()?)));
    let shown: Vec<_> = parameters
        .filter(|(_, value)| with_all || !has_word(command, value))
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if shown.is_empty() { command.clone() } else { format!("{command} ({})", shown.join(", ")) }
}

/// Whether a text contains a word, which does not continue before or after: `64` does not contain 6, `-j6` neither.
fn has_word(text: &str, word: &str) -> bool {
    let continues = |next: Option<char>| {
        next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '.' | '-'))
    };
    let is_whole = |(at, found): (usize, &str)| {
        !continues(text[..at].chars().next_back()) && !continues(text[at + found.len()..].chars().next())
    };
    !word.is_empty() && text.match_indices(word).any(is_whole)
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
