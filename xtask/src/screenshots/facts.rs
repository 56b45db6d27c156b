//! Where and when the results in the screenshots were measured, according to the server.

use super::history::PROJECT;
use crate::{http, workspace};
use anyhow::{Context, Result, bail};
use fs_err as fs;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The page, and the markers around the facts.
const PAGE: &str = "docs/reference/pages.md";
const BEGIN: &str = "<!-- Begin: written by `cargo xtask screenshots`. -->";
const END: &str = "<!-- End. -->";
/// The systems that agents exist for.
const SYSTEMS: [(&str, &str); 4] =
    [("linux", "Linux"), ("macos", "macOS"), ("windows", "Windows"), ("freebsd", "FreeBSD")];

/// Sentences about the machines and times of the measurements, and the commits of Roundtrip that made them.
pub(super) fn read(url: &str, suites: &BTreeSet<String>) -> Result<String> {
    let get = |path: &str| http::json(&format!("{url}/api/v1/projects/{PROJECT}{path}"));
    sentences(&get("")?, &get("/machines")?["machines"][0], &get("/runs?limit=500")?["runs"], suites)
}

fn sentences(project: &Value, machine: &Value, runs: &Value, suites: &BTreeSet<String>) -> Result<String> {
    let runs = runs.as_array().context("the server lists no runs")?;
    let texts = |pointer: &str| -> BTreeSet<&str> {
        runs.iter().filter_map(|run| run.pointer(pointer)?.as_str()).collect()
    };
    let (begun, ended, commits) = (texts("/started_at"), texts("/finished_at"), texts("/commit/sha"));
    let (Some(first), Some(last)) = (begun.first(), ended.last()) else {
        bail!("the server has no run of {PROJECT}")
    };
    let minute = |time: &str| time.get(..16).unwrap_or("unknown").replace('T', " ");
    let suites: Vec<String> = suites.iter().map(|suite| format!("`{suite}`")).collect();
    let (own, others): (Vec<_>, Vec<_>) =
        SYSTEMS.iter().partition(|(system, _)| machine["os"] == json!(system));
    let others: Vec<&str> = others.into_iter().map(|(_, name)| name).collect();
    let of_machine = |key: &str| machine[key].as_str().unwrap_or("unknown");
    let stable = |key: &str| machine["environment"]["stable"][key].as_str().unwrap_or("unknown");
    Ok(format!(
        "Measured from {} to {} UTC by Roundtrip at {}: {} runs of {} commits, {} series. Machine: `{}`, {}; {}, {}, {} GiB \
         of memory, {} {} on {}, {}. Not measured: {}.\n",
        minute(first),
        minute(last),
        suites.join(" and "),
        runs.len(),
        commits.len(),
        project["series_count"],
        of_machine("machine"),
        if stable("machine.hypervisor") == "yes" {
            "virtual, so its host affects the results"
        } else {
            "physical"
        },
        stable("cpu.model"),
        stable("cpu.topology"),
        stable("memory.total_gib"),
        own.first().map_or("unknown", |(_, name)| name),
        stable("os.kernel"),
        of_machine("arch"),
        stable("os.distribution"),
        others.join(", "),
    ))
}

pub(super) fn write(facts: &str) -> Result<()> {
    Ok(fs::write(workspace::root().join(PAGE), replaced(&workspace::read(PAGE)?, facts)?)?)
}

/// Replaces the text between the markers.
fn replaced(page: &str, text: &str) -> Result<String> {
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.with_context(|| format!("{PAGE} has no lines {BEGIN} and {END}"))?;
    Ok(format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_facts_as_sentences() {
        let run =
            |sha: &str, at: &str| json!({ "started_at": at, "finished_at": at, "commit": { "sha": sha } });
        let runs = json!([
            run("b2", "2026-11-25T03:10:59Z"),
            run("a1", "2026-11-25T02:59:00Z"),
            run("a1", "2026-11-25T03:00:00Z")
        ]);
        let stable = json!({
            "machine.hypervisor": "yes", "cpu.model": "CPU", "cpu.topology": "2 cores", "memory.total_gib": "24",
            "os.kernel": "6.1", "os.distribution": "Debian"
        });
        let machine =
            json!({ "machine": "lab", "os": "linux", "arch": "x86-64", "environment": { "stable": stable } });
        let suites = ["c3".to_owned()].into();
        assert_eq!(
            sentences(&json!({ "series_count": 7 }), &machine, &runs, &suites).unwrap(),
            "Measured from 2026-11-25 02:59 to 2026-11-25 03:10 UTC by Roundtrip at `c3`: 3 runs of 2 commits, 7 series. \
             Machine: `lab`, virtual, so its host affects the results; CPU, 2 cores, 24 GiB of memory, Linux 6.1 on \
             x86-64, Debian. Not measured: macOS, Windows, FreeBSD.\n"
        );
        assert!(sentences(&json!({}), &machine, &json!([]), &suites).is_err());
    }

    #[test]
    fn keeps_the_text_around_the_facts() {
        let page = format!("# Title\n\n{BEGIN}\n\nOld.\n\n{END}\n\nRest.\n");
        let new = replaced(&page, "New.\n").unwrap();
        assert_eq!(new, format!("# Title\n\n{BEGIN}\n\nNew.\n\n{END}\n\nRest.\n"));
        assert_eq!(replaced(&new, "New.\n").unwrap(), new);
        assert!(replaced("# Title\n", "New.").is_err());
        assert!(replaced(&workspace::read(PAGE).unwrap(), "Facts.").is_ok(), "the page has a place for them");
    }
}
