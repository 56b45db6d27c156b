//! What `init` finds in a repository: its language, build files and benchmarks.

use super::DEFINITION;
use super::example::{EXAMPLES, Example, FOLDER, GO_MODULE, HEADER, OTHERS, OtherLanguage};
use crate::repository::Git;
use crate::settings;
use std::fs;
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

const CRITERION: &str = "Criterion";

const TOOLS: [Tool; 7] = [
    Tool {
        name: CRITERION,
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
    Tool {
        name: "hyperfine",
        files: &[":/*.sh", ":/*Makefile", ":/*justfile", ":/*package.json", ":/.github/*.yml"],
        mention: r"(^|[^[:alnum:]_./-])hyperfine[[:space:]]",
        needs: None,
        command: r#"# To import the results of hyperfine, pass your command:
# [[command]]
# run = "hyperfine --export-json benchmarks/roundtrip/hyperfine.json COMMAND"
# format = "hyperfine"
# file = "benchmarks/roundtrip/hyperfine.json"
"#,
        results: Some("hyperfine.json"),
    },
    Tool {
        name: "JMH",
        files: &[":/*pom.xml", ":/*build.gradle", ":/*build.gradle.kts", ":/*build.sbt"],
        mention: r"org\.openjdk\.jmh|me\.champeau\.jmh|sbt-jmh",
        needs: None,
        command: r#"# To import the results of JMH, name its archive:
# [[command]]
# run = "java -jar target/benchmarks.jar -f 10 -rf json -rff benchmarks/roundtrip/jmh.json"
# format = "jmh"
# file = "benchmarks/roundtrip/jmh.json"
"#,
        results: Some("jmh.json"),
    },
    Tool {
        name: "k6",
        files: &[":/*.js", ":/*.ts"],
        mention: r#"from ['"]k6['"/]"#,
        needs: None,
        command: r#"# To import the results of k6, name its script:
# [[command]]
# run = "k6 run --summary-export=benchmarks/roundtrip/k6.json SCRIPT"
# format = "k6"
# file = "benchmarks/roundtrip/k6.json"
"#,
        results: Some("k6.json"),
    },
];

/// The main language of a repository.
#[derive(Clone, Copy, Debug)]
pub(super) enum FoundLanguage {
    Example(&'static Example),
    Other(&'static OtherLanguage),
    /// No sources in a known language.
    Unknown,
}

impl FoundLanguage {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Example(example) => example.name,
            Self::Other(other) => other.name,
            Self::Unknown => "unknown",
        }
    }

    fn build_files(self) -> &'static [&'static str] {
        match self {
            Self::Example(example) => example.build_files,
            Self::Other(other) => other.build_files,
            Self::Unknown => &[],
        }
    }

    fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Example(example) => example.extensions,
            Self::Other(other) => other.extensions,
            Self::Unknown => &[],
        }
    }
}

#[derive(Debug)]
pub(super) struct Found {
    pub(super) root: PathBuf,
    pub(super) language: FoundLanguage,
    build_files: Vec<String>,
    /// The name of the Rust package in the root.
    pub(super) package: Option<String>,
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
        let language = main_language(&paths);
        let is_header = |path: &&&str| path.rsplit('/').next() == Some(HEADER);
        let mention = |tool: &Tool| {
            // Fails if no file matches.
            let search = ["grep", "-l", "-I", "-E", "--untracked", "--full-name", "-e", tool.mention, "--"];
            ask(&[&search, tool.files].concat()).lines().next().map(str::to_owned)
        };
        let tools = TOOLS.iter().filter(|tool| tool.needs.is_none_or(|file| root.join(file).exists()));
        Self {
            language,
            package: package(&root),
            build_files: build_files(language, &paths).map(str::to_owned).collect(),
            tools: tools.filter_map(|tool| Some((tool, mention(tool)?))).collect(),
            header: paths.iter().find(is_header).map(|path| (*path).to_owned()),
            has_definition: root.join(DEFINITION).exists(),
            is_on_github: root.join(".github").exists()
                || git.remote().is_none_or(|address| address.contains("github")),
            root,
        }
    }

    /// Whether `cargo criterion` will run, which is not part of cargo.
    pub(super) fn has_criterion(&self) -> bool {
        self.tools.iter().any(|(tool, _)| tool.name == CRITERION)
    }

    /// A few lines for people.
    pub(super) fn describe(&self) -> String {
        let mut text = format!("Language: {}", self.language.name());
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

fn package(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("Cargo.toml")).ok()?;
    let cargo: toml::Table = text.parse().ok()?;
    Some(cargo.get("package")?.get("name")?.as_str()?.to_owned())
}

/// The build files of a language in the root.
fn build_files<'a>(language: FoundLanguage, paths: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let is_named = |path: &str, name: &str| match name.strip_prefix('*') {
        Some(end) => path.ends_with(end),
        None => path == name,
    };
    let names = language.build_files();
    let is_build_file =
        move |path: &&str| !path.contains('/') && names.iter().any(|name| is_named(path, name));
    paths.iter().copied().filter(is_build_file)
}

/// The language with the most source files; one with a build file first.
fn main_language(paths: &[&str]) -> FoundLanguage {
    let rank = |language: &FoundLanguage| {
        let is_source = |path: &&&str| {
            path.rsplit_once('.').is_some_and(|(_, extension)| language.extensions().contains(&extension))
        };
        let sources = paths.iter().filter(is_source).count();
        (sources > 0).then(|| (build_files(*language, paths).next().is_some(), sources))
    };
    let others = OTHERS.iter().map(FoundLanguage::Other);
    let all = others.chain(EXAMPLES.iter().map(FoundLanguage::Example));
    all.max_by_key(rank).filter(|language| rank(language).is_some()).unwrap_or(FoundLanguage::Unknown)
}
