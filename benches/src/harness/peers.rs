//! One repetition: opens a channel, starts fresh peers, lets them begin together, and enforces the deadline.

use super::child::{Child, EXIT_TIMEOUT};
use super::{PeerCommand, placement};
use crate::definition::{Mode, PlannedCase};
use crate::peer::{Answer, Job, JobEnd, Order, Role};
use crate::probe::Probe;
use crate::scenario::{EndReport, Pattern};
use crate::sys::profiling::{Profile, Sampler};
use crate::sys::sysv::Objects;
use crate::sys::tracing::Tracer;
use crate::sys::{Unsupported, death, handle, noise};
use crate::transport::{Channel, End, Parts, Transport};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::process;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The reports of the ends of one repetition.
#[derive(Debug)]
pub struct Report {
    /// Initiator first in a pair; senders first if there are more ends.
    pub ends: Vec<EndReport>,
    /// Activity of the machine during the repetition.
    pub conditions: BTreeMap<String, u64>,
    /// Reasons why the repetition counts as disturbed.
    pub disturbed: Vec<String>,
    /// With the probe `profile`.
    pub profile: Option<Profile>,
}

/// One end that is not started yet.
struct Planned {
    role: Role,
    cpu: Option<u32>,
    parts: Parts,
}

/// Runs one repetition. `measuring` receives the process ids once all ends are ready.
///
/// # Errors
/// The reason, with the end: `responder: killed by signal 9`. No process is left in any case.
pub fn run(
    case: &PlannedCase,
    command: &PeerCommand,
    deadline: Duration,
    measuring: &mut dyn FnMut(&[u32]),
) -> Result<Report, String> {
    let (channel, folder, _objects) =
        open(case).map_err(|error| format!("cannot open the channel: {error}"))?;
    let cpus = placement::processors(case.placement, channel.len())?;
    let used = placement::used(&cpus);
    let ends = channel.into_iter().zip(cpus).map(|((role, parts), cpu)| Planned { role, cpu, parts });

    let (answers_sender, answers_received) = mpsc::channel();
    let mut peers = Vec::new();
    match case.mode {
        Mode::TwoProcesses => {
            for (index, end) in ends.enumerate() {
                peers.push(start(end.role.to_string(), index, case, command, vec![end], &answers_sender)?);
            }
        }
        Mode::TwoThreads => {
            peers.push(start("peer".into(), 0, case, command, ends.collect(), &answers_sender)?);
        }
    }
    drop(answers_sender);

    let until = Instant::now() + deadline;
    let mut session = PeerSession { peers, answers_received, until, deadline, tracer: None };
    session.wait_for(|answer| matches!(answer, Answer::Ready).then_some(()))?;
    // All ends are connected, so the path is removed now and cannot be left behind.
    drop(folder);
    let pids: Vec<u32> = session.peers.iter().map(Child::id).collect();
    if case.probe == Some(Probe::Syscalls) {
        let shared_cpu = if let Some(&[cpu]) = used.as_deref() { Some(cpu) } else { None };
        let tracer =
            Tracer::attach(pids.clone(), shared_cpu).map_err(|error| format!("probe syscalls: {error}"))?;
        session.tracer = Some(tracer);
    }
    let sampler = sampler(case, &pids).map_err(|Unsupported(reason)| reason)?;
    let before = noise::Reading::now(used.as_deref());
    measuring(&pids);
    session.go();
    let reports = session.wait_for(|answer| match answer {
        Answer::Done(reports) => Some(reports),
        _ => None,
    })?;
    let conditions = noise::Reading::now(used.as_deref()).since(&before);
    let profile = sampler.map(Sampler::finish);
    let mut calls = session.tracer.take().map(Tracer::finish).unwrap_or_default();
    let ends: Vec<EndReport> = reports
        .into_iter()
        .flatten()
        .map(|mut report| {
            let seen = report.thread_id.and_then(|thread| calls.remove(&thread));
            report.observation.system_calls = seen.unwrap_or_default();
            report
        })
        .collect();
    if ends.len() != case.participants.ends() as usize {
        return Err(format!("the peers reported {} ends: expected {}", ends.len(), case.participants.ends()));
    }
    Ok(Report { ends, disturbed: noise::reasons(&conditions), conditions, profile })
}

/// Starts to sample these processes if the case has that probe.
pub(super) fn sampler(case: &PlannedCase, pids: &[u32]) -> Result<Option<Sampler>, Unsupported> {
    let sampler = (case.probe == Some(Probe::Profile)).then(|| Sampler::attach(pids)).transpose();
    sampler.map_err(|error| Unsupported::because(format!("probe profile: {error}")))
}

/// The parts of each end, the folder to keep until all are connected, and the objects to keep until all have ended.
type Opened = (Vec<(Role, Parts)>, Option<TempDir>, Option<Objects>);

fn open(case: &PlannedCase) -> io::Result<Opened> {
    match case.scenario.pattern() {
        Pattern::Pair(_) => {
            let Channel { initiator, responder, folder, objects } = transport(case)?.open(&case.channel())?;
            let ends = [(End::Initiator, initiator), (End::Responder, responder)];
            Ok((ends.map(|(end, parts)| (Role::Pair(end), parts)).into(), folder, objects))
        }
        Pattern::Many(many) => {
            let ring = transport(case)?
                .ring()
                .ok_or_else(|| io::Error::other("only a ring supports several senders or receivers"))?;
            let (memory, objects) = ring.open_many(&case.channel(), many.many_senders)?;
            let senders = (0..case.participants.senders).map(Role::Sender);
            let receivers = (0..case.participants.receivers).map(Role::Receiver);
            let ends =
                senders.chain(receivers).map(|role| Ok((role, Parts::from_handles([memory.try_clone()?]))));
            Ok((ends.collect::<io::Result<_>>()?, None, objects))
        }
    }
}

fn transport(case: &PlannedCase) -> io::Result<&'static dyn Transport> {
    case.transport.transport().ok_or_else(|| io::Error::other("a program creates its own channel"))
}

fn job(case: &PlannedCase, ends: &[Planned], child: &process::Child) -> io::Result<Job> {
    let end = |Planned { role, cpu, parts }: &Planned| {
        Ok(JobEnd {
            role: *role,
            cpu: *cpu,
            handles: parts
                .handles
                .iter()
                .map(|handle| handle::pass(child, handle))
                .collect::<io::Result<_>>()?,
            address: parts.address.clone(),
        })
    };
    Ok(Job {
        transport: case.transport.info().slug.to_string(),
        scenario: case.scenario.slug().to_owned(),
        channel: case.channel(),
        work: case.work.clone(),
        ends: ends.iter().map(end).collect::<io::Result<_>>()?,
    })
}

fn start(
    name: String,
    index: usize,
    case: &PlannedCase,
    command: &PeerCommand,
    ends: Vec<Planned>,
    answers_sender: &Sender<(usize, Option<Answer>)>,
) -> Result<Child, String> {
    let mut process = command.process();
    handle::prepare(&mut process, ends.iter().flat_map(|end| &end.parts.handles));
    // From here on, it is killed if anything fails.
    let (mut peer, stdout) = Child::start(name, process)?;
    let failed = |peer: &Child, what: &str, error: io::Error| format!("{}: {what}: {error}", peer.name());
    death::bind(peer.process()).map_err(|error| failed(&peer, "binding it to this process", error))?;
    let job =
        job(case, &ends, peer.process()).map_err(|error| failed(&peer, "passing it its ends", error))?;
    // Only the peer holds the channel now: if it dies, its ends are closed.
    drop(ends);

    let line = serde_json::to_string(&Order::Job(Box::new(job))).map_err(|error| error.to_string())?;
    let sent = peer.send_line(&line);
    if let Some(stdout) = stdout {
        let answers_sender = answers_sender.clone();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let answer = line.ok().and_then(|line| serde_json::from_str(&line).ok());
                if answer.is_none() || answers_sender.send((index, answer)).is_err() {
                    break;
                }
            }
            let _ = answers_sender.send((index, None));
        });
    }
    match sent {
        // It ended before reading: the reason is reported when its answer is awaited.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(peer),
        Err(error) => Err(failed(&peer, "sending the job", error)),
        Ok(()) => Ok(peer),
    }
}

struct PeerSession {
    /// Must be dropped before the peers, so it is the first field: fields are dropped in order.
    tracer: Option<Tracer>,
    peers: Vec<Child>,
    answers_received: Receiver<(usize, Option<Answer>)>,
    until: Instant,
    deadline: Duration,
}

impl PeerSession {
    /// Waits for this answer from every peer; returns the answers in the order of peers.
    fn wait_for<T>(&mut self, wanted: impl Fn(Answer) -> Option<T>) -> Result<Vec<T>, String> {
        let mut answers: Vec<Option<T>> = self.peers.iter().map(|_| None).collect();
        while answers.iter().any(Option::is_none) {
            let left = self.until.saturating_duration_since(Instant::now());
            match self.answers_received.recv_timeout(left) {
                Ok((index, Some(Answer::Failed(reason)))) => {
                    return Err(self.fail(index, Some(reason), false));
                }
                Ok((index, Some(answer))) => match wanted(answer) {
                    Some(answer) => answers[index] = Some(answer),
                    None => return Err(self.fail(index, Some("sent an unexpected message".into()), false)),
                },
                // A peer may end after it has answered.
                Ok((index, None)) if answers[index].is_some() => {}
                Ok((index, None)) => return Err(self.fail(index, None, false)),
                Err(_) => {
                    let silent = answers.iter().position(Option::is_none).unwrap_or(0);
                    return Err(self.fail(silent, None, true));
                }
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    fn go(&mut self) {
        for peer in &mut self.peers {
            // If the peer has died, this is detected when its answer is awaited.
            let _ = peer.send_line("go");
        }
    }

    /// Builds the failure message: the peer that failed first, then the reports of the others within a moment. The
    /// first symptom (a closed channel) is often not the cause (a killed process).
    fn fail(&mut self, first: usize, reason: Option<String>, timed_out: bool) -> String {
        self.tracer = None;
        let mut reason_given: Vec<Option<String>> = self.peers.iter().map(|_| None).collect();
        // A peer that ended without a report is the cause; the others only report that it is gone.
        let is_cause = reason.is_none() && !timed_out;
        reason_given[first] = reason;
        let until = Instant::now() + if is_cause { Duration::ZERO } else { EXIT_TIMEOUT };
        let mut ended = vec![false; self.peers.len()];
        ended[first] = !timed_out;
        while ended.contains(&false) {
            match self.answers_received.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok((index, Some(Answer::Failed(reason)))) => {
                    reason_given[index] = Some(reason);
                    ended[index] = true;
                }
                Ok((index, None)) => ended[index] = true,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        let silence = if timed_out {
            format!("no response within {} s", self.deadline.as_secs_f32())
        } else {
            "waited for the other end".to_owned()
        };
        let peers = self.peers.drain(..).zip(reason_given).zip(ended);
        let words: Vec<String> = peers
            .map(|((peer, reason_given), ended)| peer.end_with_reason(reason_given, ended, &silence))
            .collect();
        words.join("; ")
    }
}
