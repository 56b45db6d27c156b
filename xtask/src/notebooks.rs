//! `notebooks`: exports the points of a temporary server, reads them with the Python client, and compares all values.

use crate::fixture::Repository;
use crate::programs::{self, Built, Profile};
use crate::screen::Step;
use crate::tally::{self, Outcome};
use crate::tool::Tool;
use crate::{python, server, workspace};
use anyhow::{Result, ensure};
use fs_err as fs;
use std::process::ExitCode;

/// What builds the client, and what the client and its test import.
const PACKAGES: [&str; 5] = [
    "hatchling==1.33.0",
    "openapi-python-client==0.29.1",
    "httpx==0.28.1",
    "pandas==3.1.1",
    "pyarrow==26.0.1",
];
/// How many of them build the client. `pyproject.toml` names the same versions for users.
const BUILDERS: usize = 2;
const CLIENT: &str = "server/packaging/python";
/// More series than a request for points may have, with more points than a request for all of them may have.
const SEED: [&str; 7] = ["seed", "--machines", "2", "--series", "210", "--commits", "120"];
/// Values of another tool, with quantiles and units.
const IMPORTED: &str = "crates/import/tests/golden/k6-summary/compact.json";

pub(crate) fn notebooks() -> Result<ExitCode> {
    let build = |step: &Step| programs::build(step, &programs::BOTH, Profile::Dev);
    tally::verb(|tally| tally.step("notebooks", |step| run(&build(step)?, step)))
}

/// Runs the client's test against a server with synthetic and imported history.
pub(crate) fn run(built: &Built, step: &Step) -> Result<Outcome> {
    let Some(tools) = python::tools(&PACKAGES, step)? else {
        return Ok(Outcome::Skipped("not run: python3 is missing, which runs the client".into()));
    };
    let python = python::program(&tools, "python");
    let (program, agent) =
        (built.program(programs::SERVER)?, built.program(programs::program_of(programs::AGENT))?);
    let folder = server::test_folder()?;
    let client = folder.path().join("client");
    let install =
        "-m pip install --disable-pip-version-check --no-build-isolation --no-deps --no-index --target";
    let package = workspace::root().join(CLIENT);
    let settings = fs::read_to_string(package.join("pyproject.toml"))?;
    for builder in &PACKAGES[..BUILDERS] {
        ensure!(settings.contains(builder), "pyproject.toml of the client does not name {builder}");
    }
    Tool::at(&python).words(install).arguments([&client, &package]).succeed(step)?;

    let data_folder = folder.path().join("data");
    let serve = ["serve", "--port", "0", "--requests-per-minute", "1000000"];
    let server = server::start_alone(&program, &serve, &data_folder, step)?;
    let address = server.address()?;
    server::verb(&program, &data_folder, &SEED).arguments(["--histograms", "0"]).succeed(step)?;
    let repository = Repository::init(&folder.path().join("imported"))?;
    repository.commit("Begin", &[("README.md", "# Echo\n")])?;
    let import = Tool::at(&agent).words("import --machine lab-1 --project imported --upload");
    let import = import.arguments([&address, "--token-file"]).arguments([data_folder.join("agent.token")]);
    import.arguments([workspace::root().join(IMPORTED)]).folder(&repository.root).succeed(step)?;

    let mut arguments =
        vec![package.join("tests/test_dataframe.py").into_os_string(), address.clone().into()];
    for project in ["seeded", "imported"] {
        let file = folder.path().join(format!("{project}.parquet"));
        let export = Tool::at(&agent).words("export --server").arguments([&address]);
        export.words(&format!("--project {project} --output")).arguments([&file]).succeed(step)?;
        arguments.extend([project.into(), file.into_os_string()]);
    }
    let test = Tool::at(&python).words("-B").arguments(arguments).variable("PYTHONPATH", &client);
    test.succeed(step)?;
    server.stop()?;
    Ok(Outcome::Passed)
}
