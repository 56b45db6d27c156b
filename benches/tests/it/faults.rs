//! Peers that die, hang, talk rubbish or never start: each a failure with its reason, and nothing left behind.

use crate::processes::{self, KILLED, shell};
use crate::support::{DEADLINE, Leftovers, alone, case, channel, peer, plain, sleeping_ring};
use roundtrip_bench::definition::{Mode, Placement, Plan, PlannedCase, Repetitions};
use roundtrip_bench::harness::{self, PeerCommand, peers};
use roundtrip_bench::link::Link;
use roundtrip_bench::sys::Unsupported;
use roundtrip_bench::transport::{self, About, Channel, ChannelSpec, End, Parts, Transport};
use roundtrip_wire::Slug;
use std::io;
use std::time::Duration;

/// More work than any test waits for, but not so much that touching the memory for its samples takes long.
fn endless(transport: &'static dyn Transport, mode: Mode) -> PlannedCase {
    let mut case = case(transport, "roundtrip", (mode, Placement::Free), 64);
    case.work.operations = 2_000_000;
    case
}

#[test]
fn a_killed_peer_is_named_with_its_signal_on_every_transport() {
    let _turn = alone();
    for &transport in transport::ALL.iter().filter(|transport| transport.support(&channel(64)).is_ok()) {
        for (mode, victim, name) in [
            (Mode::TwoProcesses, 0, "initiator"),
            (Mode::TwoProcesses, 1, "responder"),
            (Mode::TwoThreads, 0, "peer"),
        ] {
            let _leftovers = Leftovers::none();
            let failure = peers::run(&endless(transport, mode), &peer(), DEADLINE, &mut |pids| {
                processes::kill(pids[victim]);
            })
            .unwrap_err();
            assert!(failure.contains(&format!("{name}: {KILLED}")), "{}: {failure}", transport.info().slug);
        }
    }
}

/// Of 8 MiB, which no channel holds, nearly every moment is in the middle of one.
#[test]
fn a_peer_killed_in_the_middle_of_a_message_is_named() {
    let _turn = alone();
    for &transport in transport::ALL {
        let mut planned = case(transport, "stream", (Mode::TwoProcesses, Placement::Free), 8 << 20);
        planned.work.operations = 100_000;
        if let Err(reason) = harness::support(&planned) {
            println!("{}: not run, because {reason}", transport.info().slug);
            continue;
        }
        for (victim, name) in ["initiator", "responder"].into_iter().enumerate() {
            let _leftovers = Leftovers::none();
            let failure = peers::run(&planned, &peer(), DEADLINE, &mut |pids| processes::kill(pids[victim]))
                .unwrap_err();
            assert!(failure.contains(&format!("{name}: {KILLED}")), "{planned}: {failure}");
        }
    }
}

#[test]
fn a_stopped_peer_is_given_up_at_the_deadline() {
    let _turn = alone();
    for transport in [plain(), sleeping_ring(), transport::find("udp").unwrap()] {
        let _leftovers = Leftovers::none();
        let planned = endless(transport, Mode::TwoProcesses);
        let failure =
            peers::run(&planned, &peer(), Duration::from_secs(1), &mut |pids| processes::stop(pids[1]))
                .unwrap_err();
        assert!(failure.contains("no answer within 1 s, killed"), "{planned}: {failure}");
    }
}

#[test]
fn a_peer_that_cannot_start_or_talks_rubbish_is_named() {
    let _turn = alone();
    let planned = case(plain(), "roundtrip", (Mode::TwoProcesses, Placement::Free), 64);
    let run = |command: PeerCommand| peers::run(&planned, &command, DEADLINE, &mut |_| {}).unwrap_err();
    let _leftovers = Leftovers::none();
    let nothing = PeerCommand { program: "/nonexistent/peer".into(), arguments: Vec::new() };
    assert!(run(nothing).contains("initiator: starting it"));
    let failure = run(shell("cat > /dev/null & echo rubbish; exec >&-; wait", "echo rubbish"));
    assert!(failure.starts_with("initiator: "), "{failure}");
    let failure = run(shell("echo what went wrong >&2; exit 3", "echo what went wrong>&2& exit 3"));
    assert!(failure.contains("exit code 3") && failure.contains("what went wrong"), "{failure}");
}

#[test]
fn a_failing_case_is_given_up_and_the_others_go_on() {
    let _turn = alone();
    let pipe = plain();
    let setting = (Mode::TwoProcesses, Placement::Free);
    let mut failing = endless(pipe, Mode::TwoProcesses);
    failing.repetitions = Repetitions::exactly(5);
    let mut fine = case(pipe, "roundtrip", setting, 65);
    fine.repetitions = Repetitions::exactly(5);
    let plan = Plan {
        preset: Slug::from_name("faults"),
        about: String::new(),
        cases: vec![failing, fine],
        deadline: Duration::from_secs(1),
    };
    let outcome = harness::run(&plan, &peer(), 3, &mut |_| {});
    assert_eq!((outcome.results[0].repetitions.len(), outcome.results[0].failures.len()), (0, 2));
    assert_eq!((outcome.results[1].repetitions.len(), outcome.results[1].failures.len()), (5, 0));
}

#[test]
fn an_end_that_cannot_connect_is_named_without_waiting_for_the_other() {
    let _turn = alone();
    for (mode, name) in [(Mode::TwoProcesses, "initiator: "), (Mode::TwoThreads, "peer: ")] {
        let planned = case(&BROKEN, "roundtrip", (mode, Placement::Free), 64);
        let failure = peers::run(&planned, &peer(), DEADLINE, &mut |_| {}).unwrap_err();
        assert!(failure.contains(name) && failure.contains("no address was passed"), "{failure}");
    }
}

/// Claims to be `tcp`, and passes its initiator nothing to connect to.
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
