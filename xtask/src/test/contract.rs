//! Tests the API against its document: Schemathesis generates requests from the document and validates every
//! answer.

use super::{Context, Tier};
use crate::screen::Step;
use crate::server;
use crate::tally::Outcome;
use crate::tool::Tool;
use crate::{http, python};
use anyhow::Result;

const SCHEMATHESIS: &str = "schemathesis==4.32.5";
/// The seed is fixed. A server error or an answer that contradicts the document is a failure. An accepted
/// invalid request is not, because no document states every rule of a report.
const OPTIONS: [&str; 7] = [
    "--generation-deterministic",
    // Set below.
    "--generation-with-security-parameters=false",
    // The size of the document and the share of requests that find something are not failures.
    "--suppress-health-check=all",
    "--warnings=off",
    // Its threads disturb each other: "AST constructor recursion depth mismatch", in Python 3.11.
    "--workers=1",
    // A stream does not end.
    "--exclude-path=/api/v1/projects/{project}/events",
    "--checks=not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
     response_schema_conformance",
];

/// For each operation, requests that test each parameter separately.
const EACH_PARAMETER: [&str; 1] = ["--phases=examples,coverage"];
/// In the last tier, also ten random ones.
const RANDOM_TOO: [&str; 2] = ["--phases=examples,coverage,fuzzing", "--max-examples=10"];

/// Tests a temporary server with some history.
pub(super) fn conforms(context: &Context, step: &Step) -> Result<Outcome> {
    let Some(tools) = python::tools(&[SCHEMATHESIS], step)? else {
        return Ok(Outcome::Skipped("not run: python3 is missing, which installs Schemathesis".into()));
    };
    let schemathesis = python::program(&tools, "schemathesis");

    let program = context.tests()?.server()?;
    let folder = server::test_folder()?;
    let data_folder = folder.path().join("data");
    let serve = ["serve", "--port", "0", "--requests-per-minute", "1000000"];
    let server = server::start_alone(&program, &serve, &data_folder, step)?;
    let seed = ["seed", "--machines", "2", "--series", "20", "--commits", "20"];
    server::verb(&program, &data_folder, &seed).succeed(step)?;
    let document = format!("{}/api/v1/openapi.json", server.address()?);
    let test = |phases: &[&str], more: &[&str]| {
        let run = Tool::at(&schemathesis).arguments(["run", &document]).arguments(phases);
        run.arguments(OPTIONS).arguments(more).folder(folder.path()).succeed(step)
    };
    // Without a token, first. The handlers that it reaches are tested below as well.
    test(&EACH_PARAMETER, &[])?;
    let phases = if context.tier == Tier::All { &RANDOM_TOO[..] } else { &EACH_PARAMETER };
    // Then an administrator, and one who deletes things. They have separate tokens, because a round may
    // rotate its own.
    for (name, methods) in [("writer", "--exclude-method=DELETE"), ("remover", "--include-method=DELETE")] {
        let token = server::administrator(&program, &data_folder, name)?;
        let authorization = format!("Bearer {token}");
        // Failed sign-ins of the previous round must not affect this one.
        http::wait_until_accepted(&document, &authorization)?;
        test(phases, &[&format!("--header=authorization: {authorization}"), methods])?;
    }
    server.stop()?;
    Ok(Outcome::Passed)
}
