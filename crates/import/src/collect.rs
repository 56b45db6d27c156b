//! [`Collector`]: receives values from the format readers, joins the repetitions of each benchmark, enforces
//! the limits, and bounds names, warnings and facts.

use crate::fault::{self, Fault, Place, cut, on_one_line, shortened};
use crate::json::Number;
use crate::model::{Benchmark, Data, Repetitions, Statistic, Summary};
use crate::quantity::Quantity;
use crate::{BENCHMARKS_MAX, NAME_CHARS_MAX, Options, TimeUnit, VALUES_MAX};
use hashbrown::HashTable;
use roundtrip_stats::Distribution;
use roundtrip_stats::distribution::{HIGHEST_NS, Recorder, SAMPLES_MAX};
use roundtrip_wire::report::limit::REPETITIONS_MAX;
use roundtrip_wire::{Measure, Slug};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// The most histograms in a file: each takes up to 80 KiB, and a few bytes of input can request one.
pub(crate) const HISTOGRAMS_MAX: usize = 1_000;
/// The most different quantities of a file.
const MEASURES_MAX: usize = 5_000;
/// A result takes up to 350 bytes, so a file may not have many more than it has multiples of this number of bytes.
const BYTES_PER_RESULT_MIN: usize = 20;
/// The number of results of a file of any size.
const RESULTS_OF_SMALL_FILE: usize = 10_000;
/// The names that are too long may have this many bytes together, and this many times the bytes of the file.
const LONG_NAME_BYTES: usize = 1 << 20;
const LONG_NAME_FACTOR: usize = 20;
/// The largest count: larger ones are not measurements, and their sum could overflow.
const COUNT_MAX: u64 = 1 << 53;
pub(crate) const WARNINGS_MAX: usize = 50;
pub(crate) const FACTS_MAX: usize = 50;
/// The longest variant, in characters. On the wire it is a slug, which must have room for a number.
const VARIANT_CHARS_MAX: usize = 50;

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
    /// One of each quantity, for all its entries.
    measures: HashSet<Arc<Measure>>,
    values: usize,
    histograms: usize,
    facts: BTreeMap<String, String>,
    warnings: Vec<String>,
    omitted_warnings: usize,
    skipped: u64,
    /// The names, variants and measures that [`Collector::distinct`] returned.
    names: Numbers,
    /// The slugs of variants.
    slugs: Numbers,
    /// The variants of the file, with their stored form.
    variants: HashMap<String, String>,
    file_bytes: usize,
    /// The bytes of all names that are too long, each time they occur.
    long_name_bytes: usize,
    unit: Option<TimeUnit>,
    is_unit_used: bool,
}

impl Collector {
    /// Creates a collector for a file of this size.
    pub(crate) fn new(file_bytes: usize, options: &Options) -> Self {
        Self { file_bytes, unit: options.unit, ..Self::default() }
    }

    /// The unit of times that the user stated. For formats that do not state it.
    pub(crate) fn unit(&mut self) -> Option<TimeUnit> {
        self.is_unit_used = true;
        self.unit
    }

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
            self.omitted_warnings += 1;
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
        self.values(entry, quantity, std::iter::once(value), place)
    }

    /// Adds the values of other quantities that are stated, each as one repetition.
    pub(crate) fn stated(
        &mut self,
        entry: &Entry,
        figures: impl IntoIterator<Item = (Quantity, Option<Number>)>,
        place: &Place,
    ) -> Result<(), Fault> {
        for (quantity, value) in figures {
            if let Some(Number(value)) = value {
                self.value(entry, &quantity, value, place)?;
            }
        }
        Ok(())
    }

    /// Adds values of another quantity that were measured together, as one repetition. If one cannot be stored, all are
    /// skipped.
    pub(crate) fn values(
        &mut self,
        entry: &Entry,
        quantity: &Quantity,
        values: impl Iterator<Item = f64>,
        place: &Place,
    ) -> Result<(), Fault> {
        match values.map(|value| quantity.stored(value)).collect() {
            Ok(stored) => self.samples(&entry.of(quantity), stored, place),
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

    /// Adds a value of another quantity that summarizes many, such as a mean. A value that cannot be stored is skipped.
    pub(crate) fn statistic(
        &mut self,
        entry: &Entry,
        quantity: &Quantity,
        (statistic, value): (Statistic, f64),
        place: &Place,
    ) -> Result<(), Fault> {
        let summary = quantity.stored(value).map(|stored| Summary::new(statistic, stored));
        self.summary_of(entry, quantity, summary, place)
    }

    /// Whether [`Collector::distinct`] has returned an entry with this name, variant and measure.
    pub(crate) fn is_taken(&mut self, entry: &Entry) -> bool {
        let entry = self.displayed(entry).map(Cow::into_owned);
        entry.is_some_and(|Entry { name, variant, measure, .. }| {
            self.names.contains(self.hasher.hash_one((name, variant, measure)))
        })
    }

    /// The entry under a name that no earlier one has: equal names are numbered by their position in the file (` #2`). For
    /// formats in which each entry is a benchmark of its own.
    pub(crate) fn distinct(&mut self, entry: &Entry) -> Entry {
        let Some(entry) = self.displayed(entry).map(Cow::into_owned) else { return entry.clone() };
        let numbered = |number: u32| match number {
            1 => entry.name.clone(),
            _ => shortened(format!("{} #{number}", entry.name), NAME_CHARS_MAX),
        };
        let hasher = &self.hasher;
        let number =
            self.names.next(|number| hasher.hash_one((numbered(number), &entry.variant, &entry.measure)));
        let name = numbered(number);
        if number > 1 {
            self.warn(format!("{}: several entries have this name: numbered by position", entry.name));
        }
        Entry { name, ..entry }
    }

    /// The entry as charts can show it: without control characters, and not too long. `None` without a name.
    fn displayed<'a>(&mut self, entry: &'a Entry) -> Option<Cow<'a, Entry>> {
        let name = on_one_line(&entry.name)?;
        let is_long = name.chars().count() > NAME_CHARS_MAX;
        let variant = match &entry.variant {
            Some(variant) => Some(self.variant(variant)?),
            None => None,
        };
        if !is_long && matches!(name, Cow::Borrowed(_)) && variant == entry.variant {
            return Some(Cow::Borrowed(entry));
        }
        if is_long {
            self.long_name_bytes = self.long_name_bytes.saturating_add(name.len());
            self.warn(format!(
                "{}: longer than {NAME_CHARS_MAX} characters, shortened",
                cut(&name, fault::SHORT)
            ));
        }
        let name = shortened(name.into_owned(), NAME_CHARS_MAX);
        Some(Cow::Owned(Entry { name, variant, ..entry.clone() }))
    }

    /// The stored form of a variant: on the wire, it is a slug that no other variant has.
    fn variant(&mut self, variant: &str) -> Option<String> {
        if let Some(known) = self.variants.get(variant) {
            return Some(known.clone());
        }
        let shown = shortened(on_one_line(variant)?.into_owned(), VARIANT_CHARS_MAX);
        let numbered = |number: u32| match number {
            1 => shown.clone(),
            _ => format!("{shown} #{number}"),
        };
        let hasher = &self.hasher;
        let number = self.slugs.next(|number| hasher.hash_one(Slug::from_name(&numbered(number)).as_str()));
        let stored = numbered(number);
        if number > 1 {
            self.warn(format!("variant {shown}: similar to another one, stored as {stored}"));
        }
        self.variants.insert(stored.clone(), stored.clone());
        self.variants.insert(variant.to_owned(), stored.clone());
        Some(stored)
    }

    /// Rejects a long name that many entries share, such as that of their group: each costs time.
    fn check_names(&self, place: &Place) -> Result<(), Fault> {
        let most = LONG_NAME_BYTES.saturating_add(LONG_NAME_FACTOR.saturating_mul(self.file_bytes));
        if self.long_name_bytes > most {
            return Err(place.fault(format!(
                "expected names of at most {NAME_CHARS_MAX} characters, found many longer ones"
            )));
        }
        Ok(())
    }

    fn skip_unnamed(&mut self) {
        self.skip("skipped a benchmark with a blank name or variant");
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
            self.skip_no_values(entry);
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
            self.skip_no_values(entry);
            return Ok(());
        };
        self.histograms += 1;
        if self.histograms > HISTOGRAMS_MAX {
            return Err(place.fault(format!(
                "expected at most {HISTOGRAMS_MAX} repetitions of more than {SAMPLES_MAX} values, or of histograms"
            )));
        }
        if repetition.max_ns() > HIGHEST_NS {
            let unit = entry.measure.as_ref().map_or("ns", |measure| &measure.unit);
            let cap = HIGHEST_NS / entry.operations;
            self.warn(format!(
                "{}: too many values, stored as a histogram capped at {cap} {unit}",
                entry.name
            ));
        }
        if let Some(repetitions) = self.repetitions(entry, place)? {
            repetitions.push_histogram(&repetition);
        }
        Ok(())
    }

    fn skip_no_values(&mut self, entry: &Entry) {
        self.skip(format!("{}: skipped a repetition without values", entry.name));
    }

    pub(crate) fn summary(
        &mut self,
        entry: &Entry,
        mut summary: Summary,
        place: &Place,
    ) -> Result<(), Fault> {
        self.count_values(1, place)?;
        self.check_names(place)?;
        if !summary.is_in_order() {
            self.warn(format!("{}: inconsistent values, using only the first", entry.name));
            summary = Summary::new(summary.statistic, summary.center_ns);
        }
        let Some(entry) = self.displayed(entry) else {
            self.skip_unnamed();
            return Ok(());
        };
        let Some(index) = self.find(&entry) else {
            self.add(&entry, Data::Summary(Box::new(summary)), place)?;
            return Ok(());
        };
        match self.benchmarks[index].data {
            Data::Summary(_) => self.skip(format!("{}: duplicate, using only the first", entry.name)),
            Data::Repetitions(_) => self.skip_second_kind(&entry),
        }
        Ok(())
    }

    fn skip_second_kind(&mut self, entry: &Entry) {
        self.skip(format!("{}: both with samples and as a summary, using only the first", entry.name));
    }

    /// The repetitions of a benchmark. Adds the benchmark if it is new. `None` if it is a summary or has no name.
    fn repetitions(&mut self, entry: &Entry, place: &Place) -> Result<Option<&mut Repetitions>, Fault> {
        self.check_names(place)?;
        let Some(entry) = self.displayed(entry) else {
            self.skip_unnamed();
            return Ok(None);
        };
        let index = match self.find(&entry) {
            Some(index) => index,
            None => self.add(&entry, Data::Repetitions(Repetitions::default()), place)?,
        };
        if matches!(self.benchmarks[index].data, Data::Summary(_)) {
            self.skip_second_kind(&entry);
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
        let index = self.benchmarks.len();
        if index == BENCHMARKS_MAX {
            return Err(place.fault(format!("expected at most {BENCHMARKS_MAX} benchmarks")));
        }
        if index >= RESULTS_OF_SMALL_FILE.max(self.file_bytes / BYTES_PER_RESULT_MIN) {
            return Err(place.fault(format!(
                "expected at most one result for each {BYTES_PER_RESULT_MIN} bytes of the file, found more"
            )));
        }
        let hash = self.hash(entry);
        let Entry { name, variant, measure, operations } = entry.clone();
        let measure = measure.map(|measure| self.known(measure));
        if self.measures.len() > MEASURES_MAX {
            return Err(place.fault(format!("expected at most {MEASURES_MAX} different measures")));
        }
        self.benchmarks.push(Benchmark { name, variant, measure, operations, data });
        let Self { benchmarks, indices, hasher, .. } = self;
        indices.insert_unique(hash, index, |&index| {
            let Benchmark { name, variant, measure, .. } = &benchmarks[index];
            hasher.hash_one((name, variant, measure))
        });
        Ok(index)
    }

    /// The measure that all entries of the quantity share.
    fn known(&mut self, measure: Arc<Measure>) -> Arc<Measure> {
        if let Some(known) = self.measures.get(&measure) {
            return known.clone();
        }
        self.measures.insert(measure.clone());
        measure
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

    /// Folds repetitions beyond the limit of a report, and returns what was collected.
    pub(crate) fn finish(mut self) -> Result<Collected, Fault> {
        let mut benchmarks = std::mem::take(&mut self.benchmarks);
        let folded = fold(&mut benchmarks).map_err(|problem| Place::default().fault(problem))?;
        folded.into_iter().for_each(|warning| self.warn(warning));
        if let Some(unit) = self.unit.filter(|_| !self.is_unit_used) {
            self.warn(format!("the unit {unit} was not used: the format states its units"));
        }
        if self.omitted_warnings > 0 {
            self.warnings.push(format!("and {} more warnings", self.omitted_warnings));
        }
        Ok(Collected { benchmarks, facts: self.facts, warnings: self.warnings, skipped: self.skipped })
    }
}

/// Numbers equal keys, in constant time each.
#[derive(Debug, Default)]
struct Numbers {
    /// The last number of each key.
    last: HashMap<u64, u32>,
}

impl Numbers {
    fn contains(&self, key: u64) -> bool {
        self.last.contains_key(&key)
    }

    /// The next number from 1 for which `key` is new. Only number 1 has the key of the name itself.
    fn next(&mut self, key: impl Fn(u32) -> u64) -> u32 {
        let mut number = self.last.get(&key(1)).map_or(1, |last| last + 1);
        while number > 1 && self.contains(key(number)) {
            number += 1;
        }
        self.last.insert(key(number), 1);
        self.last.insert(key(1), number);
        number
    }
}

/// Folds repetitions beyond the limit of a report, and returns a warning for each benchmark, or the problem.
pub(crate) fn fold(benchmarks: &mut [Benchmark]) -> Result<Vec<String>, String> {
    let mut warnings = Vec::new();
    for Benchmark { name, data, .. } in benchmarks {
        let Data::Repetitions(repetitions) = data else { continue };
        let runs = repetitions.len();
        if runs > REPETITIONS_MAX {
            let size = repetitions.fold(REPETITIONS_MAX).ok_or_else(|| {
                format!(
                    "{}: {runs} repetitions with too many values to join them: expected at most {REPETITIONS_MAX} \
                     repetitions. Split the file.",
                    cut(name, fault::SHORT)
                )
            })?;
            warnings
                .push(format!("{name}: {runs} runs, stored as {} repetitions of {size}", repetitions.len()));
        }
    }
    Ok(warnings)
}

/// The sum of the counts. An error if it exceeds [`COUNT_MAX`].
pub(crate) fn checked_total(counts: impl IntoIterator<Item = u64>, place: &Place) -> Result<u64, Fault> {
    let total = counts.into_iter().fold(0_u64, u64::saturating_add);
    if total > COUNT_MAX {
        return Err(place.fault("expected counts with a sum of at most 2^53"));
    }
    Ok(total)
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
        let import = collector.finish().unwrap();
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
    fn shortens_long_names_and_keeps_them_distinct() {
        let long = |end: &str| Entry::new("x".repeat(300) + end, 1);
        let mut collector = added(&long("a"), vec![1]).unwrap();
        collector.samples(&long("b"), vec![1], &Place::default()).unwrap();
        collector.samples(&long("a"), vec![1], &Place::default()).unwrap();
        collector.samples(&Entry::new("ä".repeat(200), 1), vec![1], &Place::default()).unwrap();
        let import = collector.finish().unwrap();
        let names: Vec<_> = import.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
        // The digest of the name, by sha256sum.
        assert_eq!(names[0], format!("{}…{}", "x".repeat(187), "f5e724b7ec29"));
        assert_ne!(names[0], names[1]);
        assert_eq!((names.len(), names[2]), (3, "ä".repeat(200).as_str()));
        assert!(names.iter().all(|name| name.chars().count() == 200));
        assert_eq!(import.warnings.len(), 1, "{:?}", import.warnings);
        assert_eq!(import.skipped, 0);
    }

    #[test]
    fn rejects_a_long_name_that_many_entries_share() {
        let long = Entry::new("x".repeat(LONG_NAME_BYTES / 2), 1);
        let mut collector = added(&long, vec![1]).unwrap();
        collector.samples(&long, vec![1], &Place::default()).unwrap();
        collector.distinct(&long);
        let fault = collector.samples(&pipe(), vec![1], &Place::line(3)).unwrap_err();
        assert_eq!(fault.problem, "expected names of at most 200 characters, found many longer ones");
    }

    #[test]
    fn shows_names_on_one_line_and_skips_blank_ones() {
        let mut collector = added(&Entry::new("\ta \\\r\n  b\u{7}c", 1), vec![1]).unwrap();
        for blank in ["", "\n", " "] {
            collector.samples(&Entry::new(blank, 1), vec![1], &Place::default()).unwrap();
        }
        let import = collector.finish().unwrap();
        assert_eq!((import.benchmarks.len(), import.benchmarks[0].name.as_str()), (1, "a \\ b c"));
        assert_eq!(
            (import.skipped, import.warnings),
            (3, vec!["skipped a benchmark with a blank name or variant".into()])
        );
    }

    #[test]
    fn numbers_equal_names_by_position() {
        let mut collector = Collector::default();
        let mut distinct = |name: &str| collector.distinct(&Entry::new(name, 1)).name;
        assert_eq!(["a", "a", "a #2", "b", "a"].map(&mut distinct), ["a", "a #2", "a #2 #2", "b", "a #3"]);
        assert!(collector.is_taken(&Entry::new("a #3", 1)) && !collector.is_taken(&Entry::new("c", 1)));
    }

    #[test]
    fn variants_with_the_same_slug_stay_distinct() {
        let mut collector = Collector::default();
        let long = "v".repeat(80);
        for variant in ["a b", "a-b", "a b", &format!("{long}1"), &format!("{long}2")] {
            let entry = Entry { variant: Some(variant.into()), ..pipe() };
            collector.samples(&entry, vec![1], &Place::default()).unwrap();
        }
        let import = collector.finish().unwrap();
        let variants = import.benchmarks.iter().map(|benchmark| benchmark.variant.as_deref().unwrap());
        let slugs: Vec<_> = variants.clone().map(Slug::from_name).collect();
        assert_eq!(variants.take(2).collect::<Vec<_>>(), ["a b", "a-b #2"]);
        assert_eq!(slugs.iter().collect::<HashSet<_>>().len(), 4, "{slugs:?}");
    }

    #[test]
    fn folds_more_repetitions_than_a_report_holds() {
        let mut collector = Collector::default();
        for value in 0..2_500 {
            collector.samples(&pipe(), vec![value], &Place::default()).unwrap();
        }
        let import = collector.finish().unwrap();
        let Data::Repetitions(repetitions) = &import.benchmarks[0].data else { panic!() };
        assert_eq!(repetitions.len(), 833);
        assert_eq!(import.warnings, ["pipe: 2500 runs, stored as 833 repetitions of 3"]);
    }

    #[test]
    fn rejects_repetitions_that_cannot_be_folded() {
        let mut collector = Collector::default();
        for _ in 0..=REPETITIONS_MAX {
            collector.repetition(&pipe(), vec![7; 4_000], &Place::default()).unwrap();
        }
        let problem = collector.finish().err().unwrap().problem;
        assert!(problem.starts_with("pipe: 1001 repetitions with too many values"), "{problem}");
    }

    #[test]
    fn notes_an_unused_unit() {
        let unit = Some(TimeUnit::Milliseconds);
        let unused = Collector::new(0, &Options { unit }).finish().unwrap();
        assert_eq!(unused.warnings, ["the unit ms was not used: the format states its units"]);
        let mut collector = Collector::new(0, &Options { unit });
        assert_eq!(collector.unit(), unit);
        assert_eq!(collector.finish().unwrap().warnings, Vec::<String>::new());
    }

    #[test]
    fn limits_the_number_of_values() {
        let mut collector = added(&pipe(), vec![7; VALUES_MAX]).unwrap();
        let fault = collector.samples(&pipe(), vec![7], &Place::line(9)).unwrap_err();
        assert_eq!(fault.problem, "expected at most 3000000 values in a file");
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
        let warnings = collector.finish().unwrap().warnings;
        assert_eq!(warnings.len(), WARNINGS_MAX + 1);
        assert_eq!(warnings[WARNINGS_MAX], "and 20 more warnings");
    }

    #[test]
    fn rejects_a_second_summary() {
        let mut collector = Collector::default();
        for center in [5, 6] {
            let summary = Summary::new(Statistic::Mean, center);
            collector.summary(&pipe(), summary, &Place::default()).unwrap();
        }
        collector.samples(&pipe(), vec![7], &Place::default()).unwrap();
        let import = collector.finish().unwrap();
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
