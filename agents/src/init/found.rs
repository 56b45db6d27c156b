//! What `init` finds in a repository: its language, build files and benchmarks.

use super::DEFINITION;
use super::example::{EXAMPLES, Example, FOLDER, GO_MODULE, HEADER};
use crate::repository::Git;
use crate::settings;
use std::path::{Path, PathBuf};

/// A benchmark tool whose results can be imported.
#[derive(Debug)]
pub(super) struct Tool {
    name: &'static str,
    /// Pathspecs of the files that mention it, and a regular expression for the mention.
    files: &'static [&'static str],
    mention: &'static str,
    /// A file in the root that the command needs.
    needs: Option<&'static str>,
    /// Its lines in the settings.
    pub(super) command: &'static str,
    /// Its results in the folder of the program, if it does not print them.
    pub(super) results: Option<&'static str>,
}

const TOOLS: [Tool; 4] = [
    Tool {
        name: "Criterion",
        files: &[":/Cargo.toml", ":/*/Cargo.toml"],
        mention: r"^criterion\b|dependencies\.criterion",
        needs: Some("Cargo.toml"),
        command: r#"# Needs: cargo install cargo-criterion
[[command]]
run = "cargo criterion --message-format=json"
format = "criterion"
"#,
        results: None,
    },
    Tool {
        name: "Go",
        files: &[":/*_test.go"],
        mention: "^func Benchmark",
        needs: Some(GO_MODULE),
        command: r#"[[command]]
run = "go test -run - -bench . -count 10 ./..."
format = "go"
"#,
        results: None,
    },
    Tool {
        name: "pytest-benchmark",
        files: &[":/pyproject.toml", ":/setup.*", ":/tox.ini", ":/*requirements*"],
        mention: "pytest-benchmark",
        needs: None,
        command: r#"[[command]]
run = "python3 -m pytest --benchmark-only --benchmark-json=benchmarks/roundtrip/pytest.json"
format = "pytest-benchmark"
file = "benchmarks/roundtrip/pytest.json"
"#,
        results: Some("pytest.json"),
    },
    Tool {
        name: "Google Benchmark",
        files: &[":/*.cc", ":/*.cpp", ":/*.cxx"],
        mention: r"benchmark/benchmark\.h",
        needs: None,
        // Only you know the path of the built program.
        command: r#"# To import the results of Google Benchmark, name its program:
# [[command]]
# run = "./build/NAME --benchmark_format=json --benchmark_repetitions=10"
# format = "google-benchmark"
"#,
        results: None,
    },
];

#[derive(Debug)]
pub(super) struct Found {
    pub(super) root: PathBuf,
    /// The example in the main language.
    pub(super) example: Option<&'static Example>,
    build_files: Vec<&'static str>,
    /// The tools of existing benchmarks, with a file that mentions each.
    pub(super) tools: Vec<(&'static Tool, String)>,
    /// A copy of our header: there is a program already.
    header: Option<String>,
    pub(super) has_definition: bool,
    /// Whether pull requests are probably on GitHub.
    pub(super) is_on_github: bool,
}

impl Found {
    pub(super) fn read(git: &Git, root: PathBuf) -> Self {
        let ask = |arguments: &[&str]| git.ask(arguments).unwrap_or_default();
        let listed = ask(&["ls-files", "--cached", "--others", "--exclude-standard", "--full-name", ":/"]);
        let paths: Vec<&str> = listed.lines().filter(|path| !path.starts_with(FOLDER)).collect();
        let example = main_language(&paths, &root);
        let is_header = |path: &&&str| path.rsplit('/').next() == Some(HEADER);
        let mention = |tool: &Tool| {
            // Fails if no file matches.
            let search = ["grep", "-l", "-I", "-E", "--untracked", "--full-name", "-e", tool.mention, "--"];
            ask(&[&search, tool.files].concat()).lines().next().map(str::to_owned)
        };
        let tools = TOOLS.iter().filter(|tool| tool.needs.is_none_or(|file| root.join(file).exists()));
        Self {
            example,
            build_files: example.map(|example| build_files(example, &root).collect()).unwrap_or_default(),
            tools: tools.filter_map(|tool| Some((tool, mention(tool)?))).collect(),
            header: paths.iter().find(is_header).map(|path| (*path).to_owned()),
            has_definition: root.join(DEFINITION).exists(),
            is_on_github: root.join(".github").exists()
                || git.remote().is_none_or(|address| address.contains("github")),
            root,
        }
    }

    /// A few lines for people.
    pub(super) fn describe(&self) -> String {
        let mut text = match self.example {
            Some(example) => format!("Language: {}", example.name),
            None => "Language: unknown".into(),
        };
        if !self.build_files.is_empty() {
            text += &format!(" ({})", self.build_files.join(", "));
        }
        for (tool, file) in &self.tools {
            text += &format!("\nBenchmarks: {} ({file})", tool.name);
        }
        if let Some(header) = &self.header {
            text += &format!(
                "\nYou have {header}: to measure your own program, set `command` in {DEFINITION} and `build` in {}.",
                settings::FILE
            );
        }
        text
    }
}

fn build_files<'a>(example: &'a Example, root: &'a Path) -> impl Iterator<Item = &'static str> + 'a {
    example.build_files.iter().copied().filter(|name| root.join(name).exists())
}

/// The language with the most source files; one with a build file first.
fn main_language(paths: &[&str], root: &Path) -> Option<&'static Example> {
    let rank = |example: &&Example| {
        let is_source = |path: &&&str| {
            path.rsplit_once('.').is_some_and(|(_, extension)| example.extensions.contains(&extension))
        };
        let sources = paths.iter().filter(is_source).count();
        (sources > 0).then(|| (build_files(example, root).next().is_some(), sources))
    };
    EXAMPLES.iter().max_by_key(rank).filter(|example| rank(example).is_some())
}
