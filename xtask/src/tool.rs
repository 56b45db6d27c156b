//! [`Tool`]: one run of another program, its output kept for the case that it fails.

use crate::interrupt::{self, Way};
use crate::{platform, screen::Step};
use anyhow::{Context, Result, bail};
use shared_child::SharedChild;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::{Arc, mpsc};

/// A program about to be run.
pub(crate) struct Tool {
    name: String,
    command: Command,
    on_interrupt: Way,
}

/// A program that has ended.
pub(crate) struct Finished {
    name: String,
    pub(crate) status: ExitStatus,
    /// Standard output.
    pub(crate) output: String,
    /// Both outputs, line by line as they came.
    pub(crate) log: String,
}

/// A program that is running. An interrupt kills it.
pub(crate) struct Running {
    name: String,
    pub(crate) child: Arc<SharedChild>,
    /// What it writes, until it closes both outputs.
    pub(crate) lines: mpsc::Receiver<Line>,
}

/// A line, without its end and without colour.
pub(crate) enum Line {
    /// Of standard output.
    Output(String),
    /// Of standard error.
    Error(String),
}

/// Where `name` is on PATH. Also finds `npm.cmd`, which Windows does not run by the name `npm` alone.
pub(crate) fn find(name: &str) -> Result<PathBuf> {
    which::which(name).with_context(|| format!("{name} is not on PATH"))
}

/// Which of these programs is missing, if one is.
pub(crate) fn missing(names: &str) -> Option<String> {
    let missing = names.split_whitespace().find(|name| find(name).is_err())?;
    Some(format!("{missing} is missing"))
}

/// Git in a test repository: commits have a fixed author and no signature.
pub(crate) fn git(root: &Path, arguments: &[&str]) -> Result<String> {
    let author = ["user.name=A. Author", "user.email=a@example.org", "commit.gpgsign=false"];
    let settings = author.into_iter().flat_map(|setting| ["-c", setting]);
    Tool::named("git")?.arguments(settings).arguments(arguments).folder(root).output()
}

/// Runs a program to its end with this one's inputs and outputs.
pub(crate) fn run_attached(command: &mut Command) -> Result<ExitStatus> {
    let child = start(command, Way::Kill)?;
    let status =
        child.wait().with_context(|| format!("cannot wait for {}", command.get_program().display()))?;
    interrupt::check()?;
    Ok(status)
}

fn start(command: &mut Command, on_interrupt: Way) -> Result<Arc<SharedChild>> {
    interrupt::check()?;
    let child = SharedChild::spawn(command)
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let child = Arc::new(child);
    interrupt::guard(&child, on_interrupt);
    Ok(child)
}

/// The code with which this program passes on how another ended.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

impl Tool {
    /// A program on PATH.
    pub(crate) fn named(name: &str) -> Result<Self> {
        find(name).map(|path| Self::at(&path))
    }

    /// A program by its path. It does not read the terminal and writes no colour codes.
    pub(crate) fn at(path: &Path) -> Self {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let mut command = Command::new(path);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("NO_COLOR", "1").env_remove("FORCE_COLOR");
        Self { name, command, on_interrupt: Way::Kill }
    }

    /// The cargo that runs this program.
    pub(crate) fn cargo() -> Self {
        Self::cargo_at(Path::new(&std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())))
    }

    /// Another cargo. Variables that cargo set for this program are removed: build scripts that watch them would run again.
    pub(crate) fn cargo_at(path: &Path) -> Self {
        let is_own = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        Self::at(path).without_variables(is_own)
    }

    pub(crate) fn arguments<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Arguments without spaces, in one string.
    pub(crate) fn words(self, words: &str) -> Self {
        self.arguments(words.split_whitespace())
    }

    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn variables<N: AsRef<OsStr>, V: AsRef<OsStr>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.command.envs(variables);
        self
    }

    pub(crate) fn without_variable(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Removes the inherited variables whose names are unwanted.
    pub(crate) fn without_variables(self, is_unwanted: impl Fn(&str) -> bool) -> Self {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        names.filter(|name| is_unwanted(name)).fold(self, |tool, name| tool.without_variable(&name))
    }

    /// An interrupt also ends what the program started. It must not need the terminal.
    pub(crate) fn with_all_it_starts(mut self) -> Self {
        platform::in_own_process_group(&mut self.command);
        self.on_interrupt = Way::EndGroup;
        self
    }

    /// It stops once its input is closed, which an interrupt does.
    pub(crate) fn until_input_closes(mut self) -> Self {
        platform::in_own_process_group(&mut self.command);
        self.on_interrupt = Way::CloseInput;
        self.with_input()
    }

    /// Its standard error goes to a file: it can still write after this process was killed.
    pub(crate) fn with_log(mut self, file: std::fs::File) -> Self {
        self.command.stderr(file);
        self
    }

    /// The input is written through `child`.
    pub(crate) fn with_input(mut self) -> Self {
        self.command.stdin(Stdio::piped());
        self
    }

    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Runs it, showing its latest line in `step`.
    pub(crate) fn run(self, step: &Step) -> Result<Finished> {
        self.run_with(|line| step.message(line))
    }

    /// Runs it without showing anything.
    pub(crate) fn run_silently(self) -> Result<Finished> {
        self.run_with(|_| ())
    }

    /// Runs it silently; it must succeed. Returns its standard output.
    pub(crate) fn output(self) -> Result<String> {
        Ok(self.run_silently()?.successful()?.output)
    }

    /// Runs it, showing its latest line in `step`; it must succeed.
    pub(crate) fn succeed(self, step: &Step) -> Result<()> {
        self.run(step)?.successful().map(drop)
    }

    /// Runs it and hands every line to `on_line` as it comes.
    pub(crate) fn run_with(self, mut on_line: impl FnMut(&str)) -> Result<Finished> {
        let name = self.name.clone();
        let running = self.spawn()?;
        let (mut output, mut log) = (String::new(), String::new());
        for line in &running.lines {
            on_line(line.text());
            log.extend([line.text(), "\n"]);
            if let Line::Output(text) = line {
                output.extend([&text, "\n"]);
            }
        }
        let status = running.wait()?;
        interrupt::check()?;
        Ok(Finished { name, status, output, log })
    }

    /// Starts it without waiting for it.
    pub(crate) fn spawn(mut self) -> Result<Running> {
        let child = start(&mut self.command, self.on_interrupt)?;
        let (sender, lines) = mpsc::channel();
        if let Some(pipe) = child.take_stdout() {
            forward(pipe, sender.clone(), Line::Output);
        }
        if let Some(pipe) = child.take_stderr() {
            forward(pipe, sender, Line::Error);
        }
        Ok(Running { name: self.name, child, lines })
    }
}

impl Running {
    /// Waits until it has ended.
    pub(crate) fn wait(&self) -> Result<ExitStatus> {
        self.child.wait().with_context(|| format!("cannot wait for {}", self.name))
    }
}

impl Line {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Output(text) | Self::Error(text) => text,
        }
    }
}

impl Finished {
    /// An error with all that the program wrote, if it failed.
    pub(crate) fn successful(self) -> Result<Self> {
        if self.status.success() {
            return Ok(self);
        }
        bail!("{} failed ({})\n{}", self.name, self.status, self.log.trim_end());
    }
}

/// Not `lines()`: a tool may write bytes that are not UTF-8, and none of it may be lost.
fn forward(pipe: impl Read + Send + 'static, lines: mpsc::Sender<Line>, kind: fn(String) -> Line) {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(pipe);
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&bytes);
            let text = console::strip_ansi_codes(text.trim_end_matches(['\n', '\r'])).into_owned();
            // Without a reader it still reads on, so that the program never blocks on a full pipe.
            let _ = lines.send(kind(text));
            bytes.clear();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_hands_over_all_that_it_wrote() {
        let error = Tool::cargo().arguments(["no-such-verb"]).output().unwrap_err().to_string();
        assert!(error.starts_with("cargo failed (exit ") && error.contains("no-such-verb"), "{error}");
    }

    #[test]
    fn standard_output_is_kept_apart_from_the_log() {
        let finished = Tool::cargo().arguments(["--version"]).run_silently().unwrap();
        assert!(finished.status.success() && finished.output.starts_with("cargo "), "{}", finished.output);
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = Tool::named("roundtrip-has-no-such-tool").err().unwrap().to_string();
        assert_eq!(error, "roundtrip-has-no-such-tool is not on PATH");
    }
}
