//! Imports result files of other benchmark tools as benchmarks with their times. No I/O, no clock, no
//! environment. The input is not trusted.
//!
//! # Codemap
//! - [`format`](mod@format): the list of formats, one file each, and their interface.
//! - [`model`]: the contents of a file, in one form for all formats. `fault`: errors with their place.
//! - [`wire`]: the contents as results of a run.
//! - [`sizes`]: histograms of message sizes, with their own formats and errors.
//! - `collect`: joins the repetitions of a benchmark and enforces the limits.
//! - `hdr`: histograms of logs. `format_probe`: detects the format from an outline of the file.
//! - `unique_names`: keeps entries of the same name apart.
//! - `json`: JSON with the place of errors. `time`: units, rates, rounding. `quantity`: measures other than times.
//!
//! # Rules
//! **Memory below 20 times the file.** A list is read one element at a time, values are kept as numbers, and results
//! for the wire are created one at a time: a repetition on the wire takes a hundred times its value.
//! `tests/memory.rs` measures it for each format.
//!
//! **Nothing is dropped silently.** A rate, in operations per second, becomes the time of an operation, without loss.
//! Bytes, allocations, counts and byte rates become measures of their own ([`Benchmark::measure`]). Warnings name
//! everything that is skipped, and [`Import::skipped`] counts it.
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
//! removed.
//!
//! ```
//! let file = br#"{"results": [{"command": "echo", "times": [0.0012, 0.0013]}]}"#;
//! let import = roundtrip_import::import(file, None).unwrap();
//! assert_eq!(import.format.slug(), "hyperfine");
//! let roundtrip_import::Data::Repetitions(repetitions) = &import.benchmarks[0].data else { panic!() };
//! assert_eq!(repetitions.iter().next().unwrap().min_ns(), 1_200_000);
//! ```

mod collect;
mod fault;
pub mod format;
mod format_probe;
mod hdr;
mod json;
pub mod model;
mod quantity;
pub mod sizes;
mod time;
mod unique_names;
pub mod wire;

pub use fault::Place;
pub use format::{Error, Format, Import};
pub use model::{Benchmark, Data, Repetitions, Statistic, Summary};

/// The largest accepted file, in bytes.
pub const INPUT_BYTES_MAX: usize = 64 << 20;
/// The most benchmarks a file may hold.
pub const BENCHMARKS_MAX: usize = 10_000;
/// The most values a file may hold.
pub const VALUES_MAX: usize = 1_000_000;
/// The longest name of a benchmark, in characters.
pub const NAME_CHARS_MAX: usize = roundtrip_wire::report::BENCHMARK_CHARACTERS_MAX;

/// Reads a result file in the given format, or in the format detected from its content.
///
/// # Errors
/// [`Error`]: no format or several match, or the file does not conform to the format.
pub fn import(bytes: &[u8], format: Option<Format>) -> Result<Import, Error> {
    let text = format::decode_text(bytes)?;
    let format = match format {
        Some(format) => format,
        None => Format::detect_text(text)?,
    };
    format.read(text)
}
