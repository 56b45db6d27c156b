//! `roundtrip init`: prepares a repository for measurements. Writes settings, a definition, an example program and a
//! workflow, and measures one case.

mod example;
mod found;

use crate::build::Limits;
use crate::cli::{InitArguments, Language, YesOrNo};
use crate::failure::{Failure, OnDisk};
use crate::format::{counted, nanoseconds};
use crate::repository::Git;
use crate::settings::{self, CommandLine, Settings};
use crate::{build, output, presets, run, stop, table};
use clap::ValueEnum;
use example::{Example, FOLDER, GO_MODULE, GO_MODULE_TEXT, OtherLanguage};
use found::{Found, FoundLanguage};
use roundtrip_bench::definition::{Plan, PlannedCase, Repetitions};
use roundtrip_bench::transport;
use roundtrip_stats::Quartiles;
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const DEFINITION: &str = "benchmarks/roundtrip/ipc.toml";
const WORKFLOW: &str = ".github/workflows/roundtrip.yml";
/// Also on a page of the docs.
const WORKFLOW_TEXT: &str = include_str!("workflow.yml");

const PROTOCOL: &str = "https://github.com/roundtrip-ipc/roundtrip/blob/main/benches/external/PROTOCOL.md";

/// Repetitions of the case that is measured at the end.
const REPETITIONS: u32 = 3;

pub(crate) fn init(arguments: &InitArguments) -> crate::Result<()> {
    let git = Git::here();
    let root = git.root().map_err(|error| {
        Failure::Other(format!(
            "Not a Git repository. Trends need commits: run this in a checkout, or run `git init` first.\n\
             {error}"
        ))
    })?;
    let settings = Settings::read(&root)?;
    let project = settings.project(None, &git.name(&root));
    let found = Found::read(&git, root);
    output::print(&found.describe())?;
    let choices = Choices::new(arguments, &found)?;
    let files = files(&found, &choices, project.as_str());
    let (new, kept): (Vec<NewFile>, Vec<NewFile>) =
        files.into_iter().partition(|file| file.is_new(&found.root));
    write(&found.root, &new)?;
    output::print(&listing(&new, &kept))?;
    if choices.example.is_some() {
        measure(&found, &choices, arguments.commands.timeout)?;
    }
    output::print(&next(&found, &choices, !new.is_empty()))
}

// The questions.

struct Choices {
    /// The program to start from; `None` if only existing benchmarks are measured.
    example: Option<&'static Example>,
    has_workflow: bool,
}

impl Choices {
    /// From the arguments, the terminal or the defaults.
    fn new(arguments: &InitArguments, found: &Found) -> crate::Result<Self> {
        let may_ask = !arguments.yes && !found.has_definition && io::stdin().is_terminal();
        let mut defaults = Vec::new();
        let language = choose(
            arguments.language,
            "--language",
            "Language of the example program",
            default_language(found),
            may_ask,
            &mut defaults,
        )?;
        if language == Language::None {
            return Self::without_program(arguments, found);
        }
        let workflow = choose(
            arguments.workflow,
            "--workflow",
            "Write a GitHub workflow that compares pull requests?",
            if found.is_on_github { YesOrNo::Yes } else { YesOrNo::No },
            may_ask,
            &mut defaults,
        )?;
        if !defaults.is_empty() {
            output::print(&format!("Defaults: {}", defaults.join(" ")))?;
        }
        Ok(Self { example: Example::find(language), has_workflow: workflow == YesOrNo::Yes })
    }

    fn without_program(arguments: &InitArguments, found: &Found) -> crate::Result<Self> {
        if found.tools.is_empty() {
            return Err(Failure::Usage(
                "no benchmarks of other tools found, and --language none writes no program: choose a language".into(),
            ));
        }
        if arguments.workflow == Some(YesOrNo::Yes) {
            return Err(Failure::Usage(
                "the workflow compares programs, and --language none writes none: choose a language".into(),
            ));
        }
        Ok(Self { example: None, has_workflow: false })
    }
}

/// The given value, else the answer of the terminal, else the default, which is added to the list.
fn choose<T: ValueEnum>(
    given: Option<T>,
    option: &str,
    question: &str,
    default: T,
    may_ask: bool,
    defaults: &mut Vec<String>,
) -> crate::Result<T> {
    match given {
        Some(value) => Ok(value),
        None if may_ask => ask(question, default, &mut io::stdin().lock()),
        None => {
            defaults.push(format!("{option} {}", name(&default)));
            Ok(default)
        }
    }
}

fn ask<T: ValueEnum>(question: &str, default: T, answers: &mut impl BufRead) -> crate::Result<T> {
    let names: Vec<String> = T::value_variants().iter().map(name).collect();
    loop {
        eprint!("{question} ({}) [{}]: ", names.join(", "), name(&default));
        let mut answer = String::new();
        answers
            .read_line(&mut answer)
            .map_err(|error| Failure::Other(format!("cannot read the answer: {error}")))?;
        match answer.trim() {
            "" => return Ok(default),
            answer => match T::from_str(answer, true) {
                Ok(value) => return Ok(value),
                Err(_) => eprintln!("`{answer}`: expected {}", names.join(", ")),
            },
        }
    }
}

fn name<T: ValueEnum>(value: &T) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Without an example in the repository's language, the shortest one, which needs no compiler.
fn default_language(found: &Found) -> Language {
    match found.language {
        FoundLanguage::Example(example) => example.language,
        FoundLanguage::Other(_) => Language::Python,
        FoundLanguage::Unknown => Language::C,
    }
}

// The files.

struct NewFile {
    /// From the root.
    path: String,
    text: String,
}

impl NewFile {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    fn is_new(&self, root: &Path) -> bool {
        // Also a dangling symbolic link is a file.
        root.join(&self.path).symlink_metadata().is_err()
    }
}

fn files(found: &Found, choices: &Choices, project: &str) -> Vec<NewFile> {
    let in_folder = |name: &str| format!("{FOLDER}/{name}");
    let mut files = vec![NewFile::new(settings::FILE, settings_text(found, choices, project))];
    let mut ignored: Vec<&str> = found.tools.iter().filter_map(|(tool, _)| tool.results).collect();
    if let Some(example) = choices.example {
        files.push(NewFile::new(DEFINITION, definition_text(example, project)));
        // A present definition has its own program.
        if !found.has_definition {
            files.extend(example.files.iter().map(|(name, text)| {
                let text = text.replace(LIBRARY, &found.package.as_deref().map_or(LIBRARY.into(), library));
                NewFile::new(in_folder(name), text)
            }));
            if example.language == Language::Go && !found.root.join(GO_MODULE).exists() {
                files.push(NewFile::new(in_folder(GO_MODULE), GO_MODULE_TEXT));
            }
            ignored.extend(example.built);
        }
    }
    if !ignored.is_empty() {
        files.push(NewFile::new(in_folder(".gitignore"), format!("/{}\n", ignored.join("\n/"))));
    }
    if choices.has_workflow {
        files.push(NewFile::new(WORKFLOW, WORKFLOW_TEXT));
    }
    files
}

/// The comment in the example's `Cargo.toml` about a library.
const LIBRARY: &str = "# Add your library, such as: queue = { path = \"../..\" }";

/// The comment for this package.
fn library(package: &str) -> String {
    format!("# To measure your library: {package} = {{ path = \"../..\" }}")
}

fn settings_text(found: &Found, choices: &Choices, project: &str) -> String {
    let mut text = format!("project = \"{project}\"\n");
    if let Some(example) = choices.example {
        text += &program_settings(example);
    }
    for (tool, _) in &found.tools {
        text += &format!("\n{}", tool.command);
    }
    text
}

/// The settings that measure the program.
fn program_settings(example: &Example) -> String {
    let build = example.build.map(|command| format!("build = [\"{command}\"]\n"));
    format!("presets = [\"{DEFINITION}\"]\n{}", build.unwrap_or_default())
}

fn definition_text(example: &Example, project: &str) -> String {
    // A program cannot have the name of a transport.
    let slug = if transport::find(project).is_some() { "ours" } else { project };
    let Example { command, family, semantics, .. } = example;
    format!(
        r#"about = "{project}, compared with a pipe."
deadline_seconds = 20

[[program]]
slug = "{slug}"
title = "{slug}"
family = "{family}"
semantics = "{semantics}"
command = {command:?}

# The pipe is a control: if it changes too, the machine changed, not your code.
[[case]]
scenario = "roundtrip"
transports = ["{slug}", "pipe"]
message_bytes = [64, 4096]
modes = ["2proc"]
placements = {{ macos = ["free"], others = ["same-cpu"] }}
operations = 500
warmup = 100
repetitions = {{ min = 6, max = 10, width_percent = 3 }}
"#
    )
}

/// Writes all files or none.
fn write(root: &Path, files: &[NewFile]) -> crate::Result<()> {
    for file in files {
        let path = root.join(&file.path);
        let parent = path.ancestors().skip(1).find(|parent| parent.symlink_metadata().is_ok());
        if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
            return Err(Failure::Other(format!(
                "cannot write {}: {} is not a folder. Nothing was written.",
                file.path,
                parent.display()
            )));
        }
    }
    let mut written = Vec::new();
    let result = files.iter().try_for_each(|file| {
        let path = root.join(&file.path);
        path.parent().map_or(Ok(()), fs::create_dir_all).on_disk(&path)?;
        let mut created = fs::File::create_new(&path).on_disk(&path)?;
        written.push(path.clone());
        created.write_all(file.text.as_bytes()).on_disk(&path)
    });
    if result.is_err() {
        for path in written {
            // The first error is the one to report.
            let _ = fs::remove_file(path);
        }
    }
    result
}

fn listing(new: &[NewFile], kept: &[NewFile]) -> String {
    let lines = |files: &[NewFile], word: &str| -> Vec<String> {
        files.iter().map(|file| format!("{word} {}", file.path)).collect()
    };
    [lines(new, "Wrote"), lines(kept, "Kept ")].concat().join("\n")
}

// The first measurement.

/// Builds the program, and measures its smallest case.
fn measure(found: &Found, choices: &Choices, timeout: Duration) -> crate::Result<()> {
    let Some(example) = choices.example else { return Ok(()) };
    let settings = Settings::read(&found.root)?;
    let has_settings = settings.presets.iter().any(|preset| preset.as_str() == DEFINITION);
    if !has_settings {
        output::print(&format!("Add to {}:\n{}", settings::FILE, program_settings(example)))?;
    }
    let with_advice =
        |reason| format!("{reason}\nThe files are kept. Fix this, then measure with: roundtrip run");
    let kept = |reason: String| Failure::Other(with_advice(reason));
    if !found.has_definition && !runs(example.tool) {
        return Err(kept(format!("`{}` not found. {}.", example.tool, example.install)));
    }
    let ours: Vec<CommandLine> =
        example.build.and_then(|command| command.try_into().ok()).into_iter().collect();
    let commands = if has_settings { &settings.build } else { &ours };
    let mut stop = stop::until_signalled()?;
    let mut limits = Limits { timeout, stop: &mut stop };
    build::build_here(commands, &found.root, &mut limits).map_err(|failure| match failure {
        Failure::Stopped(reason) => Failure::Stopped(with_advice(reason)),
        failure => kept(failure.to_string()),
    })?;
    drop(stop);

    let plan = presets::plan(&found.root.join(DEFINITION).to_string_lossy())?;
    let programs = plan.cases.iter().filter(|case| case.declared().is_some());
    let Some(case) = programs.min_by_key(|case| case.work.message_bytes) else { return Ok(()) };
    let case = PlannedCase { repetitions: Repetitions::exactly(REPETITIONS), ..case.clone() };
    let plan = Plan { cases: vec![case], ..plan };
    for result in run::with_progress(&plan, &run::peer()?).results {
        let name = table::name(&result);
        let failure = result.failures.first().map(|failure| failure.reason.as_str());
        if let Some(reason) = result.unsupported.as_deref().or(failure) {
            return Err(kept(format!("cannot measure {name}: {reason}")));
        }
        if let Some(p50s) = Quartiles::of(&table::p50s_ns(&result)?) {
            let (title, p50) = (table::title(&result, &[]), nanoseconds(p50s.median));
            let count = counted(result.repetitions.len(), "repetition");
            output::print(&format!("\nMeasured {name} ({title}): p50 {p50}, {count}."))?;
        }
    }
    Ok(())
}

/// Whether this program can be started.
fn runs(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok()
}

/// The next commands.
fn next(found: &Found, choices: &Choices, has_written: bool) -> String {
    let mut lines = vec!["\nNext:".to_owned()];
    if has_written {
        lines.extend(choices.example.map(|example| replacing(found, example)));
        lines.push("  Commit the files.".into());
    }
    if found.has_criterion() && !runs("cargo-criterion") {
        lines.push("  cargo install cargo-criterion    # measures your Criterion benchmarks".into());
    }
    lines.push("  roundtrip run".into());
    if choices.example.is_some() {
        lines.push("  roundtrip ab --of revision --base HEAD~1 --head HEAD    # compares two commits".into());
        lines
            .push("  roundtrip bisect --good HEAD~20                         # finds a slower commit".into());
    }
    lines.join("\n")
}

/// How the example becomes a program with the repository's library.
fn replacing(found: &Found, example: &Example) -> String {
    let name = example.files.first().map_or("", |(name, _)| name);
    let text = match found.language {
        FoundLanguage::Other(OtherLanguage { name: language, .. }) => format!(
            "There is no example in {language}. Write {FOLDER}/{name} again in {language}, with the protocol below. Set \
             `command` in {DEFINITION} to the command that starts it, and `build` in {} to the one that compiles it.",
            settings::FILE
        ),
        _ => format!(
            "Replace the marked parts of {FOLDER}/{name} with your library. For its code of each commit, {}.",
            example.library
        ),
    };
    let protocol = match found.language {
        FoundLanguage::Other(_) => format!("\n  {PROTOCOL}"),
        _ => String::new(),
    };
    output::paragraph(&text, 2) + &protocol
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_again_after_an_unknown_answer() {
        let answer = |text: &str| ask("Language", Language::Go, &mut text.as_bytes()).unwrap();
        assert_eq!(answer("cobol\nPython\n"), Language::Python);
        assert_eq!(answer("\nrust\n"), Language::Go);
        assert_eq!(answer(""), Language::Go);
        let answer = ask("Workflow", YesOrNo::Yes, &mut "n\n".as_bytes()).unwrap();
        assert_eq!(answer, YesOrNo::No);
    }

    #[test]
    fn docs_show_the_workflow() {
        let page = include_str!("../../../docs/how-to/github-actions.md");
        assert!(page.contains(&format!("```yaml\n{WORKFLOW_TEXT}```\n")), "expected:\n{WORKFLOW_TEXT}");
    }

    #[test]
    fn rust_example_has_a_place_for_the_library() {
        let rust = Example::find(Language::Rust).unwrap();
        assert!(rust.files.iter().any(|(_, text)| text.contains(LIBRARY)));
    }

    #[test]
    fn every_example_marks_the_parts_to_replace() {
        for example in &example::EXAMPLES {
            assert!(example.files[0].1.contains("Replace: "), "{}", example.name);
        }
    }
}
