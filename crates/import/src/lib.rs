//! Reads what other benchmark tools write: the bytes of a result file become benchmarks with their times.
//! No I/O, no clock, no environment. The input is not trusted.
//!
//! # Codemap
//! - [`format`](mod@format): the list of formats, one file each; what every one must offer.
//! - [`model`]: what a file says, in one form for all formats. `fault`: what is wrong, where, and what was expected.
//! - [`wire`]: the same as results of a run.
//! - [`sizes`]: message sizes that somebody has counted; formats and errors of its own.
//! - `collect`: puts repetitions of one benchmark together and holds the bounds.
//! - `hdr`: histograms of logs. `format_probe`: the first look at a file by which its format is recognised.
//! - `json`: JSON with the place of what is wrong in it. `time`: units, rates, rounding.
//!
//! # What is imported
//! **A time, and nothing else.** Smaller is better. A rate, in operations a second, becomes the time of an
//! operation: one rate has one time, so nothing is lost. Bytes, allocations, counts and rates of bytes are left out,
//! and a warning names them.
//!
//! **No sample is invented.** A [`Distribution`](roundtrip_stats::Distribution) holds what the file lists. Where a
//! file has only a mean, a median or bins, that is what it becomes: a [`Summary`].
//!
//! **Whole nanoseconds.** Tools that state averages over many iterations state fractions of them. Their values are
//! the time of 1,000 operations ([`Benchmark::operations`]): 12.34 ns an operation is 12,340 ns. The number follows
//! from the format, so a series never changes its scale. Rounding is done once, half away from zero.
//!
//! **A name depends on its own entry alone**, so that a series goes on when other benchmarks come or go.
//!
//! ```
//! let file = br#"{"results": [{"command": "echo", "times": [0.0012, 0.0013]}]}"#;
//! let import = roundtrip_import::import(file, None).unwrap();
//! assert_eq!(import.format.slug(), "hyperfine");
//! let roundtrip_import::Data::Repetitions(repetitions) = &import.benchmarks[0].data else { panic!() };
//! assert_eq!(repetitions[0].min_ns(), 1_200_000);
//! ```

mod collect;
mod fault;
pub mod format;
mod format_probe;
mod hdr;
mod json;
pub mod model;
pub mod sizes;
mod time;
pub mod wire;

pub use fault::Place;
pub use format::{Error, Format, Import};
pub use model::{Benchmark, Data, Statistic, Summary};

/// The largest file that is read, in bytes.
pub const INPUT_BYTES_MAX: usize = 64 << 20;
/// The most benchmarks a file may hold.
pub const BENCHMARKS_MAX: usize = 10_000;
/// The most values a file may hold.
pub const VALUES_MAX: usize = 1_000_000;
/// The longest name of a benchmark, in characters.
pub const NAME_CHARS_MAX: usize = roundtrip_wire::report::BENCHMARK_CHARACTERS_MAX;

/// Reads a result file in the given format, or in the one that its content shows.
///
/// # Errors
/// [`Error`]: no format or several are recognised, or the file is not what its format asks for.
pub fn import(bytes: &[u8], format: Option<Format>) -> Result<Import, Error> {
    let text = format::text_of(bytes)?;
    let format = match format {
        Some(format) => format,
        None => Format::of_text(text)?,
    };
    format.read(text)
}
