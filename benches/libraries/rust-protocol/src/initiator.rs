//! The initiator: starts the responder, sends the messages and measures.

use crate::case::{Case, Counts, Request};
use crate::responder::{ROLE, Report};
use crate::{Initiator, Library, Result, clock, print_line, read_line};
use serde_json::json;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use tempfile::TempDir;

/// Starts the responder while the initiator opens its end.
pub struct Start {
    case: Case,
    responder: Option<ResponderProcess>,
    folder: Option<TempDir>,
}

impl Start {
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// A path for a socket in a new folder. It is removed when both ends are connected.
    pub fn socket_path(&mut self) -> Result<PathBuf> {
        let folder = tempfile::Builder::new().prefix("roundtrip-").tempdir()?;
        let path = folder.path().join("socket");
        self.folder = Some(folder);
        Ok(path)
    }

    /// Starts the responder with this address and waits until it is ready.
    pub fn responder(&mut self, address: impl AsRef<Path>) -> Result<()> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(std::env::args().skip(1))
            .args([ROLE, &serde_json::to_string(&self.case)?])
            .arg(address.as_ref());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let no_pipe = "the responder has no pipe";
        let requests = child.stdin.take().ok_or(no_pipe)?;
        let output = BufReader::new(child.stdout.take().ok_or(no_pipe)?);
        let is_ending = Arc::new(AtomicBool::new(false));
        let reports = read_reports(output, Arc::clone(&is_ending));
        let responder = ResponderProcess { child, requests: Some(requests), reports, is_ending };
        let report = responder.reports.recv()?;
        self.responder = Some(responder);
        match report {
            Report::Ready => Ok(()),
            other => Err(unexpected(&other, "ready")),
        }
    }
}

struct ResponderProcess {
    child: Child,
    requests: Option<ChildStdin>,
    reports: Receiver<Report>,
    is_ending: Arc<AtomicBool>,
}

impl ResponderProcess {
    fn counts(&mut self) -> Result<Counts> {
        self.requests.as_mut().ok_or("the responder is ending")?.write_all(b"counts\n")?;
        match self.reports.recv()? {
            Report::Counts(counts) => Ok(counts),
            other => Err(unexpected(&other, "counts")),
        }
    }

    fn received_at_ns(&self) -> Result<u64> {
        match self.reports.recv()? {
            Report::Received { at_ns } => Ok(at_ns),
            other => Err(unexpected(&other, "received")),
        }
    }
}

impl Drop for ResponderProcess {
    fn drop(&mut self) {
        self.is_ending.store(true, Ordering::Relaxed);
        // It exits when its standard input closes.
        self.requests = None;
        let _ = self.child.wait();
    }
}

fn unexpected(report: &Report, expected: &str) -> Box<dyn std::error::Error> {
    format!("the responder reported {report:?}: expected {expected}").into()
}

/// Forwards the responder's lines. If it fails or dies while this process may wait for a message, ends this process.
fn read_reports(mut output: BufReader<process::ChildStdout>, is_ending: Arc<AtomicBool>) -> Receiver<Report> {
    let (sender, reports) = mpsc::channel();
    thread::spawn(move || {
        let why = loop {
            let line = read_line(&mut output).ok().flatten();
            match line.as_deref().map(serde_json::from_str) {
                None => break "the responder exited".to_owned(),
                Some(Err(error)) => break format!("the responder printed an invalid line: {error}"),
                Some(Ok(Report::Failed(why))) => break format!("the responder failed: {why}"),
                Some(Ok(report)) => drop(sender.send(report)),
            }
        };
        if !is_ending.load(Ordering::Relaxed) {
            let _ = print_line(&json!({ "failed": why }));
            process::exit(1);
        }
    });
    reports
}

pub(crate) fn run<I: Initiator>(
    library: &Library,
    initiate: impl FnOnce(&mut Start) -> Result<I>,
) -> Result<()> {
    let mut harness = io::stdin().lock();
    let Some(line) = read_line(&mut harness)? else { return Ok(()) };
    let Request { protocol, case } = serde_json::from_str(&line)?;
    if protocol != 1 {
        return print_line(&json!({ "unsupported": format!("protocol version {protocol}: expected 1") }));
    }
    if let Some(why) = case.unsupported(library) {
        return print_line(&json!({ "unsupported": why }));
    }
    let mut start = Start { case, responder: None, folder: None };
    let mut initiator = initiate(&mut start)?;
    let Start { case, responder, folder } = start;
    let mut responder = responder.ok_or("the responder was not started")?;
    drop(folder);
    print_line(&json!({ "connected": {
        "initiator_pid": process::id(),
        "responder_pid": responder.child.id(),
        "facts": { "version": library.version, "settings": library.settings },
    } }))?;
    let mut first = -case.warmup_samples;
    // The harness sends "go" for each part, and closes standard input after the last.
    while read_line(&mut harness)?.is_some() {
        measure(&case, first, &mut initiator, &mut responder)?;
        first = first.max(0) + case.samples;
    }
    // First, so that the initiator's end can release what both share.
    drop(responder);
    Ok(())
}

/// Measures a part that begins with this sample, and prints its results. The first part begins with the warm-up, whose
/// samples are negative.
fn measure(
    case: &Case,
    first: i64,
    initiator: &mut impl Initiator,
    responder: &mut ResponderProcess,
) -> Result<()> {
    let mut message = vec![b'.'; case.message_bytes];
    let (mut answers, mut samples_ns) = (Counts::default(), Vec::new());
    let (mut first_send_ns, mut last_receipt_ns) = (0, 0);
    let messages_per_sample = case.messages_per_sample();
    for sample in first..first.max(0) + case.samples {
        let begin_ns = clock::now_ns();
        if sample == first.max(0) {
            first_send_ns = begin_ns;
        }
        for number in sample * messages_per_sample..(sample + 1) * messages_per_sample {
            case.write_header(number, &mut message);
            if case.is_stream() {
                initiator.send(&message)?;
                continue;
            }
            let answer = initiator.call(&message)?;
            last_receipt_ns = clock::now_ns();
            answers.add(case, number, &answer)?;
            if sample < 0 && *answer != *message {
                return Err("the responder returned a different message".into());
            }
        }
        if case.is_stream() {
            last_receipt_ns = responder.received_at_ns()?;
        }
        if sample >= 0 {
            samples_ns.push(last_receipt_ns - begin_ns);
        }
    }
    let received = responder.counts()?;
    let attempted = case.samples * messages_per_sample;
    let mut done = json!({
        "samples_ns": samples_ns,
        "elapsed_ns": last_receipt_ns - first_send_ns,
        "attempted": attempted,
        "accepted": attempted,
        "delivered": received.delivered,
        "responder_sum": received.sum,
    });
    if !case.is_stream() {
        done["delivered"] = received.delivered.min(answers.delivered).into();
        done["initiator_sum"] = answers.sum.into();
    }
    print_line(&json!({ "done": done }))
}
