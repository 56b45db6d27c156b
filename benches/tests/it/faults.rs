//! Peers that die, hang, send garbage or never start: each is a failure with its reason, and leaves nothing behind.

use crate::processes::{self, KILLED, shell};
use crate::support::{
    DEADLINE, FREE_PROCESSES, Leftovers, case, channel, peer, plain, plan, run_and_kill, run_once, serialize,
    sleeping_ring,
};
use roundtrip_bench::definition::{Mode, Placement, Plan, PlannedCase, Repetitions};
use roundtrip_bench::harness::{self, PeerCommand, peers};
use roundtrip_bench::link::Link;
use roundtrip_bench::sys::Unsupported;
use roundtrip_bench::transport::{self, About, Channel, ChannelSpec, End, Parts, Transport};
use std::io;
use std::time::Duration;

/// More work than any test waits for, but not so much that touching the memory for its samples takes long.
fn endless(transport: &'static dyn Transport, mode: Mode) -> PlannedCase {
    let mut case = case(transport, "roundtrip", (mode, Placement::Free), 64);
    case.work.operations = 2_000_000;
    case
}

#[test]
fn reports_a_killed_peer_on_every_transport() {
    let _turn = serialize();
    for &transport in transport::ALL.iter().filter(|transport| transport.support(&channel(64)).is_ok()) {
        for (mode, victim, name) in [
            (Mode::TwoProcesses, 0, "initiator"),
            (Mode::TwoProcesses, 1, "responder"),
            (Mode::TwoThreads, 0, "peer"),
        ] {
            let _leftovers = Leftovers::none();
            let failure = run_and_kill(&endless(transport, mode), victim);
            assert!(failure.contains(&format!("{name}: {KILLED}")), "{}: {failure}", transport.info().slug);
        }
    }
}

/// With 8 MiB, which no channel holds, a kill nearly always interrupts a message.
#[test]
fn reports_a_peer_killed_during_a_message() {
    let _turn = serialize();
    for &transport in transport::ALL {
        let mut planned = case(transport, "stream", FREE_PROCESSES, 8 << 20);
        planned.work.operations = 100_000;
        if let Err(reason) = harness::support(&planned) {
            println!("{}: not run, because {reason}", transport.info().slug);
            continue;
        }
        for (victim, name) in ["initiator", "responder"].into_iter().enumerate() {
            let _leftovers = Leftovers::none();
            let failure = run_and_kill(&planned, victim);
            assert!(failure.contains(&format!("{name}: {KILLED}")), "{planned}: {failure}");
        }
    }
}

#[test]
fn gives_up_a_stopped_peer_at_the_deadline() {
    let _turn = serialize();
    for transport in [plain(), sleeping_ring(), transport::find("udp").unwrap()] {
        let _leftovers = Leftovers::none();
        let planned = endless(transport, Mode::TwoProcesses);
        let failure =
            peers::run(&planned, &peer(), Duration::from_secs(1), &mut |pids| processes::stop(pids[1]))
                .unwrap_err();
        assert!(failure.contains("no response within 1 s, killed"), "{planned}: {failure}");
    }
}

#[test]
fn reports_a_peer_that_cannot_start_or_sends_garbage() {
    let _turn = serialize();
    let planned = case(plain(), "roundtrip", FREE_PROCESSES, 64);
    let run = |command: PeerCommand| peers::run(&planned, &command, DEADLINE, &mut |_| {}).unwrap_err();
    let _leftovers = Leftovers::none();
    let nothing = PeerCommand { program: "/nonexistent/peer".into(), arguments: Vec::new() };
    assert!(run(nothing).contains("cannot start initiator"));
    let failure = run(shell("cat > /dev/null & echo rubbish; exec >&-; wait", "echo rubbish"));
    assert!(failure.starts_with("initiator: "), "{failure}");
    let failure = run(shell("echo what went wrong >&2; exit 3", "echo what went wrong>&2& exit 3"));
    assert!(failure.contains("exited with code 3") && failure.contains("what went wrong"), "{failure}");
}

#[test]
fn gives_up_only_the_failing_case() {
    let _turn = serialize();
    let pipe = plain();
    let mut failing = endless(pipe, Mode::TwoProcesses);
    failing.repetitions = Repetitions::exactly(5);
    let mut fine = case(pipe, "roundtrip", FREE_PROCESSES, 65);
    fine.repetitions = Repetitions::exactly(5);
    let plan = Plan { deadline: Duration::from_secs(1), ..plan(vec![failing, fine]) };
    let outcome = harness::run(&plan, &peer(), 3, &mut |_| {});
    assert_eq!((outcome.results[0].repetitions.len(), outcome.results[0].failures.len()), (0, 2));
    assert_eq!((outcome.results[1].repetitions.len(), outcome.results[1].failures.len()), (5, 0));
}

#[test]
fn reports_a_failed_connection_without_waiting() {
    let _turn = serialize();
    for (mode, name) in [(Mode::TwoProcesses, "initiator: "), (Mode::TwoThreads, "peer: ")] {
        let planned = case(&BROKEN, "roundtrip", (mode, Placement::Free), 64);
        let failure = run_once(&planned).unwrap_err();
        assert!(failure.contains(name) && failure.contains("no address passed"), "{failure}");
    }
}

/// Pretends to be `tcp`, but gives its initiator no address.
struct Broken;
static BROKEN: Broken = Broken;

impl Transport for Broken {
    fn about(&self) -> About {
        transport::find("tcp").unwrap().about()
    }

    fn support(&self, _channel: &ChannelSpec) -> Result<(), Unsupported> {
        Ok(())
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let mut channel = transport::find("tcp").unwrap().open(channel)?;
        channel.initiator.address = None;
        Ok(channel)
    }

    fn connect(&self, _end: End, _parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        unreachable!("the peer finds the real transport by its slug")
    }
}
