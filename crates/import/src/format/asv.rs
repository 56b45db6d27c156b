//! airspeed velocity (asv): the results of a commit, `results/MACHINE/COMMIT-ENVIRONMENT.json`, version 2.
//!
//! A benchmark of time (`time_…`) is one repetition with the recorded samples, each an average over many calls. Without
//! samples (`--record-samples`), it is a summary: the median, its interval of 99 % and the quartiles. Bytes (`mem_…`,
//! `peakmem_…`) and tracked values (`track_…`) are measures. The file does not state the unit of tracked values; as for asv,
//! smaller ones are better. A combination of parameters is a benchmark, with a name as asv prints it: `a.time_b(64, 'x')`.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, List, Loose, Members, visited};
use crate::quantity::Quantity;
use crate::time::{self, Scale};
use crate::{BENCHMARKS_MAX, Statistic, Summary};
use roundtrip_wire::Better;
use serde::Deserialize;
use serde::de::{IgnoredAny, SeqAccess};

pub(super) const READER: Reader = Reader {
    slug: "asv",
    title: "airspeed velocity (JSON)",
    detect: |probe| {
        ["commit_hash", "env_name", "result_columns"].iter().all(|name| probe.outline().has(name))
    },
    read,
};

/// The columns of results. The last ones may be missing.
const COLUMNS: [&str; 12] = [
    "result",
    "params",
    "version",
    "started_at",
    "duration",
    "stats_ci_99_a",
    "stats_ci_99_b",
    "stats_q_25",
    "stats_q_75",
    "stats_number",
    "stats_repeat",
    "samples",
];

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct File {
    commit_hash: Loose,
    #[serde(default)]
    params: Machine,
    #[serde(default)]
    python: Loose,
    result_columns: List<String, 100>,
    results: Members<Row, BENCHMARKS_MAX>,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Machine {
    machine: Loose,
    arch: Loose,
    cpu: Loose,
    num_cpu: Loose,
    os: Loose,
}

/// The values of a column, for each combination of parameters. NaN: no value.
#[derive(Default)]
struct Column(Vec<f64>);

visited! { Column, "a list of numbers or null", deserialize_any,
    fn visit_unit<E>(self) -> Result<Column, E> {
        Ok(Column::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Column, A::Error> {
        let mut column = Column::default();
        while let Some(value) = seq.next_element::<Loose>()? {
            column.0.push(value.number().unwrap_or(f64::NAN));
        }
        Ok(column)
    }
}

impl Column {
    fn get(&self, index: usize) -> Option<f64> {
        self.0.get(index).copied().filter(|value| !value.is_nan())
    }
}

/// The samples of all combinations of parameters, and their number for each.
#[derive(Default)]
struct Samples {
    values: Vec<f64>,
    counts: Vec<usize>,
}

visited! { Samples, "a list of lists of numbers, or null", deserialize_any,
    fn visit_unit<E>(self) -> Result<Samples, E> {
        Ok(Samples::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Samples, A::Error> {
        let mut samples = Samples::default();
        while let Some(Column(values)) = seq.next_element()? {
            samples.counts.push(values.len());
            samples.values.extend(values);
        }
        Ok(samples)
    }
}

/// The results of a benchmark.
#[derive(Default)]
struct Row {
    results: Column,
    params: List<List<String, BENCHMARKS_MAX>, 100>,
    /// In milliseconds since 1970.
    started_at: Loose,
    ci_low: Column,
    ci_high: Column,
    q25: Column,
    q75: Column,
    repeat: Column,
    samples: Samples,
}

visited! { Row, "a list of columns", deserialize_seq,
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Row, A::Error> {
        let mut row = Row::default();
        for column in COLUMNS {
            let is_end = match column {
                "result" => seq.next_element()?.map(|read| row.results = read).is_none(),
                "params" => seq.next_element()?.map(|read| row.params = read).is_none(),
                "started_at" => seq.next_element()?.map(|read| row.started_at = read).is_none(),
                "stats_ci_99_a" => seq.next_element()?.map(|read| row.ci_low = read).is_none(),
                "stats_ci_99_b" => seq.next_element()?.map(|read| row.ci_high = read).is_none(),
                "stats_q_25" => seq.next_element()?.map(|read| row.q25 = read).is_none(),
                "stats_q_75" => seq.next_element()?.map(|read| row.q75 = read).is_none(),
                "stats_repeat" => seq.next_element()?.map(|read| row.repeat = read).is_none(),
                "samples" => seq.next_element()?.map(|read| row.samples = read).is_none(),
                _ => seq.next_element::<IgnoredAny>()?.is_none(),
            };
            if is_end {
                return Ok(row);
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(row)
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let file: File = json::read(text)?;
    let columns = file.result_columns.0.iter().map(String::as_str);
    if !columns.take(COLUMNS.len()).eq(COLUMNS) {
        let problem = format!("expected {}: asv 0.5 or newer", COLUMNS.join(", "));
        return Err(Place::member("result_columns").fault(problem));
    }
    collector.fact("commit", file.commit_hash.fact());
    collector.fact("python", file.python.fact());
    collector.fact("host", file.params.machine.fact());
    collector.fact("architecture", file.params.arch.fact());
    collector.fact("cpu", file.params.cpu.fact());
    collector.fact("cpus", file.params.num_cpu.fact());
    collector.fact("os", file.params.os.fact());
    for (name, row) in &file.results.0 {
        collector.fact("date", row.started_at.number().and_then(|ms| time::date_of_unix(ms / 1e3)));
        read_row(name, row, collector)?;
    }
    Ok(())
}

/// The kind of a benchmark, which asv derives from its name.
enum Kind {
    Time,
    Measure(Quantity),
}

fn kind(name: &str) -> Option<Kind> {
    let function = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    let begins = |prefix: &str| function.starts_with(prefix);
    Some(match () {
        () if begins("time") => Kind::Time,
        () if begins("mem") => Kind::Measure(Quantity::bytes("memory")),
        () if begins("peakmem") => Kind::Measure(Quantity::bytes("peak memory")),
        () if begins("track") => Kind::Measure(Quantity::fine("value", "", Better::Lower)),
        () => return None,
    })
}

fn read_row(name: &str, row: &Row, collector: &mut Collector) -> Result<(), Fault> {
    let place = Place::member(format!("results.{name}"));
    let Some(kind) = kind(name) else {
        collector.skip(format!("{name}: skipped; the name begins with none of time, mem, peakmem and track"));
        return Ok(());
    };
    let params: Vec<&[String]> = row.params.0.iter().map(|values| &values.0[..]).collect();
    let combinations = params.iter().fold(1_usize, |product, values| product.saturating_mul(values.len()));
    let results = &row.results;
    if results.0.is_empty() {
        collector.skip(format!("{name}: skipped; failed, without results"));
    } else if results.0.len() != combinations {
        let found = results.0.len();
        let problem =
            format!("expected a result for each of {combinations} combinations of parameters, found {found}");
        return Err(place.fault(problem));
    }
    let mut samples = &row.samples.values[..];
    for index in 0..results.0.len() {
        let entry = collector.distinct(&Entry::new(format!("{name}{}", arguments(&params, index)), 1_000));
        let (of_this, rest) = samples.split_at(row.samples.counts.get(index).copied().unwrap_or(0));
        samples = rest;
        match (results.get(index), &kind) {
            (None, _) => collector.skip(format!("{}: skipped; failed or not run", entry.name)),
            (Some(value), Kind::Measure(quantity)) => collector.value(&entry, quantity, value, &place)?,
            (Some(median), Kind::Time) if of_this.is_empty() => {
                let summary = summary(row, index, median).map_err(|problem| place.fault(problem))?;
                collector.summary(&entry, summary, &place)?;
            }
            (Some(_), Kind::Time) => {
                let times: Result<_, _> = of_this.iter().map(|&sample| seconds(sample)).collect();
                collector.samples(&entry, times.map_err(|problem| place.fault(problem))?, &place)?;
            }
        }
    }
    Ok(())
}

/// The parameters of the n-th combination, the last one varying first: `(64, 'x')`.
fn arguments(params: &[&[String]], mut index: usize) -> String {
    let mut arguments = Vec::with_capacity(params.len());
    for values in params.iter().rev() {
        let value = values.get(index % values.len().max(1));
        arguments.extend(value.map(String::as_str));
        index /= values.len().max(1);
    }
    arguments.reverse();
    if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) }
}

fn seconds(value: f64) -> Result<u64, String> {
    Scale::per_thousand(1e9).time(value)
}

fn summary(row: &Row, index: usize, median: f64) -> Result<Summary, String> {
    // asv writes infinity if there are too few samples for an interval.
    let stated = |column: &Column| {
        let value = column.get(index).filter(|value| value.is_finite());
        value.map(seconds).transpose()
    };
    let quartiles = [(250_000, stated(&row.q25)?), (750_000, stated(&row.q75)?)];
    Ok(Summary {
        low_ns: stated(&row.ci_low)?,
        high_ns: stated(&row.ci_high)?,
        quantiles: quartiles.into_iter().filter_map(|(ppm, value)| Some((ppm, value?))).collect(),
        count: row.repeat.get(index).and_then(json::whole),
        ..Summary::new(Statistic::Median, seconds(median)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_parameter_varies_first() {
        let (sizes, modes) = (["64".to_owned(), "4096".to_owned()], ["'a'".to_owned(), "'b'".to_owned()]);
        let params = [&sizes[..], &modes[..]];
        assert_eq!(
            [0, 1, 2].map(|index| arguments(&params, index)),
            ["(64, 'a')", "(64, 'b')", "(4096, 'a')"]
        );
        assert_eq!(arguments(&[], 0), "");
    }
}
