//! Access to the golden files and their contents.

use roundtrip_import::{Benchmark, Data, Error, Format, Import, Options, TimeUnit};
use roundtrip_stats::Distribution;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A golden file. Its folder is the slug of its format.
pub(crate) struct Golden<F = Format> {
    pub(crate) format: F,
    /// As `format/name`.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn file_name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

/// The golden files of results, in alphabetical order.
pub(crate) fn golden() -> Vec<Golden> {
    golden_in("tests/golden")
}

pub(crate) fn golden_in<F: FromStr<Err: Debug>>(folder: &str) -> Vec<Golden<F>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut all = Vec::new();
    for of_format in entries(&folder).into_iter().filter(|path| path.is_dir()) {
        let slug = file_name(&of_format).to_owned();
        for path in entries(&of_format) {
            all.push(Golden {
                format: slug.parse().unwrap(),
                name: format!("{slug}/{}", file_name(&path)),
                bytes: std::fs::read(&path).unwrap(),
            });
        }
    }
    all
}

/// Imports a file. Logs do not state their unit: in these tests it is nanoseconds.
pub(crate) fn import(bytes: &[u8], format: Option<Format>) -> Result<Import, Error> {
    let detected = || Format::all().iter().copied().find(|format| format.detect(bytes));
    let is_log = format.or_else(detected).is_some_and(|format| format.slug() == "hdr-log");
    let options = Options { unit: is_log.then_some(TimeUnit::Nanoseconds) };
    roundtrip_import::import(bytes, format, &options)
}

/// Compares a text with the snapshot of this name in `snapshots/`.
pub(crate) fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

pub(crate) fn golden_text(name: &str) -> String {
    let golden = golden().into_iter().find(|golden| golden.name == name).unwrap();
    String::from_utf8(golden.bytes).unwrap()
}

pub(crate) fn import_golden(name: &str) -> Import {
    import(golden_text(name).as_bytes(), None).unwrap()
}

pub(crate) fn benchmark<'a>(import: &'a Import, name: &str) -> &'a Benchmark {
    import.benchmarks.iter().find(|benchmark| benchmark.name == name).unwrap()
}

pub(crate) fn repetitions(benchmark: &Benchmark) -> Vec<Distribution> {
    let Data::Repetitions(repetitions) = &benchmark.data else { panic!("{} has no samples", benchmark.name) };
    repetitions.iter().collect()
}

/// The samples of a distribution that keeps them, in ascending order.
pub(crate) fn samples(distribution: &Distribution) -> Vec<u64> {
    roundtrip_stats::samples::decode(&distribution.samples_text().unwrap(), 10_000).unwrap()
}
