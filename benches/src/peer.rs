//! The code in a peer process: one end of a channel, or all ends as threads.
//!
//! The harness communicates with it in lines of JSON: an [`Order`] in, `ready` out, `go` in, an [`Answer`] out. Nothing
//! crosses these pipes between `go` and the answer.

use crate::canary;
use crate::probe::Probe;
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

/// The order in the first line of standard input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Be one or all ends of a channel.
    Job(Box<Job>),
    /// Measure the canaries, in a process that uses no other memory.
    Canaries,
}

/// The job of a peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Slug of the transport.
    pub transport: String,
    /// Slug of the scenario.
    pub scenario: String,
    /// Required properties of the channel.
    pub channel: ChannelSpec,
    /// Amount of work.
    pub work: Work,
    /// One end, or all.
    pub ends: Vec<JobEnd>,
}

/// The role of an end in its scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// An end of a pair.
    Pair(End),
    /// One of several senders, counted from 0.
    Sender(u32),
    /// One of several receivers, counted from 0.
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
    /// Its role.
    pub role: Role,
    /// The processor to pin it to.
    pub cpu: Option<u32>,
    /// Handles to take over.
    pub handles: Vec<Ticket>,
    /// The address to connect to.
    pub address: Option<String>,
}

/// A message from a peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Connected, memory touched.
    Ready,
    /// Done: one report per end, in the order of the job's ends.
    Done(Vec<EndReport>),
    /// The canaries.
    Canaries(Vec<Canary>),
    /// It failed, with the reason.
    Failed(String),
}

/// Runs one job from standard input, or, with arguments, one end of a bundled program. This is the hidden `peer`
/// command.
pub fn main(arguments: &[String]) -> ExitCode {
    if let [first, arguments @ ..] = arguments
        && first == framing::ARGUMENT
    {
        return framing::main(arguments).unwrap_or_else(|error| {
            eprintln!("{error}");
            ExitCode::FAILURE
        });
    }
    let (answer, is_profiled) = match serve() {
        Ok(served) => served,
        Err(error) => (Answer::Failed(error.to_string()), false),
    };
    // A harness that no longer listens has given up on this peer.
    let sent = send(&answer);
    if is_profiled {
        // The names of its functions are read from its memory maps, so it stays until standard input is closed.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
    }
    match sent {
        Ok(()) if !matches!(answer, Answer::Failed(_)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// The answer, and whether a profile is taken of this process.
fn serve() -> io::Result<(Answer, bool)> {
    death::die_with_parent()?;
    let mut lines = io::stdin().lock().lines();
    let job = match serde_json::from_str(&lines.next().ok_or(io::ErrorKind::UnexpectedEof)??)? {
        Order::Job(job) => *job,
        Order::Canaries => return Ok((Answer::Canaries(canary::measure()), false)),
    };
    let transport = transport::find(&job.transport)
        .ok_or_else(|| io::Error::other(format!("unknown transport `{}`", job.transport)))?;
    let scenario = scenario::find(&job.scenario)
        .ok_or_else(|| io::Error::other(format!("unknown scenario `{}`", job.scenario)))?;

    let mut all_ready = || {
        send(&Answer::Ready)?;
        lines.next().ok_or(io::ErrorKind::UnexpectedEof)?.map(|_go| ())
    };
    let run = Run { transport, scenario, channel: job.channel, work: job.work };
    let is_profiled = run.work.probe == Some(Probe::Profile);
    let reports = match <[JobEnd; 1]>::try_from(job.ends) {
        // A process of a single thread, because the kernel counts references to a descriptor only when threads
        // share it: a second thread, even asleep, would cost every call some nanoseconds.
        Ok([end]) => vec![run.end(end, &mut all_ready)?],
        Err(ends) => run.threads(ends, &mut all_ready)?,
    };
    Ok((Answer::Done(reports), is_profiled))
}

/// A message from a thread to the main thread.
enum ThreadMessage {
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
    /// Runs all ends in this process, one thread each. Returns the first failure immediately: it is the cause. Another
    /// thread may wait for an end that never comes; it ends with the process.
    fn threads(&self, ends: Vec<JobEnd>, all_ready: scenario::Ready<'_>) -> io::Result<Vec<EndReport>> {
        let (sender, receiver) = mpsc::channel();
        let mut waiting = Vec::new();
        for (index, end) in ends.into_iter().enumerate() {
            let (go, goes) = mpsc::channel::<()>();
            let (run, sender) = (self.clone(), sender.clone());
            thread::spawn(move || {
                let result = run.end(end, &mut || {
                    // Either channel closes only after the main thread has given up.
                    sender.send(ThreadMessage::Ready).map_err(io::Error::other)?;
                    goes.recv().map_err(io::Error::other)
                });
                let _ = sender.send(ThreadMessage::Over(index, result.map(Box::new)));
            });
            waiting.push(go);
        }
        drop(sender);

        let (mut ready, mut reports) = (0, BTreeMap::new());
        for message in receiver {
            match message {
                ThreadMessage::Ready => ready += 1,
                ThreadMessage::Over(index, result) => _ = reports.insert(index, *result?),
            }
            if ready == waiting.len() {
                ready = 0;
                all_ready()?;
                for go in &waiting {
                    // A thread that has failed has reported it; that report is read next.
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
                // If the other end is gone, it has everything it needs.
                let _ = link.finish();
                EndReport { buffers: link.buffers, ..report }
            }
            (Pattern::Many(many), role) => {
                let transport = self
                    .transport
                    .ring()
                    .ok_or_else(|| io::Error::other("only a ring supports several senders or receivers"))?;
                let ring = transport.connect_many(parts, &self.channel, many.many_senders)?;
                match role {
                    Role::Sender(index) => many.send(&self.work, ring, index, ready)?,
                    Role::Receiver(_) => many.receive(&self.work, ring, ready)?,
                    Role::Pair(_) => {
                        return Err(io::Error::other("expected a member of a ring, found an end of a pair"));
                    }
                }
            }
            (Pattern::Pair(_), _) => {
                return Err(io::Error::other("expected an end of a pair, found a member of a ring"));
            }
        };
        Ok(EndReport { thread_id: usage::thread_id(), ..report })
    }
}

fn send(answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_string(answer)?;
    line.push('\n');
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.flush()
}
