//! [`Tool`]: runs another program, and keeps its output for errors.

use crate::interrupt::{self, InterruptPolicy};
use crate::{platform, screen::Step};
use anyhow::{Context, Result, bail};
use shared_child::SharedChild;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::{Arc, mpsc};

pub(crate) struct Tool {
    name: String,
    command: Command,
    on_interrupt: InterruptPolicy,
}

pub(crate) struct Finished {
    name: String,
    pub(crate) status: ExitStatus,
    /// Standard output.
    pub(crate) output: String,
    /// Both outputs, in the order of their lines.
    pub(crate) log: String,
}

/// A running program. An interrupt kills it.
pub(crate) struct Running {
    name: String,
    pub(crate) child: Arc<SharedChild>,
    /// Its output, until it closes both streams.
    pub(crate) lines: mpsc::Receiver<Line>,
}

/// A line, without its line break and colours.
pub(crate) enum Line {
    Output(String),
    Error(String),
}

/// Finds `name` on PATH, including `npm.cmd`, which Windows does not run by the name `npm`.
pub(crate) fn find(name: &str) -> Result<PathBuf> {
    which::which(name).with_context(|| format!("{name} not found on PATH"))
}

/// A message about the first of these programs that is missing, if any.
pub(crate) fn missing(names: &str) -> Option<String> {
    let missing = names.split_whitespace().find(|name| find(name).is_err())?;
    Some(format!("{missing} is missing"))
}

/// Runs git in a test repository: commits have a fixed author and no signature.
pub(crate) fn git(root: &Path, arguments: &[&str]) -> Result<String> {
    let author = ["user.name=A. Author", "user.email=a@example.org", "commit.gpgsign=false"];
    let settings = author.into_iter().flat_map(|setting| ["-c", setting]);
    Tool::named("git")?.arguments(settings).arguments(arguments).folder(root).output()
}

/// Runs a program to its end with inherited input and outputs.
pub(crate) fn run_attached(command: &mut Command) -> Result<ExitStatus> {
    let child = start(command, InterruptPolicy::Kill)?;
    let status =
        child.wait().with_context(|| format!("cannot wait for {}", command.get_program().display()))?;
    interrupt::check()?;
    Ok(status)
}

fn start(command: &mut Command, on_interrupt: InterruptPolicy) -> Result<Arc<SharedChild>> {
    interrupt::check()?;
    let child = SharedChild::spawn(command)
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let child = Arc::new(child);
    interrupt::guard(&child, on_interrupt);
    Ok(child)
}

pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

impl Tool {
    pub(crate) fn named(name: &str) -> Result<Self> {
        find(name).map(|path| Self::at(&path))
    }

    /// A program by its path. It reads no terminal and writes no colours.
    pub(crate) fn at(path: &Path) -> Self {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let mut command = Command::new(path);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("NO_COLOR", "1").env_remove("FORCE_COLOR");
        Self { name, command, on_interrupt: InterruptPolicy::Kill }
    }

    /// The cargo that runs this program.
    pub(crate) fn cargo() -> Self {
        Self::cargo_at(Path::new(&std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())))
    }

    /// Another cargo. Removes the variables that cargo set for this program, because build scripts that watch
    /// them would run again.
    pub(crate) fn cargo_at(path: &Path) -> Self {
        let is_own = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        Self::at(path).without_variables(is_own)
    }

    pub(crate) fn arguments<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Adds arguments without spaces, given as one string.
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

    /// Removes unwanted inherited variables.
    pub(crate) fn without_variables(self, is_unwanted: impl Fn(&str) -> bool) -> Self {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        names.filter(|name| is_unwanted(name)).fold(self, |tool, name| tool.without_variable(&name))
    }

    /// An interrupt also ends its descendants. It must not need the terminal.
    pub(crate) fn with_descendants(mut self) -> Self {
        platform::in_own_process_group(&mut self.command);
        self.on_interrupt = InterruptPolicy::EndGroup;
        self
    }

    /// It stops when its input closes, which an interrupt does.
    pub(crate) fn until_input_closes(mut self) -> Self {
        platform::in_own_process_group(&mut self.command);
        self.on_interrupt = InterruptPolicy::CloseInput;
        self.with_input()
    }

    /// Standard error goes to a file, so it can still write after this process was killed.
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

    /// Runs it, and shows its latest line in `step`.
    pub(crate) fn run(self, step: &Step) -> Result<Finished> {
        self.run_with(|line| step.message(line))
    }

    pub(crate) fn run_silently(self) -> Result<Finished> {
        self.run_with(|_| ())
    }

    /// Runs it silently and returns its standard output. It must succeed.
    pub(crate) fn output(self) -> Result<String> {
        Ok(self.run_silently()?.successful()?.output)
    }

    /// Runs it, and shows its latest line in `step`. It must succeed.
    pub(crate) fn succeed(self, step: &Step) -> Result<()> {
        self.run(step)?.successful().map(drop)
    }

    /// Runs it, and passes every line to `on_line`.
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
    /// An error with all of its output, if it failed.
    pub(crate) fn successful(self) -> Result<Self> {
        if self.status.success() {
            return Ok(self);
        }
        bail!("{} failed ({})\n{}", self.name, self.status, self.log.trim_end());
    }
}

/// Not `lines()`: a tool may write bytes that are not UTF-8, and none may be lost.
fn forward(pipe: impl Read + Send + 'static, lines: mpsc::Sender<Line>, kind: fn(String) -> Line) {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(pipe);
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&bytes);
            let text = console::strip_ansi_codes(text.trim_end_matches(['\n', '\r'])).into_owned();
            // Reads on without a receiver, so that the program never blocks on a full pipe.
            let _ = lines.send(kind(text));
            bytes.clear();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_program_returns_its_output() {
        let error = Tool::cargo().arguments(["no-such-verb"]).output().unwrap_err().to_string();
        assert!(error.starts_with("cargo failed (exit ") && error.contains("no-such-verb"), "{error}");
    }

    #[test]
    fn separates_standard_output_from_the_log() {
        let finished = Tool::cargo().arguments(["--version"]).run_silently().unwrap();
        assert!(finished.status.success() && finished.output.starts_with("cargo "), "{}", finished.output);
    }

    #[test]
    fn names_a_missing_program() {
        let error = Tool::named("roundtrip-has-no-such-tool").err().unwrap().to_string();
        assert_eq!(error, "roundtrip-has-no-such-tool not found on PATH");
    }
}
