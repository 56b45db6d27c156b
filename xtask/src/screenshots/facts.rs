//! [`Facts`]: where and when the results in the pictures were measured, as the server has it.

use super::history::PROJECT;
use crate::{http, workspace};
use anyhow::{Context, Result, bail};
use fs_err as fs;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

/// The page of the docs, and the lines between which the facts are.
const PAGE: &str = "docs/reference/pages.md";
const BEGIN: &str = "<!-- What follows is written by `cargo xtask screenshots`. -->";
const END: &str = "<!-- Until here. -->";
/// The systems that agents exist for.
const SYSTEMS: [(&str, &str); 4] =
    [("linux", "Linux"), ("macos", "macOS"), ("windows", "Windows"), ("freebsd", "FreeBSD")];

pub(super) struct Facts(Value);

impl Facts {
    pub(super) fn read(url: &str, suites: BTreeSet<String>) -> Result<Self> {
        let get = |path: &str| http::json(&format!("{url}/api/v1/projects/{PROJECT}{path}"));
        Self::gather(&get("")?, &get("/machines")?, &get("/runs?limit=500")?, suites)
    }

    fn gather(project: &Value, machines: &Value, runs: &Value, suites: BTreeSet<String>) -> Result<Self> {
        let machine = &machines["machines"][0];
        let runs = runs["runs"].as_array().context("the server lists no runs")?;
        let texts = |pointer: &str| -> BTreeSet<&str> {
            runs.iter().filter_map(|run| run.pointer(pointer)?.as_str()).collect()
        };
        let (begun, ended, commits) = (texts("/started_at"), texts("/finished_at"), texts("/commit/sha"));
        let (Some(first), Some(last)) = (begun.first(), ended.last()) else {
            bail!("the server has no run of {PROJECT}")
        };
        let stable = &machine["environment"]["stable"];
        Ok(Self(json!({
            "begun_at": first,
            "ended_at": last,
            "measured_by": suites,
            "runs": runs.len(),
            "commits": commits.len(),
            "series": project["series_count"],
            "machine": machine["machine"],
            "system": machine["os"],
            "architecture": machine["arch"],
            "is_virtual": stable["machine.hypervisor"] == "yes",
            "processor": stable["cpu.model"],
            "topology": stable["cpu.topology"],
            "memory_gib": stable["memory.total_gib"],
            "kernel": stable["os.kernel"],
            "distribution": stable["os.distribution"],
        })))
    }

    /// Writes them into the folder of the pictures, and into the page.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        fs::write(folder.join("measured.json"), format!("{:#}\n", self.0))?;
        let page = replaced(&workspace::read(PAGE)?, &self.to_string())?;
        Ok(fs::write(workspace::root().join(PAGE), page)?)
    }

    fn text(&self, key: &str) -> &str {
        self.0[key].as_str().unwrap_or("unknown")
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minute = |key| self.text(key).get(..16).unwrap_or("unknown").replace('T', " ");
        let suites = self.0["measured_by"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let suites: Vec<String> = suites.map(|suite| format!("`{suite}`")).collect();
        let (own, others): (Vec<_>, Vec<_>) =
            SYSTEMS.iter().partition(|(system, _)| *system == self.text("system"));
        let others: Vec<&str> = others.into_iter().map(|(_, name)| name).collect();
        writeln!(
            formatter,
            "Measured from {} to {} UTC by Roundtrip at {}: {} runs of {} commits, {} series. The machine, `{}`, {}: {}, {}, \
             {} GiB of memory, {} {} on {}, {}. Nothing was measured on {}.",
            minute("begun_at"),
            minute("ended_at"),
            suites.join(" and "),
            self.0["runs"],
            self.0["commits"],
            self.0["series"],
            self.text("machine"),
            if self.0["is_virtual"] == true {
                "is a virtual one, whose figures also move with what its host does besides"
            } else {
                "is no virtual one"
            },
            self.text("processor"),
            self.text("topology"),
            self.text("memory_gib"),
            own.first().map_or("unknown", |(_, name)| name),
            self.text("kernel"),
            self.text("architecture"),
            self.text("distribution"),
            others.join(", "),
        )
    }
}

/// The page with other text between the two lines.
fn replaced(page: &str, text: &str) -> Result<String> {
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.with_context(|| format!("{PAGE} has no lines {BEGIN} and {END}"))?;
    Ok(format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_facts_are_written_in_sentences() {
        let run =
            |sha: &str, at: &str| json!({ "started_at": at, "finished_at": at, "commit": { "sha": sha } });
        let runs = json!({ "runs": [run("b2", "2026-11-25T03:10:59Z"), run("a1", "2026-11-25T02:59:00Z"), run("a1", "2026-11-25T03:00:00Z")] });
        let stable = json!({
            "machine.hypervisor": "yes", "cpu.model": "CPU", "cpu.topology": "2 cores", "memory.total_gib": "24",
            "os.kernel": "6.1", "os.distribution": "Debian"
        });
        let machine =
            json!({ "machine": "lab", "os": "linux", "arch": "x86-64", "environment": { "stable": stable } });
        let facts = Facts::gather(
            &json!({ "series_count": 7 }),
            &json!({ "machines": [machine] }),
            &runs,
            ["c3".to_owned()].into(),
        );
        assert_eq!(
            facts.unwrap().to_string(),
            "Measured from 2026-11-25 02:59 to 2026-11-25 03:10 UTC by Roundtrip at `c3`: 3 runs of 2 commits, 7 series. The \
             machine, `lab`, is a virtual one, whose figures also move with what its host does besides: CPU, 2 cores, 24 GiB \
             of memory, Linux 6.1 on x86-64, Debian. Nothing was measured on macOS, Windows, FreeBSD.\n"
        );
        let nothing = Facts::gather(&json!({}), &json!({}), &json!({ "runs": [] }), BTreeSet::new());
        assert!(nothing.is_err());
    }

    #[test]
    fn the_page_keeps_what_is_around_the_facts() {
        let page = format!("# Title\n\n{BEGIN}\n\nOld.\n\n{END}\n\nRest.\n");
        let new = replaced(&page, "New.\n").unwrap();
        assert_eq!(new, format!("# Title\n\n{BEGIN}\n\nNew.\n\n{END}\n\nRest.\n"));
        assert_eq!(replaced(&new, "New.\n").unwrap(), new);
        assert!(replaced("# Title\n", "New.").is_err());
        assert!(replaced(&workspace::read(PAGE).unwrap(), "Facts.").is_ok(), "the page has a place for them");
    }
}
