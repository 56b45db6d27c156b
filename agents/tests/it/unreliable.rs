//! Agents with slow, reset or interrupted connections: all reports arrive unchanged, and none stays pending.

use crate::agent::Lab;
use crate::fault_rounds;
use crate::proxy::{Fault, Proxy};
use crate::server::{Request, Response, StatefulServer, receipt};
use flate2::{Compression, write::GzEncoder};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const AGENTS: usize = 8;

/// Reports by id.
type Reports = BTreeMap<String, Vec<u8>>;

/// Stores an upload.
fn keep(request: &Request, stored: &mut Reports) -> Response {
    let id = request.path().rsplit('/').next().unwrap().to_owned();
    let before = stored.insert(id, request.body.clone());
    assert!(before.as_ref().is_none_or(|before| *before == request.body), "another report under the same id");
    let status = if before.is_none() { "201 Created" } else { "200 OK" };
    (status, receipt(&request.body).into())
}

/// Reports of about `compressed_bytes` when compressed, by id.
fn reports(seed: u64, count: usize, compressed_bytes: usize) -> Reports {
    let mut random = StdRng::seed_from_u64(seed);
    let report = |number: usize| {
        let id = format!("019aa8f0-5c1e-7b3a-9f00-{seed:04x}{number:08x}");
        // A hexadecimal digit is half a byte.
        let noise: String = (0..compressed_bytes).map(|_| format!("{:02x}", random.random::<u8>())).collect();
        let report = format!(r#"{{"run_id":"{id}","project":"libfoo","noise":"{noise}"}}"#);
        (id, report.into_bytes())
    };
    (0..count).map(report).collect()
}

fn compressed(report: &[u8]) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(report).unwrap();
    encoder.finish().unwrap().len()
}

/// Runs concurrent agents, each with pending reports and its own proxy, until all reports arrive. Returns the
/// number of interrupted connections.
fn deliver(waiting: Vec<Reports>, way: impl Fn(&str, usize) -> Proxy) -> usize {
    let store = StatefulServer::start(keep);
    let ways: Vec<Proxy> = (0..waiting.len()).map(|number| way(&store.address, number)).collect();
    let labs: Vec<Lab> = ways.iter().map(|way| Lab::new(&way.url, 1)).collect();
    for (lab, reports) in labs.iter().zip(&waiting) {
        for (id, report) in reports {
            std::fs::write(lab.path("spool").join(format!("{id}.json")), report).unwrap();
        }
    }
    let mut agents: Vec<_> = labs.iter().map(Lab::agent).collect();
    for (agent, reports) in agents.iter_mut().zip(&waiting) {
        // The checked-out commit is measured as well.
        for _ in 0..=reports.len() {
            agent.line("uploaded ");
        }
    }
    drop(agents);
    let stored = store.change(std::mem::take);
    let sent = waiting.iter().flatten();
    for (id, report) in sent.clone() {
        assert!(stored.get(id) == Some(report), "{id} has not arrived as it was");
    }
    assert_eq!(stored.len(), sent.count() + labs.len(), "and nothing else has");
    for lab in &labs {
        assert_eq!(lab.waiting(), Vec::<String>::new(), "files are left");
    }
    let broken = ways.iter().map(Proxy::broken).sum();
    println!("{} reports of {} agents arrived; {broken} connections were broken", stored.len(), labs.len());
    broken
}

#[test]
fn reports_survive_interrupted_connections() {
    const KIB: usize = 1_024;
    let largest = reports(0, 1, 20 * KIB);
    let upload_bytes = compressed(largest.values().next().unwrap());
    // In the middle of the header, and of each kilobyte of the body.
    let asking = (0..=upload_bytes / KIB).map(|number| Fault::CutAsking(number * KIB + KIB / 4));
    // An answer has a quarter of a kilobyte.
    let answering = (0..4).map(|number| Fault::CutAnswering(number * KIB / 16));
    let faults: Vec<Fault> = asking.chain(answering).collect();
    // The first attempt of each report meets a fault, the second none.
    let of_agent = |number: usize| faults.iter().copied().skip(number).step_by(AGENTS);
    let waiting =
        (0..AGENTS).map(|number| reports(number as u64, of_agent(number).count(), 20 * KIB)).collect();
    let broken = deliver(waiting, |server, number| {
        let faults: Vec<Fault> = of_agent(number).flat_map(|fault| [fault, Fault::None]).collect();
        let mut faults = faults.into_iter();
        Proxy::new(server, Duration::ZERO, move || faults.next().unwrap_or(Fault::None))
    });
    assert_eq!(broken, faults.len());
}

#[test]
fn reports_survive_latency_and_resets() {
    let waiting = (0..AGENTS).map(|number| reports(number as u64, fault_rounds(5), 1_024)).collect();
    let fault = Arc::new(Mutex::new(a_reset_in_twenty()));
    let broken = deliver(waiting, |server, _| {
        let fault = Arc::clone(&fault);
        Proxy::new(server, Duration::from_secs(2), move || (fault.lock().unwrap())())
    });
    assert!(broken > 1, "{broken} were reset");
}

/// One random connection of each twenty is reset.
fn a_reset_in_twenty() -> impl FnMut() -> Fault + Send {
    let (mut random, mut next) = (StdRng::seed_from_u64(1), Vec::new());
    move || {
        if next.is_empty() {
            next = vec![Fault::None; 20];
            next[0] = Fault::Reset;
            next.shuffle(&mut random);
        }
        next.pop().unwrap()
    }
}
