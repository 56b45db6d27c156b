//! Joins the imports of several files of one run: the repetitions of equal benchmarks.

use crate::archive::File;
use crate::collect::{self, FACTS_MAX, HISTOGRAMS_MAX, WARNINGS_MAX};
use crate::fault::Place;
use crate::format::{Error, Format, GOMAXPROCS, Import};
use crate::model::{Benchmark, Data};
use crate::{BENCHMARKS_MAX, Options, VALUES_MAX};
use std::collections::HashMap;

impl Import {
    /// Adds another file of the same tool. The repetitions of equal benchmarks (name, variant and measure) are appended. Of
    /// summaries, whose samples are unknown, only the first is kept: the other file's are skipped. The first value of a fact
    /// wins. After the last file, [`Import::fold`] limits the repetitions.
    ///
    /// # Errors
    /// The files are of different tools or of different `GOMAXPROCS`, or have more benchmarks or values together than one file may have.
    pub fn join(&mut self, other: Self) -> Result<(), Error> {
        let Self { format, benchmarks, facts, warnings, skipped } = other;
        if format != self.format {
            return Err(Error::Mixed { formats: [self.format, format] });
        }
        // The number is not a part of the names, so benchmarks of different numbers would join.
        if let (Some(one), Some(more)) = (self.facts.get(GOMAXPROCS), facts.get(GOMAXPROCS))
            && one != more
        {
            return Err(Error::Processors { numbers: [one.clone(), more.clone()] });
        }
        let known: HashMap<_, usize> =
            self.benchmarks.iter().zip(0..).map(|(one, at)| (key(one), at)).collect();
        let places: Vec<Option<usize>> = benchmarks.iter().map(|one| known.get(&key(one)).copied()).collect();
        drop(known);
        let mut repeated = 0;
        for (benchmark, place) in benchmarks.into_iter().zip(places) {
            let Some(place) = place else {
                self.benchmarks.push(benchmark);
                continue;
            };
            match (&mut self.benchmarks[place].data, benchmark.data) {
                (Data::Repetitions(repetitions), Data::Repetitions(more)) => repetitions.append(more),
                _ => repeated += 1,
            }
        }
        for (name, value) in facts {
            if self.facts.len() < FACTS_MAX {
                self.facts.entry(name).or_insert(value);
            }
        }
        self.warnings.extend(warnings);
        if repeated > 0 {
            self.warnings.push(format!(
                "skipped {repeated} summaries, because an earlier file has the same benchmarks. Only samples are joined."
            ));
        }
        self.limit_warnings();
        self.skipped += skipped + repeated;
        self.check_limits()
    }

    /// Folds repetitions beyond the limit of a report.
    ///
    /// # Errors
    /// The repetitions of a benchmark have too many values to fold them.
    pub fn fold(&mut self) -> Result<(), Error> {
        let folded = collect::fold(&mut self.benchmarks).map_err(|problem| {
            let (format, place) = (self.format, Place::default());
            Error::Invalid { format, place, problem }
        })?;
        self.warnings.extend(folded);
        self.limit_warnings();
        Ok(())
    }

    fn limit_warnings(&mut self) {
        let more = self.warnings.len().saturating_sub(WARNINGS_MAX);
        if more > 0 {
            self.warnings.truncate(WARNINGS_MAX);
            self.warnings.push(format!("and {more} more warnings"));
        }
    }

    fn check_limits(&self) -> Result<(), Error> {
        let repetitions = || {
            self.benchmarks.iter().filter_map(|benchmark| match &benchmark.data {
                Data::Repetitions(repetitions) => Some(repetitions),
                Data::Summary(_) => None,
            })
        };
        let values: usize = repetitions().map(|repetitions| repetitions.value_count()).sum();
        let histograms: usize = repetitions().map(|repetitions| repetitions.histogram_count()).sum();
        for (what, count, max) in [
            ("benchmarks", self.benchmarks.len(), BENCHMARKS_MAX),
            ("values", values, VALUES_MAX),
            ("histograms", histograms, HISTOGRAMS_MAX),
        ] {
            if count > max {
                return Err(Error::TooMany { what, count, max });
            }
        }
        Ok(())
    }
}

/// Two benchmarks with the same key are the same.
fn key(benchmark: &Benchmark) -> impl Eq + std::hash::Hash + '_ {
    let Benchmark { name, variant, measure, operations, .. } = benchmark;
    (name, variant, measure, operations)
}

/// Reads all files, and joins them.
pub(crate) fn import_all(
    files: &[File<'_>],
    format: Option<Format>,
    options: &Options,
) -> Result<Import, Error> {
    let read = |file: &File<'_>| {
        crate::import_file(file.bytes, format, options)
            .map_err(|error| Error::InFile { name: file.name.clone(), error: Box::new(error) })
    };
    let (first, rest) = files.split_first().ok_or(Error::NotRecognised)?;
    let mut import = read(first)?;
    for file in rest {
        import.join(read(file)?)?;
    }
    import.fold()?;
    Ok(import)
}
