//! The contents of a result file, in one form for all formats.

use roundtrip_stats::Distribution;

/// One benchmark of a file.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// The name from the tool, with its parameters: at most 200 characters, without control characters.
    pub name: String,
    /// The build, if a file compares several: `old` and `new` of Node.
    pub variant: Option<String>,
    /// The number of operations per value: 1 or 1,000, depending on the format.
    pub operations: u64,
    /// Its times.
    pub data: Data,
}

/// The times of a benchmark.
#[derive(Clone, Debug)]
pub enum Data {
    /// Samples: one distribution for each independent run in the file. In nanoseconds per
    /// [`Benchmark::operations`].
    Repetitions(Vec<Distribution>),
    /// Statistics without the samples.
    Summary(Summary),
}

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
