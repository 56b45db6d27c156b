//! [`Collector`]: receives values from the format readers, joins the repetitions of each benchmark, enforces
//! the limits, and bounds warnings and facts.

use crate::fault::{self, Fault, Place, cut};
use crate::model::{Benchmark, Data, Repetitions, Summary};
use crate::quantity::Quantity;
use crate::{BENCHMARKS_MAX, NAME_CHARS_MAX, VALUES_MAX};
use hashbrown::HashTable;
use roundtrip_stats::Distribution;
use roundtrip_stats::distribution::{HIGHEST_NS, Recorder, SAMPLES_MAX};
use roundtrip_wire::Measure;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// The most histograms in a file: each takes up to 80 KiB, and a few bytes of input can request one.
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
    pub(crate) measure: Option<Arc<Measure>>,
    pub(crate) operations: u64,
}

impl Entry {
    pub(crate) fn new(name: impl Into<String>, operations: u64) -> Self {
        Self { name: name.into(), variant: None, measure: None, operations }
    }

    /// The same benchmark, for another quantity.
    pub(crate) fn of(&self, quantity: &Quantity) -> Self {
        Self { measure: Some(quantity.measure.clone()), operations: quantity.scale, ..self.clone() }
    }
}

pub(crate) struct Collected {
    pub(crate) benchmarks: Vec<Benchmark>,
    pub(crate) facts: BTreeMap<String, String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) skipped: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Collector {
    benchmarks: Vec<Benchmark>,
    /// By name and variant.
    indices: HashTable<usize>,
    hasher: RandomState,
    values: usize,
    histograms: usize,
    facts: BTreeMap<String, String>,
    warnings: Vec<String>,
    unsaid_warnings: usize,
    skipped: u64,
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

    /// Adds a warning about something in the file that is not imported.
    pub(crate) fn skip(&mut self, warning: impl AsRef<str>) {
        self.skipped += 1;
        self.warn(warning);
    }

    /// Adds a value of another quantity, as one repetition. A value that cannot be stored, such as NaN, is skipped.
    pub(crate) fn value(
        &mut self,
        entry: &Entry,
        quantity: &Quantity,
        value: f64,
        place: &Place,
    ) -> Result<(), Fault> {
        match quantity.stored(value) {
            Ok(stored) => self.samples(&entry.of(quantity), vec![stored], place),
            Err(problem) => {
                self.skip(format!("{}: skipped {}: {problem}", entry.name, quantity.measure.name));
                Ok(())
            }
        }
    }

    /// Adds a summary of another quantity, unless one of its values cannot be stored.
    pub(crate) fn summary_of(
        &mut self,
        entry: &Entry,
        quantity: &Quantity,
        summary: Result<Summary, String>,
        place: &Place,
    ) -> Result<(), Fault> {
        match summary {
            Ok(summary) => self.summary(&entry.of(quantity), summary, place),
            Err(problem) => {
                self.skip(format!("{}: skipped {}: {problem}", entry.name, quantity.measure.name));
                Ok(())
            }
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
        self.repetition(entry, values, place)
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
        if total > SAMPLES_MAX as u64 {
            return self.histogram(entry, Distribution::of_counts(values), place);
        }
        let listed = values.iter().flat_map(|&(value, count)| (0..count).map(move |_| value));
        self.repetition(entry, listed.collect(), place)
    }

    pub(crate) fn recorded(&mut self, entry: &Entry, recorder: Recorder, place: &Place) -> Result<(), Fault> {
        self.histogram(entry, recorder.finish(), place)
    }

    fn repetition(&mut self, entry: &Entry, values: Vec<u64>, place: &Place) -> Result<(), Fault> {
        if values.len() > SAMPLES_MAX {
            return self.histogram(entry, Distribution::of_samples(values), place);
        }
        if values.is_empty() {
            self.warn_of_no_values(entry);
        } else if let Some(repetitions) = self.repetitions(entry, place)? {
            repetitions.push_samples(&values);
        }
        Ok(())
    }

    fn histogram(
        &mut self,
        entry: &Entry,
        repetition: Option<Distribution>,
        place: &Place,
    ) -> Result<(), Fault> {
        let Some(repetition) = repetition else {
            self.warn_of_no_values(entry);
            return Ok(());
        };
        self.histograms += 1;
        if self.histograms > HISTOGRAMS_MAX {
            return Err(place.fault(format!(
                "expected at most {HISTOGRAMS_MAX} repetitions of more than {SAMPLES_MAX} values, or of histograms"
            )));
        }
        if repetition.max_ns() > HIGHEST_NS {
            self.warn(format!("{}: too many values, stored as a histogram capped at 60 s", entry.name));
        }
        if let Some(repetitions) = self.repetitions(entry, place)? {
            repetitions.push_histogram(&repetition);
        }
        Ok(())
    }

    fn warn_of_no_values(&mut self, entry: &Entry) {
        self.warn(format!("{}: skipped a repetition without values", entry.name));
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
        let Some(index) = self.find(entry) else {
            self.add(entry, Data::Summary(Box::new(summary)), place)?;
            return Ok(());
        };
        match self.benchmarks[index].data {
            Data::Summary(_) => self.warn(format!("{}: duplicate, using only the first", entry.name)),
            Data::Repetitions(_) => self.warn_of_both(entry),
        }
        Ok(())
    }

    fn warn_of_both(&mut self, entry: &Entry) {
        self.warn(format!("{}: both with samples and as a summary, using only the first", entry.name));
    }

    /// The repetitions of a benchmark. Adds the benchmark if it is new. `None` if it is a summary.
    fn repetitions(&mut self, entry: &Entry, place: &Place) -> Result<Option<&mut Repetitions>, Fault> {
        let index = match self.find(entry) {
            Some(index) => index,
            None => self.add(entry, Data::Repetitions(Repetitions::default()), place)?,
        };
        if matches!(self.benchmarks[index].data, Data::Summary(_)) {
            self.warn_of_both(entry);
        }
        Ok(match &mut self.benchmarks[index].data {
            Data::Repetitions(repetitions) => Some(repetitions),
            Data::Summary(_) => None,
        })
    }

    /// The index of a known benchmark.
    fn find(&self, entry: &Entry) -> Option<usize> {
        let is_same = |&index: &usize| {
            let known = &self.benchmarks[index];
            known.name == entry.name && known.variant == entry.variant && known.measure == entry.measure
        };
        self.indices.find(self.hash(entry), is_same).copied()
    }

    /// Adds a benchmark that is not known yet, and returns its index.
    fn add(&mut self, entry: &Entry, data: Data, place: &Place) -> Result<usize, Fault> {
        check_name(&entry.name, place)?;
        entry.variant.as_deref().map_or(Ok(()), |variant| check_name(variant, place))?;
        let index = self.benchmarks.len();
        if index == BENCHMARKS_MAX {
            return Err(place.fault(format!("expected at most {BENCHMARKS_MAX} benchmarks")));
        }
        let hash = self.hash(entry);
        let Entry { name, variant, measure, operations } = entry.clone();
        self.benchmarks.push(Benchmark { name, variant, measure, operations, data });
        let Self { benchmarks, indices, hasher, .. } = self;
        indices.insert_unique(hash, index, |&index| {
            let Benchmark { name, variant, measure, .. } = &benchmarks[index];
            hasher.hash_one((name, variant, measure))
        });
        Ok(index)
    }

    fn hash(&self, Entry { name, variant, measure, .. }: &Entry) -> u64 {
        self.hasher.hash_one((name, variant, measure))
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
        Collected {
            benchmarks: self.benchmarks,
            facts: self.facts,
            warnings: self.warnings,
            skipped: self.skipped,
        }
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
                let counts = repetitions.iter().map(|repetition| repetition.count());
                (benchmark.name.as_str(), counts.collect::<Vec<_>>())
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
