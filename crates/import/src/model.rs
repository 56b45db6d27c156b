//! What a result file says of its benchmarks, in one form for all formats.

use roundtrip_stats::Distribution;

/// One benchmark of a file.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// As the tool names it, with its parameters: at most 200 characters, none of them a control character.
    pub name: String,
    /// Which of several builds was measured, where a file compares them: `old` and `new` of Node.
    pub variant: Option<String>,
    /// How many operations one value is the time of: 1 or 1,000, by the format.
    pub operations: u64,
    /// Its times.
    pub data: Data,
}

/// The times of a benchmark.
#[derive(Clone, Debug)]
pub enum Data {
    /// Samples: one distribution for each independent run that the file tells apart. In nanoseconds of
    /// [`Benchmark::operations`].
    Repetitions(Vec<Distribution>),
    /// Stated figures only, without the samples behind them.
    Summary(Summary),
}

/// Figures that a file states. Times in nanoseconds of [`Benchmark::operations`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The one figure that stands for all.
    pub center_ns: u64,
    /// What it is.
    pub statistic: Statistic,
    /// Lower end of an interval that the file states.
    pub low_ns: Option<u64>,
    /// Upper end of it.
    pub high_ns: Option<u64>,
    /// The smallest value.
    pub min_ns: Option<u64>,
    /// The largest value.
    pub max_ns: Option<u64>,
    /// Quantiles, as parts per million and value, in ascending order.
    pub quantiles: Vec<(u32, u64)>,
    /// How many values are behind the figures.
    pub count: Option<u64>,
}

/// What the middle of a [`Summary`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The arithmetic mean.
    Mean,
    /// The median.
    Median,
    /// One value; the file does not say of what kind.
    Value,
}

impl Summary {
    pub(crate) fn of(statistic: Statistic, center_ns: u64) -> Self {
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

    /// Of the median where it is stated, else of the mean.
    pub(crate) fn of_middle(median: Option<u64>, mean: Option<u64>) -> Option<Self> {
        let median = median.map(|median| Self::of(Statistic::Median, median));
        median.or_else(|| mean.map(|mean| Self::of(Statistic::Mean, mean)))
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
