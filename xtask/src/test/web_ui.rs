//! The web side: install, build, how much scripts a page begins with, lint, types, unit tests.

use crate::counts::Counts;
use crate::screen::Step;
use crate::tally::Outcome;
use crate::web::{self, SCRIPTS_KIB_MAX};
use anyhow::{Context, Result, ensure};
use flate2::{Compression, write::GzEncoder};
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

/// Every page begins with the scripts that `index.html` names, before it can show anything. `bench web` measures what each
/// fetches beside them; this takes no browser.
pub(super) fn scripts_are_few() -> Result<Outcome> {
    let dist = web::folder().join("dist");
    let path = dist.join("index.html");
    let html = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let scripts: Vec<(String, u64)> = named_scripts(&html)
        .map(|script| Ok((script.to_owned(), compressed_bytes(&dist.join(script.trim_start_matches('/')))?)))
        .collect::<Result<_>>()?;
    ensure!(!scripts.is_empty(), "{} names no script", path.display());
    let bytes: u64 = scripts.iter().map(|(_, bytes)| bytes).sum();
    let listed: Vec<String> =
        scripts.iter().map(|(script, bytes)| format!("  {} KiB  {script}", bytes.div_ceil(1_024))).collect();
    ensure!(
        bytes < u64::from(SCRIPTS_KIB_MAX) * 1_024,
        "every page begins with {} KiB of scripts, gzipped: expected less than {SCRIPTS_KIB_MAX} KiB. What only some pages \
         need belongs behind a lazy route of web/src/app/router.tsx.\n{}",
        bytes.div_ceil(1_024),
        listed.join("\n")
    );
    Ok(Outcome::Passed)
}

/// The scripts that a page loads at once: those of its tags and those that they import.
fn named_scripts(html: &str) -> impl Iterator<Item = &str> {
    let tags = html.split('<').filter(|tag| {
        tag.starts_with("script ") || (tag.starts_with("link ") && tag.contains("rel=\"modulepreload\""))
    });
    tags.filter_map(|tag| {
        let (_, rest) = tag.split_once(" src=\"").or_else(|| tag.split_once(" href=\""))?;
        rest.split_once('"').map(|(path, _)| path)
    })
}

fn compressed_bytes(path: &Path) -> Result<u64> {
    let script = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(&script)
        .and_then(|()| encoder.finish())
        .map(|bytes| bytes.len() as u64)
        .context("cannot compress")
}

pub(super) fn lint(step: &Step) -> Result<Outcome> {
    let finished = web::npm(&["run", "lint"])?.run(step)?;
    finished.successful().context("`cargo xtask fmt` repairs what is only form")?;
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
    let report = std::fs::read_to_string(&report).unwrap_or_default();
    let counts = Counts::of_vitest(&report, finished.status.success()).context(finished.log.clone())?;
    Ok(Outcome::Counted(counts, finished.log))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_those_of_tags_and_those_that_they_import() {
        let html = r#"<head><link rel="icon" href="/mark.svg"><script type="module" crossorigin src="/assets/index-1.js"></script>
            <link rel="modulepreload" crossorigin href="/assets/shared-2.js"><link rel="stylesheet" href="/assets/index-3.css">"#;
        assert_eq!(named_scripts(html).collect::<Vec<_>>(), ["/assets/index-1.js", "/assets/shared-2.js"]);
    }
}
