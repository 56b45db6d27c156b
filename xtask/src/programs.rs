//! Builds the Rust programs with cargo, and shows the number of finished packages as a bar.

use crate::{screen::Step, tool::Tool, workspace};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

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

/// The results of a build.
#[derive(Clone)]
pub(crate) struct Built {
    executables: Vec<(String, PathBuf)>,
    /// Whether anything was compiled.
    pub(crate) changed: bool,
}

impl Built {
    /// The program with that name.
    pub(crate) fn program(&self, name: &str) -> Result<PathBuf> {
        let found = self.executables.iter().find(|(built, _)| built == name);
        found.map(|(_, path)| path.clone()).with_context(|| format!("cargo built no program {name}"))
    }
}

/// The cargo profile.
#[derive(Clone, Copy)]
pub(crate) enum Profile {
    /// Like the tests, without optimisation.
    Dev,
    /// Like a release.
    Release,
}

/// Builds packages.
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
        let cargo = Tool::cargo().arguments(["build", "--message-format", "json-render-diagnostics"]);
        let finished = cargo.arguments(arguments).folder(workspace::root()).run_with(|line| {
            match Message::parse(line) {
                Some(Message { package, fresh, executable }) => {
                    built.changed |= !fresh;
                    built.executables.extend(executable);
                    // A package that build scripts or macros use as well is built twice.
                    if done.insert(package) {
                        step.advance();
                    }
                }
                None if !line.starts_with('{') => step.message(line),
                None => (),
            }
        })?;
        if !finished.status.success() {
            bail!("build failed\n{}", compiler_messages(&finished.log));
        }
    }
    Ok(built)
}

/// The program of a package.
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
    /// The programs that run tests.
    pub(crate) tests: BTreeMap<TestName, PathBuf>,
    /// The server, the agent and this program, for tests to start.
    pub(crate) programs: Built,
}

impl TestPrograms {
    /// The test program with this name.
    pub(crate) fn test_program(&self, folder: &str, name: &str) -> Result<PathBuf> {
        let found = self.tests.get(&(PathBuf::from(folder), name.to_owned()));
        found.cloned().with_context(|| format!("no tests {name} in {folder}"))
    }

    /// The tested server.
    pub(crate) fn server(&self) -> Result<PathBuf> {
        self.programs.program(SERVER)
    }
}

/// Builds the tests of the workspace and the programs that they start.
pub(crate) fn tests(step: &Step) -> Result<TestPrograms> {
    let mut tests = BTreeMap::new();
    let mut programs = Built { executables: Vec::new(), changed: false };
    let finished = Tool::cargo()
        .arguments(["test", "--workspace", "--no-run", "--message-format", "json-render-diagnostics"])
        .folder(workspace::root())
        .run_with(|line| match TestProgram::parse(line) {
            Some(TestProgram { folder, name, path, is_test: true }) => {
                let folder = folder.strip_prefix(workspace::root()).unwrap_or(&folder).to_owned();
                tests.insert((folder, name), path);
            }
            Some(TestProgram { name, path, .. }) => programs.executables.push((name, path)),
            None if !line.starts_with('{') => step.message(line),
            None => (),
        })?;
    if !finished.status.success() {
        bail!("building the tests failed\n{}", compiler_messages(&finished.log));
    }
    Ok(TestPrograms { tests, programs })
}

/// A message of cargo about a program that runs tests, or that tests start.
struct TestProgram {
    folder: PathBuf,
    name: String,
    path: PathBuf,
    is_test: bool,
}

impl TestProgram {
    fn parse(line: &str) -> Option<Self> {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let path = PathBuf::from(message["executable"].as_str()?);
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
        let name = message["target"]["name"].as_str()?.to_owned();
        let kind = message["target"]["kind"][0].as_str()?;
        let is_test = message["profile"]["test"] == true;
        let name = match kind {
            "test" | "example" => name,
            "bin" if is_test => format!("unit of {name}"),
            _ if is_test => "unit".into(),
            _ => name,
        };
        Some(Self { folder, name, path, is_test })
    }
}

/// The number of packages in the build.
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

/// A message of cargo about a finished package, other than its build script.
struct Message {
    package: String,
    fresh: bool,
    executable: Option<(String, PathBuf)>,
}

impl Message {
    fn parse(line: &str) -> Option<Self> {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        if message["reason"] != "compiler-artifact" {
            return None;
        }
        let kinds = message["target"]["kind"].as_array()?;
        if kinds.iter().any(|kind| kind == "custom-build") {
            return None;
        }
        let package = message["package_id"].as_str()?.to_owned();
        let name = message["target"]["name"].as_str()?.to_owned();
        let executable = message["executable"].as_str().map(|path| (name, PathBuf::from(path)));
        Some(Self { package, fresh: message["fresh"].as_bool()?, executable })
    }
}

/// A copy of the running program: building the workspace's tests replaces xtask's own file.
pub(crate) struct KeptProgram {
    /// Its path.
    pub(crate) path: PathBuf,
    _folder: TempDir,
}

impl KeptProgram {
    pub(crate) fn new() -> Result<Self> {
        let program = std::env::current_exe().context("cannot find the path of this program")?;
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let path = folder.path().join(program.file_name().context("this program has no name")?);
        std::fs::copy(&program, &path).with_context(|| format!("cannot copy {}", program.display()))?;
        Ok(Self { path, _folder: folder })
    }
}

/// A log of cargo without messages about programs and without progress, so that only errors and warnings are
/// left.
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

    #[test]
    fn recognises_finished_packages() {
        let line = r#"{"reason":"compiler-artifact","package_id":"path+file:///w#0.1.0","target":{"kind":["bin"],"name":"roundtrip"},"fresh":false,"executable":"/t/roundtrip"}"#;
        let message = Message::parse(line).unwrap();
        assert!(!message.fresh);
        assert_eq!(message.executable, Some(("roundtrip".to_owned(), PathBuf::from("/t/roundtrip"))));
    }

    #[test]
    fn separates_test_programs_from_started_programs() {
        let message = |kind: &str, test: bool| {
            let line = r#"{"reason":"compiler-artifact","manifest_path":"/w/server/Cargo.toml","target":{"kind":["KIND"],"name":"it"},"profile":{"test":TEST},"executable":"/t/it-1"}"#;
            let parsed =
                TestProgram::parse(&line.replace("KIND", kind).replace("TEST", &test.to_string())).unwrap();
            (parsed.folder, parsed.name, parsed.is_test)
        };
        let folder = PathBuf::from("/w/server");
        assert_eq!(message("test", true), (folder.clone(), "it".to_owned(), true));
        assert_eq!(message("lib", true), (folder.clone(), "unit".to_owned(), true));
        assert_eq!(message("bin", true), (folder.clone(), "unit of it".to_owned(), true));
        assert_eq!(message("bin", false), (folder, "it".to_owned(), false));
    }

    #[test]
    fn only_packages_advance_the_bar() {
        let script = r#"{"reason":"compiler-artifact","package_id":"path+file:///w#0.1.0","target":{"kind":["custom-build"],"name":"build-script-build"},"fresh":true,"executable":null}"#;
        assert!(Message::parse(script).is_none());
        assert!(Message::parse(r#"{"reason":"build-finished","success":true}"#).is_none());
        assert!(Message::parse("   Compiling serde v1.0.0").is_none());
    }

    #[test]
    fn keeps_only_compiler_messages() {
        let log = "   Compiling a v1\n    Checking b v1\n  Downloaded c v1\n{\"reason\":\"x\"}\nerror[E0308]: mismatched types\n";
        assert_eq!(compiler_messages(log), "error[E0308]: mismatched types");
    }
}
