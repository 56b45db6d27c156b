//! `gen`: generates files from sources: the API document from the server's handlers, the web client's types
//! from it, the schema of `roundtrip.toml`, the references of both commands, the page of transports, the page
//! of promises.

use crate::programs::{self, Built, Profile};
use crate::{chaos, screen::Step, tool::Tool, web, workspace};
use anyhow::Result;
use fs_err as fs;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Files printed by programs, with the argument that prints them.
const PRINTED: [(&str, &str, &str); 5] = [
    (programs::SERVER, "openapi", API),
    ("roundtrip", "schema", "docs/reference/roundtrip.schema.json"),
    ("roundtrip", "reference", "docs/reference/roundtrip.md"),
    ("roundtrip", "transports", "docs/reference/transports.md"),
    (programs::SERVER, "reference", "docs/reference/roundtrip-server.md"),
];
const API: &str = "server/openapi.json";
const TYPES: &str = "web/src/api/schema.gen.ts";

pub(crate) fn generate() -> Result<ExitCode> {
    workspace::claim_target_folder()?;
    let built = Step::quietly("programs", |step| programs::build(step, &programs::BOTH, Profile::Dev))?;
    let step = Step::start("gen");
    web::install(&step)?;
    let files = generated(&built)?;
    files.iter().try_for_each(|(file, text)| fs::write(workspace::root().join(file), text))?;
    step.done(&files.into_keys().collect::<Vec<_>>().join(", "));
    Ok(ExitCode::SUCCESS)
}

/// The generated files that differ from their sources.
pub(crate) fn stale(built: &Built) -> Result<Vec<&'static str>> {
    let mut files = generated(built)?;
    files.retain(|file, text| workspace::read(file).ok().as_ref() != Some(text));
    Ok(files.into_keys().collect())
}

fn generated(built: &Built) -> Result<BTreeMap<&'static str, String>> {
    let mut files = BTreeMap::from([(chaos::PAGE, chaos::page()?)]);
    for (program, argument, file) in PRINTED {
        files.insert(file, Tool::at(&built.program(program)?).arguments([argument]).output()?);
    }
    let api = tempfile::NamedTempFile::with_suffix(".json")?;
    fs::write(&api, &files[API])?;
    let types = web::npm(&["exec", "--", "openapi-typescript"])?.arguments([api.path()]);
    let types = types.words("--root-types --root-types-no-schema-prefix").output()?;
    files.insert(TYPES, types);
    Ok(files)
}
