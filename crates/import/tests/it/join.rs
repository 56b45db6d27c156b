//! Several files of one run: joined one by one, and as an archive.

use crate::fuzz;
use crate::support::{benchmark, golden_text, repetitions, samples};
use roundtrip_import::{BENCHMARKS_MAX, Data, Error, Import, Options, archive, import};

fn go(names: &[&str], ns: f64) -> String {
    names.iter().map(|name| format!("Benchmark{name} 1000 {ns} ns/op 16 B/op\n")).collect()
}

fn read(text: &str) -> Import {
    import(text.as_bytes(), None, &Options::default()).unwrap()
}

fn values(import: &Import, name: &str) -> Vec<u64> {
    let found = import.benchmarks.iter().find(|one| one.name == name && one.measure.is_none()).unwrap();
    repetitions(found).iter().flat_map(samples).collect()
}

#[test]
fn appends_repetitions_of_equal_benchmarks() {
    let mut joined = read(&go(&["Pipe", "Fifo"], 5.0));
    joined.join(read(&go(&["Fifo", "Pipe", "Socket"], 7.0))).unwrap();
    let names: Vec<_> =
        joined.benchmarks.iter().map(|one| (one.name.as_str(), one.measure.is_some())).collect();
    let [pipe, fifo, socket] = ["BenchmarkPipe", "BenchmarkFifo", "BenchmarkSocket"];
    assert_eq!(
        names,
        [(pipe, false), (pipe, true), (fifo, false), (fifo, true), (socket, false), (socket, true)]
    );
    assert_eq!(values(&joined, pipe), [5_000, 7_000]);
    assert_eq!(values(&joined, socket), [7_000]);
}

#[test]
fn criterion_processes_become_repetitions() {
    let text = golden_text("criterion/messages.ndjson");
    let mut joined = read(&text);
    joined.join(read(&text)).unwrap();
    joined.join(read(&text)).unwrap();
    let one = repetitions(benchmark(&joined, "add"));
    assert_eq!((one.len(), one[0].count(), one[2].count()), (3, 100, 100));
}

#[test]
fn folds_repetitions_of_all_files_beyond_the_limit_of_a_report() {
    let many = "BenchmarkPipe 1000 5 ns/op\n".repeat(600);
    let bytes = archived(&[("a.txt", &many), ("b.txt", &many)]);
    let import = import(&bytes, None, &Options::default()).unwrap();
    assert_eq!(repetitions(&import.benchmarks[0]).len(), 400);
    assert_eq!(import.warnings, ["BenchmarkPipe: 1200 runs, stored as 400 repetitions of 3"]);
}

#[test]
fn keeps_the_first_of_equal_summaries_and_counts_the_rest_as_skipped() {
    let text = golden_text("k6/summary-export.json");
    let (mut joined, before) = (read(&text), read(&text));
    joined.join(read(&text)).unwrap();
    assert_eq!(joined.benchmarks.len(), before.benchmarks.len());
    assert_eq!(joined.skipped, 2 * before.skipped + before.benchmarks.len() as u64);
    assert!(joined.warnings.iter().any(|warning| warning.contains("summaries, because an earlier file")));
    for (one, first) in joined.benchmarks.iter().zip(&before.benchmarks) {
        let (Data::Summary(one), Data::Summary(first)) = (&one.data, &first.data) else { panic!() };
        assert_eq!(one, first);
    }
}

#[test]
fn rejects_files_of_different_tools() {
    let error = read(&go(&["Pipe"], 5.0)).join(read(&golden_text("hyperfine/parameters.json"))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected files of one tool, found go and hyperfine. Import the files of each tool separately."
    );
}

#[test]
fn rejects_go_files_of_different_numbers_of_processors() {
    let of = |processors: u32| read(&format!("BenchmarkPipe-{processors} 1000 5 ns/op\n"));
    let mut joined = of(4);
    joined.join(of(4)).unwrap();
    assert_eq!(
        joined.join(of(8)).unwrap_err().to_string(),
        "expected files with one GOMAXPROCS, found 4 and 8. Import them separately."
    );
}

#[test]
fn limits_the_files_of_an_archive() {
    let expected = "expected at most 1000 files. Import fewer at a time.";
    let go = go(&["Pipe"], 5.0);
    let error = archive::create((0..1_001).map(|_| ("a.txt", go.as_bytes()))).unwrap_err();
    assert_eq!(error.to_string(), expected);
    let mut builder = tar::Builder::new(Vec::new());
    for _ in 0..1_001 {
        let mut header = tar::Header::new_gnu();
        header.set_size(go.len() as u64);
        builder.append_data(&mut header, "a.txt", go.as_bytes()).unwrap();
    }
    let error = import(&builder.into_inner().unwrap(), None, &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), format!("tar archive: {expected}"));
    let bytes = archive::create((0..1_000).map(|_| ("a.txt", go.as_bytes()))).unwrap();
    assert_eq!(values(&import(&bytes, None, &Options::default()).unwrap(), "BenchmarkPipe").len(), 1_000);
}

#[test]
fn limits_the_benchmarks_of_all_files() {
    let many: String = (0..BENCHMARKS_MAX).map(|n| format!("BenchmarkA{n} 1000 5 ns/op\n")).collect();
    let mut joined = read(&many);
    let error = joined.join(read("BenchmarkB 1000 5 ns/op\n")).unwrap_err();
    let (count, max) = (BENCHMARKS_MAX + 1, BENCHMARKS_MAX);
    assert_eq!(error, Error::TooMany { what: "benchmarks", count, max });
}

fn archived(files: &[(&str, &str)]) -> Vec<u8> {
    archive::create(files.iter().map(|(name, text)| (*name, text.as_bytes()))).unwrap()
}

#[test]
fn reads_an_archive_as_all_its_files() {
    let (first, second) = (go(&["Pipe"], 5.0), go(&["Pipe"], 7.0));
    let long = format!("{}.txt", "long/".repeat(60));
    let bytes = archived(&[("a.txt", &first), (&long, &second)]);
    assert_eq!(bytes, archived(&[("a.txt", &first), (&long, &second)]), "the same files give the same bytes");
    let import = import(&bytes, None, &Options::default()).unwrap();
    assert_eq!((import.format.slug(), values(&import, "BenchmarkPipe")), ("go", vec![5_000, 7_000]));
}

#[test]
fn names_the_file_of_an_archive_that_is_invalid() {
    let bytes = archived(&[("a.txt", &go(&["Pipe"], 5.0)), ("b.txt", "hello")]);
    let error = import(&bytes, None, &Options::default()).unwrap_err().to_string();
    assert!(error.starts_with("b.txt: unknown format: expected results of one of"), "{error}");
    let empty = import(&archived(&[]), None, &Options::default()).unwrap_err();
    assert_eq!(empty, Error::NotRecognised, "two empty blocks are not an archive");
}

#[test]
fn rejects_links_and_sparse_files_in_archives() {
    for kind in [tar::EntryType::Symlink, tar::EntryType::GNUSparse] {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        header.set_path("a.txt").unwrap();
        header.set_cksum();
        builder.append(&header, &[][..]).unwrap();
        let error =
            import(&builder.into_inner().unwrap(), None, &Options::default()).unwrap_err().to_string();
        assert!(error.starts_with("tar archive: "), "{error}");
    }
}

#[test]
fn damaged_archives_never_panic() {
    let bytes = archived(&[("a.txt", &go(&["Pipe"], 5.0)), ("b.txt", &go(&["Pipe"], 7.0))]);
    for place in 0..bytes.len() {
        fuzz::check(&bytes[..place], None);
        for value in [0, b'7', 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] = value;
            fuzz::check(&damaged, None);
        }
    }
}
