//! Imports result files of other benchmark tools as benchmarks with their times. No I/O, no clock, no
//! environment. The input is not trusted.
//!
//! # Codemap
//! - [`format`](mod@format): the list of formats, one file each, and their interface.
//! - [`model`]: the contents of a file, in one form for all formats. `fault`: errors with their place.
//! - [`wire`]: the contents as results of a run.
//! - [`archive`]: several files of one run. `join`: joins their contents.
//! - [`sizes`]: histograms of message sizes, with their own formats and errors.
//! - `collect`: joins the repetitions of a benchmark and enforces the limits.
//! - `hdr`: histograms of logs. `format_probe`: detects the format from an outline of the file.
//! - `json`: JSON with the place of errors. `time`: units, rates, rounding. `quantity`: measures other than times.
//!
//! # Rules
//! **Memory below 20 times the file.** A list is read one element at a time, values are kept as numbers, and results
//! for the wire are created one at a time: a repetition on the wire takes a hundred times its value.
//! `tests/memory.rs` measures it for each format.
//!
//! **Nothing is dropped silently.** A rate, in operations per second, becomes the time of an operation, without loss.
//! Other quantities become measures of their own ([`Benchmark::measure`]). If the tool states no direction, more is better
//! of rates, less of everything else. Warnings name everything that is skipped, and [`Import::skipped`] counts it.
//! Settings of a run, such as iterations, are not results.
//!
//! **No invented samples.** A [`Distribution`](roundtrip_stats::Distribution) holds the values that the file
//! lists. If a file has only a mean, a median or bins, it becomes a [`Summary`].
//!
//! **Whole nanoseconds.** Tools that average over many iterations state fractions of nanoseconds. Their
//! values become the time of 1,000 operations ([`Benchmark::operations`]): 12.34 ns per operation is 12,340
//! ns. The format alone decides, so a series never changes its scale. Rounding is done once, half away from
//! zero.
//!
//! **A name depends only on its own entry**, so a series continues when other benchmarks are added or
//! removed. There are three exceptions. Different entries with the same name are never merged: parameters distinguish
//! them, otherwise their position in the file (`name #2`). A suffix that all names of a Go file share is the number of
//! processors, and not part of them. Names are shown on one line, and a name of more than [`NAME_CHARS_MAX`] characters
//! ends with a digest of the whole.
//!
//! **At most 1,000 repetitions**, as a report holds
//! ([`REPETITIONS_MAX`](roundtrip_wire::report::limit::REPETITIONS_MAX)). If a benchmark has more, consecutive ones form blocks
//! of equal size, each a repetition; what is left over joins the last block. The size is the smallest odd number that
//! leaves at most 1,000 blocks. Odd, because the nearest-rank median of an even block is below the median of its
//! values, which would look like a change compared with a file that was not folded. A warning states the size.
//! A file whose blocks would have more than 10,000 values, or histograms, is rejected.
//!
//! **No guessed units.** A format that does not state the unit of its times needs [`Options::unit`].
//!
//! ```
//! let file = br#"{"results": [{"command": "echo", "times": [0.0012, 0.0013]}]}"#;
//! let import = roundtrip_import::import(file, None, &Default::default()).unwrap();
//! assert_eq!(import.format.slug(), "hyperfine");
//! let roundtrip_import::Data::Repetitions(repetitions) = &import.benchmarks[0].data else { panic!() };
//! assert_eq!(repetitions.iter().next().unwrap().min_ns(), 1_200_000);
//! ```

pub mod archive;
mod collect;
mod fault;
pub mod format;
mod format_probe;
mod hdr;
mod join;
mod json;
pub mod model;
mod quantity;
pub mod sizes;
mod time;
pub mod wire;

pub use fault::Place;
pub use format::{Error, Format, Import};
pub use model::{Benchmark, Data, Repetitions, Statistic, Summary};
pub use roundtrip_wire::import::TimeUnit;

/// The largest accepted file, in bytes.
pub const INPUT_BYTES_MAX: usize = 64 << 20;
/// The most benchmarks a file may hold.
pub const BENCHMARKS_MAX: usize = 300_000;
/// The most values a file may hold.
pub const VALUES_MAX: usize = 3_000_000;
/// The longest name of a benchmark, in characters.
pub const NAME_CHARS_MAX: usize = roundtrip_wire::report::BENCHMARK_CHARACTERS_MAX;

/// Facts that some files do not state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The unit of its times. Formats that state it ignore this, with a warning.
    pub unit: Option<TimeUnit>,
}

/// Reads a result file in the given format, or in the format detected from its content. An [`archive`] is read as all its
/// files together.
///
/// # Errors
/// [`Error`]: no format or several match, or the file does not conform to the format.
pub fn import(bytes: &[u8], format: Option<Format>, options: &Options) -> Result<Import, Error> {
    match archive::files(bytes)? {
        Some(files) => join::import_all(&files, format, options),
        None => import_file(bytes, format, options),
    }
}

fn import_file(bytes: &[u8], format: Option<Format>, options: &Options) -> Result<Import, Error> {
    let text = format::decode_results(bytes)?;
    let format = match format {
        Some(format) => format,
        None => Format::detect_text(&text)?,
    };
    format.read(&text, options)
}
