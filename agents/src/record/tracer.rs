//! A program that records another process: started, waited for until it records, asked to end. It never outlives this one.

use super::calls::Calls;
use crate::platform;
use roundtrip_bench::sys::death;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// Until it records, and until it has ended after it was asked to.
const DEADLINE: Duration = Duration::from_secs(20);

/// What is recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) process: u32,
    pub(crate) calls: Calls,
    /// Whether processes count that it starts.
    pub(crate) with_children: bool,
}

/// A program at its work. Dropped, it is killed.
pub(crate) struct Tracer {
    child: Child,
    /// Says nothing, and is disconnected when the program closes its standard error: when it has ended.
    news: Receiver<()>,
}

impl Tracer {
    /// Starts a program, and waits until a line on its standard error says that it records.
    ///
    /// # Errors
    /// It cannot be started, or may not record, in its own words.
    pub(crate) fn start(mut command: Command, is_attached: fn(&str) -> bool) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        death::prepare(&mut command);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!("no {name} is installed"),
            _ => error.to_string(),
        })?;
        let errors = child.stderr.take();
        let (tell, news) = mpsc::channel();
        let mut tracer = Self { child, news };
        death::bind(&tracer.child).map_err(|error| error.to_string())?;
        let (attached, attaching) = mpsc::channel();
        thread::spawn(move || {
            // Moved here to be dropped when the program has ended.
            let _tell: mpsc::Sender<()> = tell;
            let mut lines =
                errors.into_iter().flat_map(|errors| BufReader::new(errors).lines()).map_while(Result::ok);
            let mut said = Vec::new();
            let begun = lines.by_ref().any(|line| {
                let begun = is_attached(&line);
                said.push(line);
                begun
            });
            // Nobody waits any more where it took too long.
            let _ = attached.send(if begun { Ok(()) } else { Err(complaint(&said)) });
            lines.for_each(drop);
        });
        let begun = attaching.recv_timeout(DEADLINE);
        begun.map_err(|_| format!("{name} did not begin within {} s", DEADLINE.as_secs()))??;
        // It may print that it records and end at once; what was recorded until then is read all the same.
        let _ = tracer.has_ended();
        Ok(tracer)
    }

    /// Whether it has ended, as it does with the process that it records.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks it to end, and waits until what was recorded is written.
    ///
    /// # Errors
    /// It does not end.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        if !self.has_ended() {
            platform::ask_to_end(&self.child).map_err(|error| error.to_string())?;
            self.child.stdin.take();
            if self.news.recv_timeout(DEADLINE) == Err(mpsc::RecvTimeoutError::Timeout) {
                return Err(format!("what records did not end within {} s", DEADLINE.as_secs()));
            }
        }
        self.child.wait().map(drop).map_err(|error| error.to_string())
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What of its last words says why: perf marks it, strace says nothing else.
fn complaint(said: &[String]) -> String {
    let after = |mark: &str| said.iter().find_map(|line| line.trim().strip_prefix(mark).map(str::trim));
    let at_all = said.iter().map(|line| line.trim()).find(|line| !line.is_empty());
    let said = after("Error:").filter(|rest| !rest.is_empty()).or_else(|| after("strace:")).or(at_all);
    said.unwrap_or("it ended without a word").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(lines: &[&str]) -> String {
        complaint(&lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn of_what_a_program_says_the_reason_is_told() {
        let perf = [
            "event syntax error: 'syscalls:sys_enter_write'",
            "Error:\tNo permissions to read /sys/kernel",
            "",
            "Run 'perf list'",
        ];
        assert_eq!(why(&perf), "No permissions to read /sys/kernel");
        assert_eq!(
            why(&["strace: attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted"]),
            "attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted"
        );
        assert_eq!(why(&[]), "it ended without a word");
    }
}
