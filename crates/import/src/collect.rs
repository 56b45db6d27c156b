//! [`Collector`]: receives values from the format readers, joins the repetitions of each benchmark, enforces
//! the limits, and bounds warnings and facts.

use crate::fault::{self, Fault, Place, cut};
use crate::model::{Benchmark, Data, Summary};
use crate::{BENCHMARKS_MAX, NAME_CHARS_MAX, VALUES_MAX};
use roundtrip_stats::Distribution;
use roundtrip_stats::distribution::{HIGHEST_NS, Recorder, SAMPLES_MAX};
use std::collections::{BTreeMap, HashMap};

/// The most histograms in a file: each takes about 200 KiB, and a few bytes of input can request one.
pub(crate) const HISTOGRAMS_MAX: usize = 1_000;
/// The largest count: larger ones are not measurements, and their sum could overflow.
const COUNT_MAX: u64 = 1 << 53;
const WARNINGS_MAX: usize = 50;
const LEFT_OUT_MAX: usize = 12;
const FACTS_MAX: usize = 50;

/// The benchmark of a value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) variant: Option<String>,
    pub(crate) operations: u64,
}

impl Entry {
    pub(crate) fn new(name: impl Into<String>, operations: u64) -> Self {
        Self { name: name.into(), variant: None, operations }
    }
}

pub(crate) struct Collected {
    pub(crate) benchmarks: Vec<Benchmark>,
    pub(crate) facts: BTreeMap<String, String>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Collector {
    benchmarks: Vec<Benchmark>,
    indices: HashMap<(String, Option<String>), usize>,
    values: usize,
    histograms: usize,
    facts: BTreeMap<String, String>,
    warnings: Vec<String>,
    unsaid_warnings: usize,
    left_out: Vec<String>,
}

impl Collector {
    /// Keeps a fact that the file states about the machine or tool. The first value of a key wins.
    pub(crate) fn fact(&mut self, key: &str, value: Option<impl ToString>) {
        let value = value.map(|value| cut(value.to_string().trim(), fault::SHORT)).unwrap_or_default();
        if !value.is_empty() && self.facts.len() < FACTS_MAX {
            self.facts.entry(key.to_owned()).or_insert(value);
        }
    }

    /// Adds a warning, unless the same warning exists.
    pub(crate) fn warn(&mut self, warning: impl AsRef<str>) {
        let warning = cut(warning.as_ref(), fault::LONG);
        if self.warnings.contains(&warning) {
            return;
        }
        if self.warnings.len() < WARNINGS_MAX {
            self.warnings.push(warning);
        } else {
            self.unsaid_warnings += 1;
        }
    }

    /// Notes the names of measures that are not the time of an operation.
    pub(crate) fn left_out<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            let name = cut(name, 40);
            if self.left_out.len() <= LEFT_OUT_MAX && !self.left_out.contains(&name) {
                self.left_out.push(name);
            }
        }
    }

    fn warn_of_left_out(&mut self) {
        let more = if self.left_out.len() > LEFT_OUT_MAX { " and more" } else { "" };
        self.left_out.truncate(LEFT_OUT_MAX);
        if !self.left_out.is_empty() {
            let names = self.left_out.join(", ");
            self.warn(format!("skipped, not times: {names}{more}"));
        }
    }

    pub(crate) fn samples(&mut self, entry: &Entry, values: Vec<u64>, place: &Place) -> Result<(), Fault> {
        self.count_values(values.len(), place)?;
        let keeps_samples = values.len() <= SAMPLES_MAX;
        self.repetition(entry, Distribution::of_samples(values), keeps_samples, place)
    }

    /// Adds one repetition, as samples with their counts.
    pub(crate) fn counts(
        &mut self,
        entry: &Entry,
        values: &[(u64, u64)],
        place: &Place,
    ) -> Result<(), Fault> {
        self.count_values(values.len(), place)?;
        let total = checked_total(values.iter().map(|&(_, count)| count), place)?;
        let keeps_samples = total <= SAMPLES_MAX as u64;
        self.repetition(entry, Distribution::of_counts(values), keeps_samples, place)
    }

    pub(crate) fn recorded(&mut self, entry: &Entry, recorder: Recorder, place: &Place) -> Result<(), Fault> {
        self.repetition(entry, recorder.finish(), false, place)
    }

    fn repetition(
        &mut self,
        entry: &Entry,
        repetition: Option<Distribution>,
        keeps_samples: bool,
        place: &Place,
    ) -> Result<(), Fault> {
        let Some(repetition) = repetition else {
            self.warn(format!("{}: skipped a repetition without values", entry.name));
            return Ok(());
        };
        if !keeps_samples {
            self.histograms += 1;
            if self.histograms > HISTOGRAMS_MAX {
                return Err(place.fault(format!(
                    "expected at most {HISTOGRAMS_MAX} repetitions of more than {SAMPLES_MAX} values, or of histograms"
                )));
            }
            if repetition.max_ns() > HIGHEST_NS {
                self.warn(format!("{}: too many values, stored as a histogram capped at 60 s", entry.name));
            }
        }
        self.add(entry, Data::Repetitions(vec![repetition]), place)
    }

    pub(crate) fn summary(
        &mut self,
        entry: &Entry,
        mut summary: Summary,
        place: &Place,
    ) -> Result<(), Fault> {
        self.count_values(1, place)?;
        if !summary.is_in_order() {
            self.warn(format!("{}: inconsistent values, using only the first", entry.name));
            summary = Summary::new(summary.statistic, summary.center_ns);
        }
        self.add(entry, Data::Summary(summary), place)
    }

    fn add(&mut self, entry: &Entry, data: Data, place: &Place) -> Result<(), Fault> {
        let key = (entry.name.clone(), entry.variant.clone());
        let Some(&index) = self.indices.get(&key) else {
            check_name(&entry.name, place)?;
            entry.variant.as_deref().map_or(Ok(()), |variant| check_name(variant, place))?;
            if self.benchmarks.len() == BENCHMARKS_MAX {
                return Err(place.fault(format!("expected at most {BENCHMARKS_MAX} benchmarks")));
            }
            self.indices.insert(key, self.benchmarks.len());
            let Entry { name, variant, operations } = entry.clone();
            self.benchmarks.push(Benchmark { name, variant, operations, data });
            return Ok(());
        };
        match (&mut self.benchmarks[index].data, data) {
            (Data::Repetitions(known), Data::Repetitions(more)) => known.extend(more),
            (Data::Summary(_), Data::Summary(_)) => {
                self.warn(format!("{}: duplicate, using only the first", entry.name));
            }
            _ => {
                self.warn(format!(
                    "{}: both with samples and as a summary, using only the first",
                    entry.name
                ));
            }
        }
        Ok(())
    }

    fn count_values(&mut self, more: usize, place: &Place) -> Result<(), Fault> {
        self.values = self.values.saturating_add(more);
        if self.values > VALUES_MAX {
            return Err(place.fault(format!("expected at most {VALUES_MAX} values in a file")));
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Collected {
        self.warn_of_left_out();
        if self.unsaid_warnings > 0 {
            self.warnings.push(format!("and {} more warnings", self.unsaid_warnings));
        }
        Collected { benchmarks: self.benchmarks, facts: self.facts, warnings: self.warnings }
    }
}

/// The sum of the counts. An error if it exceeds [`COUNT_MAX`].
pub(crate) fn checked_total(counts: impl IntoIterator<Item = u64>, place: &Place) -> Result<u64, Fault> {
    let total = counts.into_iter().fold(0_u64, u64::saturating_add);
    if total > COUNT_MAX {
        return Err(place.fault("expected counts with a sum of at most 2^53"));
    }
    Ok(total)
}

fn check_name(name: &str, place: &Place) -> Result<(), Fault> {
    let chars = name.chars().count();
    if (1..=NAME_CHARS_MAX).contains(&chars) && !name.chars().any(char::is_control) {
        return Ok(());
    }
    let found = cut(name, 40);
    Err(place.fault(format!(
        "expected a name of 1 to {NAME_CHARS_MAX} characters without control characters, found {chars}: \
         `{found}`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipe() -> Entry {
        Entry::new("pipe", 1)
    }

    fn added(entry: &Entry, values: Vec<u64>) -> Result<Collector, String> {
        let mut collector = Collector::default();
        let added = collector.samples(entry, values, &Place::line(3));
        added.map_err(|fault| format!("{}: {}", fault.place, fault.problem))?;
        Ok(collector)
    }

    #[test]
    fn joins_repetitions_by_name_and_variant() {
        let mut collector = added(&pipe(), vec![1]).unwrap();
        collector.samples(&Entry::new("fifo", 1), vec![2], &Place::default()).unwrap();
        let new = Entry { variant: Some("new".into()), ..pipe() };
        collector.samples(&new, vec![3], &Place::default()).unwrap();
        collector.samples(&pipe(), vec![4, 5], &Place::default()).unwrap();
        let import = collector.finish();
        let counts: Vec<_> = import
            .benchmarks
            .iter()
            .map(|benchmark| {
                let Data::Repetitions(repetitions) = &benchmark.data else { panic!() };
                (benchmark.name.as_str(), repetitions.iter().map(Distribution::count).collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(counts, [("pipe", vec![1, 2]), ("fifo", vec![1]), ("pipe", vec![1])]);
    }

    #[test]
    fn rejects_names_that_charts_cannot_show() {
        for name in ["", "a\u{7}b", &"x".repeat(201)] {
            let error = added(&Entry::new(name, 1), vec![1]).unwrap_err();
            assert!(error.starts_with("line 3: expected a name of 1 to 200 characters without"), "{error}");
        }
        assert!(added(&Entry::new("ä".repeat(200), 1), vec![1]).is_ok());
    }

    #[test]
    fn limits_the_number_of_values() {
        let mut collector = added(&pipe(), vec![7; VALUES_MAX]).unwrap();
        let fault = collector.samples(&pipe(), vec![7], &Place::line(9)).unwrap_err();
        assert_eq!(fault.problem, "expected at most 1000000 values in a file");
    }

    #[test]
    fn limits_the_number_of_histograms() {
        let mut collector = Collector::default();
        for _ in 0..HISTOGRAMS_MAX {
            collector.counts(&pipe(), &[(5, 10_001)], &Place::default()).unwrap();
        }
        collector.counts(&pipe(), &[(5, 10_000)], &Place::default()).unwrap();
        let fault = collector.counts(&pipe(), &[(5, 10_001)], &Place::default()).unwrap_err();
        assert!(fault.problem.starts_with("expected at most 1000 repetitions"), "{}", fault.problem);
        let fault = collector.counts(&pipe(), &[(5, u64::MAX), (6, 2)], &Place::default()).unwrap_err();
        assert_eq!(fault.problem, "expected counts with a sum of at most 2^53");
    }

    #[test]
    fn deduplicates_and_limits_warnings() {
        let mut collector = added(&pipe(), vec![1]).unwrap();
        for number in 0..120 {
            collector.warn(format!("warning {}", number / 2));
        }
        let warnings = collector.finish().warnings;
        assert_eq!(warnings.len(), WARNINGS_MAX + 1);
        assert_eq!(warnings[WARNINGS_MAX], "and 20 more warnings");
    }

    #[test]
    fn rejects_a_second_summary() {
        let mut collector = Collector::default();
        for center in [5, 6] {
            let summary = Summary::new(crate::model::Statistic::Mean, center);
            collector.summary(&pipe(), summary, &Place::default()).unwrap();
        }
        collector.samples(&pipe(), vec![7], &Place::default()).unwrap();
        let import = collector.finish();
        let Data::Summary(summary) = &import.benchmarks[0].data else { panic!() };
        assert_eq!((import.benchmarks.len(), summary.center_ns), (1, 5));
        assert_eq!(
            import.warnings,
            [
                "pipe: duplicate, using only the first",
                "pipe: both with samples and as a summary, using only the first",
            ]
        );
    }
}
