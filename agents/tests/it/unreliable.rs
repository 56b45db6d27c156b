//! An agent whose way to the server is slow, is reset or is cut wherever it may be: all reports arrive, as they were written,
//! and none is left.

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

/// Reports by their ids.
type Reports = BTreeMap<String, Vec<u8>>;

/// Keeps what is uploaded.
fn keep(request: &Request, stored: &mut Reports) -> Response {
    let id = request.path().rsplit('/').next().unwrap().to_owned();
    let before = stored.insert(id, request.body.clone());
    assert!(before.as_ref().is_none_or(|before| *before == request.body), "another report under the same id");
    let status = if before.is_none() { "201 Created" } else { "200 OK" };
    (status, receipt(&request.body).into())
}

/// Reports of about so many bytes when they are compressed, by their ids.
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

/// Agents at once, each with reports that wait and a way of its own: all of them arrive. Returns how many connections broke.
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
        // The commit that it has checked out is measured as well.
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
fn cut_at_any_kilobyte_of_an_upload_or_its_answer_every_report_arrives_as_it_is() {
    const KIB: usize = 1_024;
    let largest = reports(0, 1, 20 * KIB);
    let upload_bytes = compressed(largest.values().next().unwrap());
    // In the middle of the head, and of each kilobyte of the body.
    let asking = (0..=upload_bytes / KIB).map(|number| Fault::CutAsking(number * KIB + KIB / 4));
    // An answer is a quarter of a kilobyte.
    let answering = (0..4).map(|number| Fault::CutAnswering(number * KIB / 16));
    let faults: Vec<Fault> = asking.chain(answering).collect();
    // Each report's first attempt meets a fault, and its second one none.
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
fn over_two_seconds_of_latency_with_every_twentieth_connection_reset_every_report_arrives() {
    let waiting = (0..AGENTS).map(|number| reports(number as u64, fault_rounds(5), 1_024)).collect();
    let fault = Arc::new(Mutex::new(a_reset_in_twenty()));
    let broken = deliver(waiting, |server, _| {
        let fault = Arc::clone(&fault);
        Proxy::new(server, Duration::from_secs(2), move || (fault.lock().unwrap())())
    });
    assert!(broken > 1, "{broken} were reset");
}

/// Of each twenty connections one, drawn, is reset.
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
