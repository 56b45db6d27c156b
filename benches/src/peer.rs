//! What runs inside a peer process: one end of a channel, or all ends as threads.
//!
//! The harness talks to it in lines of JSON: an [`Order`] in, `ready` out, `go` in, an [`Answer`] out. Nothing
//! crosses these pipes between `go` and the answer.

use crate::canary;
use crate::program::framing;
use crate::scenario::{self, EndReport, Pattern, Scenario, Work};
use crate::sys::handle::{self, Ticket};
use crate::sys::{affinity, death, usage};
use crate::transport::{self, ChannelSpec, End, Parts, Transport};
use roundtrip_wire::Canary;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;

/// What a process is asked to do in its first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// To be one end of a channel, or all.
    Job(Box<Job>),
    /// To read the canaries, whose memory is then nobody else's.
    Canaries,
}

/// What a peer is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Slug of the transport.
    pub transport: String,
    /// Slug of the scenario.
    pub scenario: String,
    /// What the channel carries.
    pub channel: ChannelSpec,
    /// How much.
    pub work: Work,
    /// One end, or all.
    pub ends: Vec<JobEnd>,
}

/// What an end is in its scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// One of two that talk to each other.
    Pair(End),
    /// One of many that send, counted from 0.
    Sender(u32),
    /// One of many that receive.
    Receiver(u32),
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pair(End::Initiator) => formatter.write_str("initiator"),
            Self::Pair(End::Responder) => formatter.write_str("responder"),
            Self::Sender(index) => write!(formatter, "sender {}", index + 1),
            Self::Receiver(index) => write!(formatter, "receiver {}", index + 1),
        }
    }
}

/// One end of a [`Job`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobEnd {
    /// Which.
    pub role: Role,
    /// The processor to stay on.
    pub cpu: Option<u32>,
    /// Handles to take over.
    pub handles: Vec<Ticket>,
    /// What to connect to.
    pub address: Option<String>,
}

/// What a peer has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Connected, memory touched.
    Ready,
    /// Done: one report an end, in the order of the job's ends.
    Done(Vec<EndReport>),
    /// The canaries.
    Canaries(Vec<Canary>),
    /// It did not work out, and why.
    Failed(String),
}

/// Runs one job from standard input, or, with arguments, one end of a program that comes with the suite. This is all of
/// the hidden `peer` command.
pub fn main(arguments: &[String]) -> ExitCode {
    if let [first, arguments @ ..] = arguments
        && first == framing::ARGUMENT
    {
        return framing::main(arguments).unwrap_or_else(|error| {
            eprintln!("{error}");
            ExitCode::FAILURE
        });
    }
    let answer = match serve() {
        Ok(answer) => answer,
        Err(error) => Answer::Failed(error.to_string()),
    };
    // A harness that no longer listens has given up on this peer: there is nobody left to tell.
    match say(&answer) {
        Ok(()) if !matches!(answer, Answer::Failed(_)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<Answer> {
    death::die_with_parent()?;
    let mut lines = io::stdin().lock().lines();
    let job = match serde_json::from_str(&lines.next().ok_or(io::ErrorKind::UnexpectedEof)??)? {
        Order::Job(job) => *job,
        Order::Canaries => return Ok(Answer::Canaries(canary::measure())),
    };
    let transport = transport::find(&job.transport)
        .ok_or_else(|| io::Error::other(format!("no transport is called `{}`", job.transport)))?;
    let scenario = scenario::find(&job.scenario)
        .ok_or_else(|| io::Error::other(format!("no scenario is called `{}`", job.scenario)))?;

    let mut all_ready = || {
        say(&Answer::Ready)?;
        lines.next().ok_or(io::ErrorKind::UnexpectedEof)?.map(|_go| ())
    };
    let run = Run { transport, scenario, channel: job.channel, work: job.work };
    match <[JobEnd; 1]>::try_from(job.ends) {
        // A process of a single thread, because the kernel counts references to a descriptor only when threads
        // share it: a second thread, even asleep, would cost every call some nanoseconds.
        Ok([end]) => Ok(Answer::Done(vec![run.end(end, &mut all_ready)?])),
        Err(ends) => run.threads(ends, &mut all_ready).map(Answer::Done),
    }
}

/// What a thread tells the main thread.
enum Word {
    Ready,
    Over(usize, io::Result<Box<EndReport>>),
}

#[derive(Clone)]
struct Run {
    transport: &'static dyn Transport,
    scenario: &'static dyn Scenario,
    channel: ChannelSpec,
    work: Work,
}

impl Run {
    /// All ends in this process, one thread each. The first failure is returned at once: it is the cause, and the
    /// other thread, which may wait for an end that will never come, ends with the process.
    fn threads(&self, ends: Vec<JobEnd>, all_ready: scenario::Ready<'_>) -> io::Result<Vec<EndReport>> {
        let (tell, told) = mpsc::channel();
        let mut waiting = Vec::new();
        for (index, end) in ends.into_iter().enumerate() {
            let (go, goes) = mpsc::channel::<()>();
            let (run, tell) = (self.clone(), tell.clone());
            thread::spawn(move || {
                let result = run.end(end, &mut || {
                    // Either channel closes only when the main thread has given up.
                    tell.send(Word::Ready).map_err(io::Error::other)?;
                    goes.recv().map_err(io::Error::other)
                });
                let _ = tell.send(Word::Over(index, result.map(Box::new)));
            });
            waiting.push(go);
        }
        drop(tell);

        let (mut ready, mut reports) = (0, BTreeMap::new());
        for word in told {
            match word {
                Word::Ready => ready += 1,
                Word::Over(index, result) => _ = reports.insert(index, *result?),
            }
            if ready == waiting.len() {
                ready = 0;
                all_ready()?;
                for go in &waiting {
                    // A thread that has failed meanwhile has said so, and is heard next.
                    let _ = go.send(());
                }
            }
        }
        if reports.len() == waiting.len() {
            Ok(reports.into_values().collect())
        } else {
            Err(io::Error::other("an end panicked"))
        }
    }

    fn end(&self, end: JobEnd, ready: scenario::Ready<'_>) -> io::Result<EndReport> {
        if let Some(cpu) = end.cpu {
            affinity::pin(cpu).map_err(io::Error::other)?;
        }
        let handles = end.handles.into_iter().map(handle::adopt).collect::<io::Result<_>>()?;
        let parts = Parts { handles, address: end.address };
        let report = match (self.scenario.pattern(), end.role) {
            (Pattern::Pair(pair), Role::Pair(end)) => {
                let mut link = self.transport.connect(end, parts, &self.channel)?;
                let report = match end {
                    End::Initiator => pair.initiate(&self.work, &mut link, ready)?,
                    End::Responder => pair.respond(&self.work, &mut link, ready)?,
                };
                // An other end that is gone already has all that it needs.
                let _ = link.settle();
                EndReport { buffers: link.buffers, ..report }
            }
            (Pattern::Many(many), role) => {
                let transport =
                    self.transport.ring().ok_or_else(|| io::Error::other("only a ring is for many"))?;
                let ring = transport.connect_many(parts, &self.channel, many.many_senders)?;
                match role {
                    Role::Sender(index) => many.send(&self.work, ring, index, ready)?,
                    Role::Receiver(_) => many.receive(&self.work, ring, ready)?,
                    Role::Pair(_) => return Err(io::Error::other("half of a pair was to be one of many")),
                }
            }
            (Pattern::Pair(_), _) => return Err(io::Error::other("one of many was to be half of a pair")),
        };
        Ok(EndReport { thread_id: usage::thread_id(), ..report })
    }
}

fn say(answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_string(answer)?;
    line.push('\n');
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.flush()
}
