//! The web steps: install, build, size of the initial scripts, lint, types, unit tests, screenshots.

use crate::chromium;
use crate::screen::Step;
use crate::tally::Outcome;
use crate::web::{self, SCRIPTS_KIB_MAX};
use anyhow::{Context, Result, ensure};
use flate2::{Compression, write::GzEncoder};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

pub(super) fn install(step: &Step) -> Result<Outcome> {
    web::install(step)?;
    Ok(Outcome::Prepared)
}

pub(super) fn build(step: &Step) -> Result<Outcome> {
    web::build(step)?;
    Ok(Outcome::Passed)
}

/// The scripts that a page needs before it can show anything: common scripts, its own, and their imports.
/// Needs no browser; `bench web` measures the real transfer.
pub(super) fn scripts_are_small() -> Result<Outcome> {
    let dist = web::folder().join("dist");
    let path = dist.join(".vite/manifest.json");
    let manifest = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: Manifest = serde_json::from_slice(&manifest).context("the manifest of the build")?;
    for page in pages(&manifest) {
        let mut listed = Vec::new();
        let mut bytes = 0;
        for script in scripts_of(&manifest, &["index.html", page])? {
            let compressed = compressed_bytes(&dist.join(script))?;
            bytes += compressed;
            listed.push(format!("  {:>4} KiB  {script}", compressed.div_ceil(1_024)));
        }
        ensure!(
            bytes < u64::from(SCRIPTS_KIB_MAX) * 1_024,
            "{page} loads {} KiB of scripts (gzip): expected less than {SCRIPTS_KIB_MAX} KiB\n{}",
            bytes.div_ceil(1_024),
            listed.join("\n")
        );
    }
    Ok(Outcome::Passed)
}

/// Vite's manifest of the written scripts.
type Manifest = BTreeMap<String, Chunk>;

#[derive(serde::Deserialize)]
struct Chunk {
    file: String,
    #[serde(default)]
    imports: Vec<String>,
}

/// The modules of pages.
fn pages(manifest: &Manifest) -> impl Iterator<Item = &str> {
    let is_page = |name: &&str| name.starts_with("src/features/") && name.ends_with("Page.tsx");
    manifest.keys().map(String::as_str).filter(is_page)
}

/// The files of some modules and of all their imports.
fn scripts_of<'a>(manifest: &'a Manifest, modules: &[&'a str]) -> Result<BTreeSet<&'a str>> {
    let mut wanted = modules.to_vec();
    let mut seen = BTreeSet::new();
    let mut files = BTreeSet::new();
    while let Some(module) = wanted.pop() {
        if !seen.insert(module) {
            continue;
        }
        let chunk = manifest.get(module).with_context(|| format!("no {module} in the build"))?;
        files.insert(chunk.file.as_str());
        wanted.extend(chunk.imports.iter().map(String::as_str));
    }
    Ok(files)
}

fn compressed_bytes(path: &Path) -> Result<u64> {
    let script = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(&script)
        .and_then(|()| encoder.finish())
        .map(|bytes| bytes.len() as u64)
        .context("cannot compress")
}

pub(super) fn lint(step: &Step) -> Result<Outcome> {
    let finished = web::npm(&["run", "lint"])?.run(step)?;
    finished.successful().context("`cargo xtask fmt` fixes formatting")?;
    Ok(Outcome::Passed)
}

pub(super) fn types(step: &Step) -> Result<Outcome> {
    web::npm(&["run", "typecheck"])?.run(step)?.successful()?;
    Ok(Outcome::Passed)
}

pub(super) fn unit_tests(step: &Step) -> Result<Outcome> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let report = folder.path().join("vitest.json");
    let output_file = format!("--outputFile.json={}", report.display());
    let arguments = ["run", "test", "--", "--reporter=default", "--reporter=json", &output_file];
    let finished = web::npm(&arguments)?.run(step)?;
    Outcome::from_report(finished, &report)
}

/// Screenshots of pages with mock data, compared with the stored ones.
pub(super) fn screenshots_match(step: &Step) -> Result<Outcome> {
    if std::env::consts::OS != "linux" {
        return Ok(Outcome::Skipped("not run, because the stored screenshots use Linux fonts".into()));
    }
    let browser = chromium::find_or_install(step)?;
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let report = folder.path().join("playwright.json");
    let finished = web::npm(&["run", "visual", "--", "--reporter=line,json"])?
        .variable("PLAYWRIGHT_JSON_OUTPUT_FILE", &report)
        .variable(chromium::VARIABLE, browser)
        .run(step)?;
    Outcome::from_report(finished, &report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_common_and_own_scripts_of_a_page() {
        let manifest: Manifest = serde_json::from_str(
            r#"{"index.html": {"file": "index-1.js", "imports": ["_shared.js"], "dynamicImports": ["src/features/a/APage.tsx"]},
                "_shared.js": {"file": "shared-2.js", "imports": ["index.html"]},
                "_chart.js": {"file": "chart-3.js", "imports": ["_shared.js"]},
                "_other.js": {"file": "other-4.js"},
                "src/app/parts.ts": {"file": "parts-5.js", "isDynamicEntry": true},
                "src/features/a/APage.tsx": {"file": "a-6.js", "imports": ["_chart.js"], "isDynamicEntry": true}}"#,
        )
        .unwrap();
        assert_eq!(pages(&manifest).collect::<Vec<_>>(), ["src/features/a/APage.tsx"]);
        let scripts = scripts_of(&manifest, &["index.html", "src/features/a/APage.tsx"]).unwrap();
        assert_eq!(
            scripts.into_iter().collect::<Vec<_>>(),
            ["a-6.js", "chart-3.js", "index-1.js", "shared-2.js"]
        );
        assert!(scripts_of(&manifest, &["src/features/b/BPage.tsx"]).is_err());
    }
}
