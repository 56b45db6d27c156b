//! Builds the Rust programs with cargo, and shows the number of finished packages as a bar.

use crate::{screen::Step, tool::Tool, workspace};
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The version of all programs.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The server's package and program.
pub(crate) const SERVER: &str = "roundtrip-server";
/// The agent's package; its program is `roundtrip`.
pub(crate) const AGENT: &str = "roundtrip-agent";
/// The package of the simulated GitHub; its program is `github-fake`.
pub(crate) const GITHUB_FAKE: &str = "roundtrip-github-fake";
/// The smallest integration test program, in [`GITHUB_FAKE`].
const SMALLEST_TEST: &str = "strict";

/// The packages that `up` builds and starts, and that are released.
pub(crate) const BOTH: [&str; 2] = [AGENT, SERVER];

#[derive(Clone)]
pub(crate) struct Built {
    executables: Vec<(String, PathBuf)>,
    /// Whether anything was compiled.
    pub(crate) changed: bool,
}

impl Built {
    pub(crate) fn program(&self, name: &str) -> Result<PathBuf> {
        let found = self.executables.iter().find(|(built, _)| built == name);
        found.map(|(_, path)| path.clone()).with_context(|| format!("cargo built no program {name}"))
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Profile {
    /// Without optimisation, except for the code that measures.
    Dev,
    /// Like a release.
    Release,
}

pub(crate) fn build(step: &Step, packages: &[&str], profile: Profile) -> Result<Built> {
    step.message("reading the dependencies");
    step.expect(count(packages)?);
    let mut built = Built { executables: Vec::new(), changed: false };
    let mut done = BTreeSet::new();
    // Cargo unites the features of all selected packages, and those of their tests if it builds any test.
    let builds: Vec<Vec<&str>> = match profile {
        // With the features of the build of all tests, neither build compiles again what the other one has compiled.
        Profile::Dev => {
            let programs = packages.iter().flat_map(|package| ["--bin", program_of(package)]);
            vec![["--workspace", "--test", SMALLEST_TEST].into_iter().chain(programs).collect()]
        }
        // Alone, a package is built with the same features by every command.
        Profile::Release => packages.iter().map(|package| vec!["--release", "--package", package]).collect(),
    };
    for arguments in builds {
        cargo("build", &arguments, step, |Artifact { package, is_fresh, name, executable, .. }| {
            built.changed |= !is_fresh;
            built.executables.extend(executable.map(|path| (name, path)));
            // A package that build scripts or macros use as well is built twice.
            if done.insert(package) {
                step.advance();
            }
        })?;
    }
    Ok(built)
}

/// Runs a build of cargo, and passes on what it has built.
fn cargo(verb: &str, arguments: &[&str], step: &Step, mut on_artifact: impl FnMut(Artifact)) -> Result<()> {
    let cargo = Tool::cargo().arguments([verb, "--message-format", "json-render-diagnostics"]);
    let finished =
        cargo.arguments(arguments).folder(workspace::root()).run_with(|line| {
            match Artifact::parse(line) {
                Some(artifact) => on_artifact(artifact),
                None if !line.starts_with('{') => step.message(line),
                None => (),
            }
        })?;
    ensure!(finished.status.success(), "build failed\n{}", compiler_messages(&finished.log));
    Ok(())
}

pub(crate) fn program_of(package: &str) -> &str {
    match package {
        AGENT => "roundtrip",
        GITHUB_FAKE => "github-fake",
        package => package,
    }
}

/// Packs a program into `folder` like a release for `target`, without the licences of dependencies.
pub(crate) fn pack(target: &str, folder: &Path, program: &Path) -> Result<()> {
    let script = workspace::root().join(".github/release/pack.sh");
    Tool::at(&script).arguments([target]).arguments([folder, program]).output().map(drop)
}

/// A test program: the folder of its package, from the root of the checkout, and its target. The target is a
/// file or folder in `tests/`, `unit` for a library, or `unit of NAME` for a program.
pub(crate) type TestName = (PathBuf, String);

/// The programs from one build of all tests: those that run tests, and those that tests start.
pub(crate) struct TestPrograms {
    pub(crate) tests: BTreeMap<TestName, PathBuf>,
    /// The server, the agent and this program, for tests to start.
    pub(crate) programs: Built,
}

impl TestPrograms {
    pub(crate) fn test_program(&self, folder: &str, name: &str) -> Result<PathBuf> {
        let found = self.tests.get(&(PathBuf::from(folder), name.to_owned()));
        found.cloned().with_context(|| format!("no tests {name} in {folder}"))
    }

    pub(crate) fn server(&self) -> Result<PathBuf> {
        self.programs.program(SERVER)
    }
}

/// Builds the tests of the workspace and the programs that they start.
pub(crate) fn tests(step: &Step) -> Result<TestPrograms> {
    let mut tests = BTreeMap::new();
    let mut programs = Built { executables: Vec::new(), changed: false };
    cargo(
        "test",
        &["--workspace", "--no-run"],
        step,
        |Artifact { folder, name, executable, is_test, .. }| {
            let Some(path) = executable else { return };
            if is_test {
                let folder = folder.strip_prefix(workspace::root()).unwrap_or(&folder).to_owned();
                tests.insert((folder, name), path);
            } else {
                programs.executables.push((name, path));
            }
        },
    )?;
    Ok(TestPrograms { tests, programs })
}

/// The number of these packages and their dependencies.
fn count(packages: &[&str]) -> Result<u64> {
    let tree = Tool::cargo()
        .arguments(["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"])
        .arguments(packages.iter().flat_map(|package| ["--package", package]))
        .folder(workspace::root())
        .run_silently()?
        .successful()?;
    let packages: BTreeSet<&str> = tree
        .output
        .lines()
        .map(|line| line.trim_end_matches(" (*)").trim())
        .filter(|line| !line.is_empty())
        .collect();
    Ok(packages.len() as u64)
}

/// A message of cargo about a target of a package, other than its build script.
struct Artifact {
    package: String,
    /// Whether it was built before.
    is_fresh: bool,
    /// The folder of the package.
    folder: PathBuf,
    /// As in [`TestName`], or the name of the program.
    name: String,
    executable: Option<PathBuf>,
    is_test: bool,
}

impl Artifact {
    fn parse(line: &str) -> Option<Self> {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let target = &message["target"];
        let kind = target["kind"][0].as_str()?;
        if message["reason"] != "compiler-artifact" || kind == "custom-build" {
            return None;
        }
        let is_test = message["profile"]["test"] == true;
        let name = target["name"].as_str()?.to_owned();
        let name = match kind {
            "test" | "example" => name,
            "bin" if is_test => format!("unit of {name}"),
            _ if is_test => "unit".into(),
            _ => name,
        };
        Some(Self {
            package: message["package_id"].as_str()?.to_owned(),
            is_fresh: message["fresh"].as_bool()?,
            folder: Path::new(message["manifest_path"].as_str()?).parent()?.to_owned(),
            name,
            executable: message["executable"].as_str().map(PathBuf::from),
            is_test,
        })
    }
}

/// The errors and warnings in a log of cargo.
pub(crate) fn compiler_messages(log: &str) -> String {
    log.lines().filter(|line| !line.starts_with('{') && !is_progress(line)).collect::<Vec<_>>().join("\n")
}

/// Cargo right-aligns progress words in twelve columns.
fn is_progress(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "Blocking",
        "Checking",
        "Compiling",
        "Doc-tests",
        "Documenting",
        "Downloaded",
        "Downloading",
        "Finished",
        "Generated",
        "Locking",
        "Running",
        "Updating",
    ];
    let word = line.get(..12).map(str::trim_start).unwrap_or_default();
    WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(kind: &str, test: bool) -> Option<Artifact> {
        let line = r#"{"reason":"compiler-artifact","package_id":"path+file:///w#0.1.0","manifest_path":"/w/server/Cargo.toml","target":{"kind":["KIND"],"name":"it"},"profile":{"test":TEST},"fresh":false,"executable":"/t/it-1"}"#;
        Artifact::parse(&line.replace("KIND", kind).replace("TEST", &test.to_string()))
    }

    #[test]
    fn separates_test_programs_from_started_programs() {
        for (kind, is_test, name) in
            [("test", true, "it"), ("lib", true, "unit"), ("bin", true, "unit of it"), ("bin", false, "it")]
        {
            let found = artifact(kind, is_test).unwrap();
            assert_eq!((found.name.as_str(), found.is_test, found.is_fresh), (name, is_test, false));
            assert_eq!(found.folder, Path::new("/w/server"));
            assert_eq!(found.executable.as_deref(), Some(Path::new("/t/it-1")));
        }
    }

    #[test]
    fn only_packages_advance_the_bar() {
        assert!(artifact("custom-build", false).is_none());
        assert!(Artifact::parse(r#"{"reason":"build-finished","success":true}"#).is_none());
        assert!(Artifact::parse("   Compiling serde v1.0.0").is_none());
    }

    #[test]
    fn keeps_only_compiler_messages() {
        let log = "   Compiling a v1\n    Checking b v1\n  Downloaded c v1\n{\"reason\":\"x\"}\nerror[E0308]: mismatched types\n";
        assert_eq!(compiler_messages(log), "error[E0308]: mismatched types");
    }
}
