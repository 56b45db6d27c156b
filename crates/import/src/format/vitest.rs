//! Vitest, `vitest bench --outputJson`.
//!
//! The statistics of a benchmark, in milliseconds, are a summary: Vitest empties the list of samples. If a file lists
//! samples, they are one repetition. A name begins with the file and the groups of its benchmark.

use super::Reader;
use super::tinybench::Statistics;
use crate::collect::{Collector, Entry};
use crate::fault::Fault;
use crate::json::{self, List, visited};
use crate::{BENCHMARKS_MAX, VALUES_MAX};
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess};

pub(super) const READER: Reader = Reader {
    slug: "vitest",
    title: "Vitest bench (JSON)",
    detect: |probe| {
        let first = probe.outline().get("files").and_then(|files| files.elements().first());
        first.is_some_and(|first| first.has("filepath") && first.has("groups"))
    },
    read,
};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct File {
    groups: List<Group, BENCHMARKS_MAX>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct Group {
    full_name: String,
    benchmarks: List<Benchmark, BENCHMARKS_MAX>,
}

/// A benchmark. Vitest runs tinybench, and adds members to its results.
#[derive(Default)]
struct Benchmark {
    name: String,
    statistics: Statistics,
}

visited! { Benchmark, "an object", deserialize_map,
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Benchmark, A::Error> {
        let mut benchmark = Benchmark::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "name" => benchmark.name = map.next_value()?,
                name => benchmark.statistics.read_member(name, &mut map)?,
            }
        }
        Ok(benchmark)
    }
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let (IgnoredAny, files) = json::object_with_list::<_, File, VALUES_MAX>(text, "files")?;
    files.each(|file, File { groups }| {
        for (group_index, group) in groups.0.into_iter().enumerate() {
            for (index, Benchmark { name, statistics }) in group.benchmarks.0.into_iter().enumerate() {
                let path = format!("files[{file}].groups[{group_index}].benchmarks[{index}]");
                let entry = Entry::new(format!("{} > {name}", group.full_name), 1_000);
                let entry = collector.distinct(&entry);
                if !statistics.add(&entry, &path, collector)? {
                    collector.skip(format!("{}: skipped, no times: it failed or did not run", entry.name));
                }
            }
        }
        Ok(())
    })
}
