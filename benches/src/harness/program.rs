//! One repetition of a program: starts it, tells it the case, pins the ends that it names, waits no longer than a deadline,
//! and believes nothing that cannot be true. Nothing that it has started is left.

use super::PeerCommand;
use super::child::{Child, LAST_WORDS};
use super::honesty::{self, Seen};
use super::measured::{Measured, NotMeasured};
use super::placed;
use crate::definition::{Mode, PlannedCase};
use crate::program::Program;
use crate::program::protocol::{Answer, Case, Connected, Request, VERSION};
use crate::sys::offspring::{self, Offspring};
use crate::sys::{Unsupported, affinity, clock, noise, usage};
use roundtrip_wire::EndObservation;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::process::ChildStdout;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The longest line: some hundred thousand samples.
const LINE_BYTES_MAX: u64 = 4 << 20;

/// How often a silent program is looked at: seldom, because looking takes a processor for some microseconds.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// So much of a line is quoted.
const QUOTED_CHARS_MAX: usize = 60;

/// Runs one repetition. `measuring` is told the process ids once both ends are connected.
pub(super) fn run(
    case: &PlannedCase,
    program: &Program,
    peer: &PeerCommand,
    deadline: Duration,
    measuring: &mut dyn FnMut(&[u32]),
) -> Result<Measured, NotMeasured> {
    let asked = request(case);
    let mut conversation = Conversation::begin(program, peer, deadline)?;
    let line = serde_json::to_string(&Request { protocol: VERSION, case: asked.clone() })
        .map_err(|error| format!("writing the case: {error}"))?;
    conversation.say(&line)?;
    let connected = match conversation.hear("`connected`")? {
        (Answer::Connected(connected), _) => connected,
        (other, _) => return Err(conversation.out_of_turn(&other, "`connected`")),
    };
    let ends = conversation.ends(case.mode, &connected)?;
    let cpus = placed::processors(case.placement, 2)?;
    for (&pid, cpu) in ends.iter().zip(&cpus) {
        if let Some(cpu) = *cpu {
            affinity::pin_process(pid, cpu).map_err(NotMeasured::Unsupported)?;
        }
    }

    let used = placed::used(&cpus);
    let before = noise::Reading::now(used.as_deref());
    let used_before: Vec<usage::Usage> = ends.iter().map(|&pid| usage::of_process(pid)).collect();
    measuring(&ends);
    let go_ns = clock::now_ns();
    conversation.say("\"go\"")?;
    let (mut answer, mut at_ns) = conversation.hear("`done`")?;
    let mut started_ns = None;
    if let Answer::Started(_) = answer {
        started_ns = Some(at_ns);
        (answer, at_ns) = conversation.hear("`done`")?;
    }
    let Answer::Done(done) = answer else { return Err(conversation.out_of_turn(&answer, "`done`")) };
    let conditions = noise::Reading::now(used.as_deref()).since(&before);
    let observations = ends.iter().zip(used_before).map(|(&pid, before)| observation(pid, before)).collect();
    let seen = Seen {
        all_ns: at_ns.saturating_sub(go_ns),
        timed_ns: started_ns.map(|started_ns| at_ns.saturating_sub(started_ns)),
    };
    let (distribution, mut totals) =
        honesty::check(&asked, done, seen).map_err(|lie| conversation.failed(&lie))?;
    totals.ends = observations;
    conversation.end();
    Ok(Measured {
        distribution,
        totals,
        counters: [].into(),
        facts: connected.facts,
        disturbed: noise::reasons(&conditions),
        conditions,
    })
}

/// The case as a program is told it.
fn request(case: &PlannedCase) -> Case {
    let work = &case.work;
    #[expect(clippy::cast_possible_truncation, reason = "any number will do, as long as repetitions differ")]
    let seed = work.size_seed as u32;
    Case {
        scenario: case.scenario.slug().to_owned(),
        mode: case.mode.slug().to_owned(),
        message_bytes: work.message_bytes as u64,
        messages_per_operation: work.messages_per_operation,
        batch: work.batch,
        window: work.window,
        samples: work.operations,
        warmup_samples: work.warmup,
        seed,
    }
}

/// What the system counted for a process since `before`.
fn observation(pid: u32, before: usage::Usage) -> EndObservation {
    let used = usage::of_process(pid).since(before);
    EndObservation {
        cpus_seen: affinity::last_of_process(pid).into_iter().collect(),
        migrations: used.migrations,
        voluntary_switches: used.voluntary_switches,
        involuntary_switches: used.involuntary_switches,
        user_ns: used.user_ns,
        system_ns: used.system_ns,
        minor_faults: used.minor_faults,
        ..EndObservation::default()
    }
}

/// What comes from its standard output.
enum Heard {
    /// A line, and when it was there.
    Line(Vec<u8>, u64),
    /// Nothing more.
    End,
}

/// A running program. All that it has started ends with it.
struct Conversation {
    name: String,
    child: Option<Child>,
    offspring: Offspring,
    told: Receiver<Heard>,
    until: Instant,
    deadline: Duration,
    /// Removed last.
    _fresh: Option<TempDir>,
}

impl Conversation {
    fn begin(program: &Program, peer: &PeerCommand, deadline: Duration) -> Result<Self, String> {
        let name = program.info.slug.to_string();
        let (mut command, fresh) = program.process(peer).map_err(|error| format!("{name}: {error}"))?;
        offspring::prepare(&mut command);
        let (child, stdout) = Child::start(name.clone(), command)?;
        let offspring = Offspring::of(child.process())
            .map_err(|error| format!("{name}: binding it to this process: {error}"))?;
        let told = listen(stdout);
        let until = Instant::now() + deadline;
        Ok(Self { name, child: Some(child), offspring, told, until, deadline, _fresh: fresh })
    }

    fn say(&mut self, line: &str) -> Result<(), NotMeasured> {
        let said = self.child.as_mut().map_or(Ok(()), |child| child.say(line));
        match said {
            // It is gone: how it ended is told when its answer is awaited.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            said => said.map_err(|error| format!("{}: talking to it: {error}", self.name).into()),
        }
    }

    /// The next answer, and when it was there.
    fn hear(&mut self, expected: &str) -> Result<(Answer, u64), NotMeasured> {
        let (line, at_ns) = loop {
            let left = self.until.saturating_duration_since(Instant::now());
            match self.told.recv_timeout(left.min(LOOK_INTERVAL)) {
                Ok(Heard::Line(line, at_ns)) => break (line, at_ns),
                Ok(Heard::End) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.last_words(None, true).into());
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(self.last_words(None, false).into());
                }
                // What it has started may keep its standard output open when it has ended.
                Err(RecvTimeoutError::Timeout) if self.child.as_mut().is_some_and(Child::has_ended) => {
                    return Err(self.last_words(None, true).into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        if line.len() as u64 > LINE_BYTES_MAX {
            return Err(self.failed(&format!("printed a line of more than {} MiB", LINE_BYTES_MAX >> 20)));
        }
        match serde_json::from_slice(&line) {
            Ok(Answer::Unsupported(reason)) => {
                let reason = format!("{}: {reason}", self.name);
                Err(NotMeasured::Unsupported(Unsupported::because(reason)))
            }
            Ok(Answer::Failed(reason)) => Err(self.last_words(Some(reason), true).into()),
            Ok(answer) => Ok((answer, at_ns)),
            Err(error) => {
                Err(self.failed(&format!("printed `{}`: expected {expected} ({error})", quoted(&line))))
            }
        }
    }

    /// The processes of both ends, which must be of this program and as many as the case asks for.
    fn ends(&mut self, mode: Mode, connected: &Connected) -> Result<Vec<u32>, NotMeasured> {
        let Connected { initiator_pid, responder_pid, .. } = *connected;
        for pid in [initiator_pid, responder_pid] {
            if !self.offspring.holds(pid) {
                return Err(self.failed(&format!("names process {pid}: expected one that it has started")));
            }
        }
        match (mode, initiator_pid == responder_pid) {
            (Mode::TwoProcesses, false) => Ok(vec![initiator_pid, responder_pid]),
            (Mode::TwoThreads, true) => Ok(vec![initiator_pid]),
            (Mode::TwoProcesses, true) => {
                Err(self
                    .failed(&format!("names process {initiator_pid} for both ends: expected two in 2proc")))
            }
            (Mode::TwoThreads, false) => Err(self.failed("names two processes: expected one in 2thread")),
        }
    }

    fn out_of_turn(&mut self, answer: &Answer, expected: &str) -> NotMeasured {
        let said = match answer {
            Answer::Connected(_) => "connected",
            Answer::Started(_) => "started",
            Answer::Done(_) => "done",
            Answer::Unsupported(_) => "unsupported",
            Answer::Failed(_) => "failed",
        };
        self.failed(&format!("said `{said}`: expected {expected}"))
    }

    /// It is not to be believed: ends it.
    fn failed(&mut self, reason: &str) -> NotMeasured {
        NotMeasured::Failed(self.last_words(Some(reason.to_owned()), false))
    }

    /// Ends it, and says why it failed: what it said, or how it ended, or that it is silent.
    fn last_words(&mut self, said: Option<String>, has_ended: bool) -> String {
        let silence = format!("no answer within {} s, killed", self.deadline.as_secs_f32());
        let said = if has_ended { said } else { said.or(Some(silence)) };
        if !has_ended {
            self.offspring.end();
        }
        let Some(child) = self.child.take() else { return said.unwrap_or_default() };
        child.last_words(said, true, "")
    }

    /// Lets it end by itself; what lives on then is killed.
    fn end(mut self) {
        if let Some(child) = &mut self.child {
            child.hang_up();
        }
        let until = Instant::now() + LAST_WORDS;
        while let Ok(Heard::Line(..)) =
            self.told.recv_timeout(until.saturating_duration_since(Instant::now()))
        {}
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // Before the program is waited for, which the drop of `child` does.
        self.offspring.end();
    }
}

/// Reads its lines until there are no more.
fn listen(stdout: Option<ChildStdout>) -> Receiver<Heard> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut lines = stdout.map(BufReader::new);
        while let Some(stdout) = &mut lines {
            let mut line = Vec::new();
            // One more than allowed, which tells a line that is too long.
            let read = stdout.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line);
            let heard = match read {
                Ok(bytes) if bytes > 0 => Heard::Line(line, clock::now_ns()),
                _ => Heard::End,
            };
            let is_end = matches!(heard, Heard::End);
            if tell.send(heard).is_err() || is_end {
                break;
            }
        }
    });
    told
}

/// The beginning of a line, for people.
fn quoted(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    let mut quoted: String =
        text.chars().take(QUOTED_CHARS_MAX).map(|c| if c.is_control() { '?' } else { c }).collect();
    if quoted.chars().count() < text.chars().count() {
        quoted.push('\u{2026}');
    }
    quoted
}
