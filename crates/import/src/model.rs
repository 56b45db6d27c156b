//! The contents of a result file, in one form for all formats.

use roundtrip_stats::Distribution;
use roundtrip_stats::distribution::SAMPLES_MAX;
use roundtrip_wire::Measure;
use std::sync::Arc;

/// One benchmark of a file.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// The name from the tool, with its parameters: at most 200 characters, without control characters. A longer name ends
    /// with a digest of the whole.
    pub name: String,
    /// The build, if a file compares several: `old` and `new` of Node.
    pub variant: Option<String>,
    /// The measured quantity; `None`: the time of an operation, in nanoseconds. Entries of one quantity share it.
    pub measure: Option<Arc<Measure>>,
    /// The number of operations per time: 1 or 1,000, depending on the format. For another measure, the factor of its
    /// stored values.
    pub operations: u64,
    /// Its values.
    pub data: Data,
}

/// The values of a benchmark.
#[derive(Clone, Debug)]
pub enum Data {
    /// Samples: one distribution for each independent run in the file. In nanoseconds per
    /// [`Benchmark::operations`].
    Repetitions(Repetitions),
    /// Statistics without the samples.
    Summary(Box<Summary>),
}

/// Distributions in a compact form. One value takes ten bytes, as a [`Distribution`] hundreds: a file of single values
/// would take a hundred times its size.
#[derive(Clone, Debug, Default)]
pub struct Repetitions {
    /// Apart, so that a list of benchmarks is small.
    parts: Box<Parts>,
}

#[derive(Clone, Debug, Default)]
struct Parts {
    /// The samples of all repetitions that keep them, in the order of the file.
    samples: Vec<u64>,
    /// The number of samples of each repetition; 0 for a histogram.
    sample_counts: Vec<u16>,
    /// The repetitions without samples.
    histograms: Vec<Histogram>,
}

// A repetition with more samples is a histogram.
const _: () = assert!(SAMPLES_MAX <= u16::MAX as usize);

#[derive(Clone, Debug)]
struct Histogram {
    stored: Box<[u8]>,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u64,
}

impl Repetitions {
    /// The number of repetitions.
    pub fn len(&self) -> usize {
        self.parts.sample_counts.len()
    }

    /// Whether there are no repetitions.
    pub fn is_empty(&self) -> bool {
        self.parts.sample_counts.is_empty()
    }

    /// The repetitions, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = Distribution> {
        let (mut samples, mut histograms) = (self.parts.samples.as_slice(), self.parts.histograms.iter());
        self.parts.sample_counts.iter().filter_map(move |&count| {
            if count == 0 {
                return histograms.next()?.distribution();
            }
            let (of_this, rest) = samples.split_at(usize::from(count));
            samples = rest;
            Distribution::of_samples(of_this.to_vec())
        })
    }

    /// All repetitions merged; `None` without any.
    pub fn merged(&self) -> Option<Distribution> {
        let samples = self.parts.samples.chunks(SAMPLES_MAX);
        let samples = samples.filter_map(|part| Distribution::of_samples(part.to_vec()));
        let histograms = self.parts.histograms.iter().filter_map(Histogram::distribution);
        Distribution::merged(samples.chain(histograms).collect())
    }

    /// The number of samples that are kept.
    pub(crate) fn value_count(&self) -> usize {
        self.parts.samples.len()
    }

    /// The number of repetitions without samples.
    pub(crate) fn histogram_count(&self) -> usize {
        self.parts.histograms.len()
    }

    /// Adds the repetitions of another file.
    pub(crate) fn append(&mut self, mut more: Self) {
        self.parts.samples.append(&mut more.parts.samples);
        self.parts.sample_counts.append(&mut more.parts.sample_counts);
        self.parts.histograms.append(&mut more.parts.histograms);
    }

    /// Joins consecutive repetitions into blocks, so that at most `most` remain, and returns how many form a block. The
    /// number is odd, because the nearest-rank median of an even number of values is below their median. What is left
    /// over joins the last block. `None` if a block would have more than [`SAMPLES_MAX`] samples, or a histogram.
    pub(crate) fn fold(&mut self, most: usize) -> Option<usize> {
        let count = self.len();
        let size = (1..).step_by(2).find(|size| count / size <= most)?;
        let mut folded: Vec<u16> = Vec::with_capacity(count / size);
        for (block, counts) in self.parts.sample_counts.chunks(size).enumerate() {
            let samples = counts.iter().map(|&count| usize::from(count)).sum::<usize>();
            let is_left_over = block == count / size;
            let joined = if is_left_over { folded.pop().map_or(0, usize::from) } else { 0 } + samples;
            if counts.contains(&0) || joined > SAMPLES_MAX {
                return None;
            }
            folded.push(u16::try_from(joined).ok()?);
        }
        self.parts.sample_counts = folded;
        Some(size)
    }

    /// Adds a repetition of 1 to [`SAMPLES_MAX`] samples.
    pub(crate) fn push_samples(&mut self, samples: &[u64]) {
        if self.is_empty() {
            // Most files have many benchmarks with few values. By itself, a list has room for four.
            self.parts.samples.reserve_exact(samples.len());
            self.parts.sample_counts.reserve_exact(1);
        }
        self.parts.samples.extend_from_slice(samples);
        self.parts.sample_counts.push(u16::try_from(samples.len()).unwrap_or(u16::MAX));
    }

    /// Adds a repetition without its samples.
    pub(crate) fn push_histogram(&mut self, histogram: &Distribution) {
        self.parts.histograms.push(Histogram {
            stored: histogram.stored_bytes().into_boxed_slice(),
            min_ns: histogram.min_ns(),
            max_ns: histogram.max_ns(),
            sum_ns: histogram.sum_ns(),
        });
        self.parts.sample_counts.push(0);
    }
}

impl Histogram {
    fn distribution(&self) -> Option<Distribution> {
        // The bytes are our own, so they are valid.
        Distribution::of_stored(&self.stored, (self.min_ns, self.max_ns, self.sum_ns)).ok()
    }
}

/// The most quantiles of a summary: as many as the wire allows.
const QUANTILES_MAX: usize = 1_000;

/// Statistics that a file states. Times are in nanoseconds per [`Benchmark::operations`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The central value.
    pub center_ns: u64,
    /// The kind of the central value.
    pub statistic: Statistic,
    /// The lower end of an interval that the file states.
    pub low_ns: Option<u64>,
    /// The upper end of the interval.
    pub high_ns: Option<u64>,
    /// The smallest value.
    pub min_ns: Option<u64>,
    /// The largest value.
    pub max_ns: Option<u64>,
    /// Quantiles as pairs of parts per million and value, in ascending order.
    pub quantiles: Vec<(u32, u64)>,
    /// The number of samples behind the statistics.
    pub count: Option<u64>,
}

/// The kind of the central value of a [`Summary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The arithmetic mean.
    Mean,
    /// The median.
    Median,
    /// One value of unknown kind.
    Value,
}

impl Summary {
    pub(crate) fn new(statistic: Statistic, center_ns: u64) -> Self {
        Self {
            center_ns,
            statistic,
            low_ns: None,
            high_ns: None,
            min_ns: None,
            max_ns: None,
            quantiles: Vec::new(),
            count: None,
        }
    }

    /// Takes the median if it is stated, otherwise the mean.
    pub(crate) fn from_median_or_mean(median: Option<u64>, mean: Option<u64>) -> Option<Self> {
        let median = median.map(|median| Self::new(Statistic::Median, median));
        median.or_else(|| mean.map(|mean| Self::new(Statistic::Mean, mean)))
    }

    /// Takes the median if it is one of the quantiles, otherwise the mean. Keeps the quantiles.
    pub(crate) fn from_quantiles_or_mean(quantiles: Vec<(u32, u64)>, mean: Option<u64>) -> Option<Self> {
        let median = quantiles.iter().find(|(ppm, _)| *ppm == 500_000).map(|(_, median)| *median);
        Some(Self::from_median_or_mean(median, mean)?.with_quantiles(quantiles))
    }

    /// Adds quantiles in any order. Of several with the same parts per million, the first counts. Of more than
    /// [`QUANTILES_MAX`], every n-th is kept.
    pub(crate) fn with_quantiles(self, mut quantiles: Vec<(u32, u64)>) -> Self {
        quantiles.sort_by_key(|&(ppm, _)| ppm);
        quantiles.dedup_by_key(|&mut (ppm, _)| ppm);
        let step = quantiles.len().div_ceil(QUANTILES_MAX).max(1);
        Self { quantiles: quantiles.into_iter().step_by(step).collect(), ..self }
    }

    pub(crate) fn is_in_order(&self) -> bool {
        let below = |low: Option<u64>| low.is_none_or(|low| low <= self.center_ns);
        let above = |high: Option<u64>| high.is_none_or(|high| self.center_ns <= high);
        let quantiles = self.quantiles.iter().map(|&(_, value)| value);
        below(self.low_ns)
            && above(self.high_ns)
            && below(self.min_ns)
            && above(self.max_ns)
            && quantiles.clone().is_sorted()
            && quantiles.clone().all(|value| self.min_ns.is_none_or(|min| min <= value))
            && quantiles.clone().all(|value| self.max_ns.is_none_or(|max| value <= max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_keep_their_order_and_numbers() {
        let mut repetitions = Repetitions::default();
        repetitions.push_samples(&[7]);
        let histogram = Distribution::of_samples((0..20_000).collect()).unwrap();
        repetitions.push_histogram(&histogram);
        repetitions.push_samples(&[30, 10, 20]);
        assert_eq!((repetitions.len(), repetitions.is_empty()), (3, false));
        let [first, second, third] = &repetitions.iter().collect::<Vec<_>>()[..] else { panic!() };
        let samples =
            |one: &Distribution| one.samples_text().map(|text| roundtrip_stats::samples::decode(&text, 9));
        assert_eq!((samples(first), samples(third)), (Some(Ok(vec![7])), Some(Ok(vec![10, 20, 30]))));
        assert_eq!(second.histogram_bytes(), histogram.histogram_bytes());
        assert_eq!((second.min_ns(), second.max_ns(), second.sum_ns()), (0, 19_999, 199_990_000));
        assert_eq!(repetitions.merged().unwrap().count(), 20_004);
    }

    #[test]
    fn quantiles_are_ascending_and_few() {
        let summary = Summary::new(Statistic::Mean, 1);
        let sorted = summary.clone().with_quantiles(vec![(900, 3), (500, 1), (900, 2)]);
        assert_eq!(sorted.quantiles, [(500, 1), (900, 3)]);
        let many = summary.with_quantiles((0..2_500).map(|ppm| (ppm, 1)).collect());
        assert_eq!((many.quantiles.len(), many.quantiles[1]), (834, (3, 1)));
    }

    #[test]
    fn folds_into_blocks_of_odd_size() {
        let folded = |count: u64, most| {
            let mut repetitions = Repetitions::default();
            (0..count).for_each(|value| repetitions.push_samples(&[value]));
            let size = repetitions.fold(most).unwrap();
            (size, repetitions.iter().map(|one| one.count()).collect::<Vec<_>>())
        };
        assert_eq!(folded(4, 4), (1, vec![1; 4]));
        assert_eq!(folded(9, 4), (3, vec![3; 3]));
        // Two values are left over.
        assert_eq!(folded(14, 4), (3, vec![3, 3, 3, 5]));
        let (size, counts) = folded(3_889, 1_000);
        assert_eq!((size, counts.len(), counts[775], counts[776]), (5, 777, 5, 9));
    }

    #[test]
    fn does_not_fold_histograms_or_more_samples_than_a_repetition_keeps() {
        let mut repetitions = Repetitions::default();
        (0..3).for_each(|_| repetitions.push_samples(&[7; 4_000]));
        assert_eq!((repetitions.fold(1), repetitions.len()), (None, 3));
        let mut repetitions = Repetitions::default();
        repetitions.push_samples(&[7]);
        repetitions.push_histogram(&Distribution::of_samples((0..20_000).collect()).unwrap());
        assert_eq!((repetitions.fold(1), repetitions.len()), (None, 2));
    }

    #[test]
    fn merged_samples_have_exact_quantiles() {
        let mut repetitions = Repetitions::default();
        let values: Vec<u64> = (0..25_001).map(|value| 1_000_000_000 + value * value).collect();
        values.iter().for_each(|&value| repetitions.push_samples(&[value]));
        assert_eq!(repetitions.merged().unwrap().quantile_ns(500_000), values[12_500]);
    }
}
