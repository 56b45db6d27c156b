//! `route` and the channels: every receiver gets every message, or the counts show the losses.

use crate::processes::KILLED;
use crate::support::{
    FREE_PROCESSES, Leftovers, case, peer, plain, plan, run_and_kill, serialize, sleeping_ring,
};
use roundtrip_bench::definition::{Mode, Participants, Placement, PlannedCase};
use roundtrip_bench::harness;
use roundtrip_bench::ring::{Waiting, WakeRule};
use roundtrip_bench::scenario::{self, Pattern, Work};
use roundtrip_bench::sys::affinity;
use roundtrip_bench::transport::{self, Manner, OnFull, Storage, Transport};
use roundtrip_wire::CaseResult;

const MESSAGES: u64 = 2_000;

fn to_many(transport: &'static dyn Transport, scenario: &str, peers: u32) -> PlannedCase {
    let scenario = scenario::find(scenario).unwrap();
    let Pattern::Many(many) = scenario.pattern() else { panic!("{} is for two", scenario.slug()) };
    let participants: Participants = (many.participants)(peers);
    let work = Work {
        message_bytes: 256,
        size_profile: Some("uniform-2-256".into()),
        messages_per_operation: MESSAGES,
        operations: 1,
        batch: 1,
        senders: participants.senders,
        ..Work::default()
    };
    PlannedCase { participants, ..PlannedCase::new(transport, scenario, work) }
}

fn scenarios() -> impl Iterator<Item = &'static str> {
    let to_many = scenario::ALL.iter().filter(|scenario| matches!(scenario.pattern(), Pattern::Many(_)));
    to_many.map(|scenario| scenario.slug())
}

fn rings() -> impl Iterator<Item = &'static dyn Transport> {
    transport::ALL.iter().copied().filter(|transport| transport.ring().is_some())
}

fn run(cases: Vec<PlannedCase>) -> Vec<CaseResult> {
    harness::run(&plan(cases), &peer(), 1, &mut |_| {}).results
}

fn name(result: &CaseResult) -> String {
    let CaseResult { transport, case, methodology, .. } = result;
    format!(
        "{}/{}/{:?}/{} to {}",
        transport.slug,
        case.scenario,
        methodology,
        case.senders.unwrap_or(1),
        case.peers
    )
}

fn assert_all_arrived(result: &CaseResult) {
    let name = name(result);
    if let Some(reason) = &result.unsupported {
        return println!("{name}: not run, because {reason}");
    }
    assert_eq!(result.failures, [], "{name}");
    let (repetition, receivers) = (&result.repetitions[0], u64::from(result.case.peers));
    assert_eq!((repetition.attempted, repetition.accepted), (MESSAGES, MESSAGES), "{name}");
    assert_eq!(repetition.delivered, MESSAGES * receivers, "{name}");
    assert!(!result.is_lossy(), "{name}");
    let deliveries: Vec<_> = repetition.ends.iter().filter_map(|end| end.delivery).collect();
    assert_eq!(deliveries.len() as u64, receivers, "{name}");
    for delivery in deliveries {
        let wrong = [delivery.lost, delivery.duplicated, delivery.out_of_order, delivery.torn];
        assert_eq!((delivery.delivered, wrong), (MESSAGES, [0; 4]), "{name}");
    }
    assert_eq!((repetition.count, repetition.sum_ns), (1, repetition.elapsed_ns), "{name}");
    let threads = result.case.senders.unwrap_or(1) + result.case.peers;
    assert_eq!(result.oversubscribed, u64::from(threads) > affinity::count(), "{name}");
}

#[test]
fn every_receiver_gets_every_message() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let mut cases = Vec::new();
    for transport in rings() {
        for scenario in scenarios() {
            for peers in [1, 2, 8] {
                for waiting in [Waiting::Block, Waiting::SpinThenBlock, Waiting::Spin] {
                    let manner = Manner { waiting, ..transport.manner() };
                    let case = PlannedCase { manner, ..to_many(transport, scenario, peers) };
                    cases.push(PlannedCase { mode: Mode::TwoThreads, ..case.clone() });
                    cases.push(case);
                }
            }
        }
    }
    run(cases).iter().for_each(assert_all_arrived);
}

#[test]
fn warm_and_always_waking_rings_deliver() {
    let _turn = serialize();
    let mut cases = Vec::new();
    for scenario in scenarios() {
        for (storage, wake_rule) in
            [(Storage::Warm, WakeRule::IfAsleep), (Storage::Cleared, WakeRule::Always)]
        {
            for transport in rings() {
                let manner = Manner { storage, wake_rule, ..transport.manner() };
                cases.push(PlannedCase { manner, ..to_many(transport, scenario, 2) });
            }
        }
    }
    run(cases).iter().for_each(assert_all_arrived);
}

#[test]
fn messages_of_one_size_arrive() {
    let _turn = serialize();
    let sized = |message_bytes| {
        let case = to_many(sleeping_ring(), "channel-n-n", 2);
        let work = Work { message_bytes, size_profile: None, ..case.work.clone() };
        PlannedCase { work, ..case }
    };
    run([2, 64, 1_025, 8_192].map(sized).into()).iter().for_each(assert_all_arrived);
}

#[test]
fn pinned_members_use_all_processors_in_turn() {
    let _turn = serialize();
    let results =
        run(vec![PlannedCase { placement: Placement::CrossCpu, ..to_many(sleeping_ring(), "route", 3) }]);
    assert_all_arrived(&results[0]);
    let Some(repetition) = results[0].repetitions.first() else { return };
    let cpus: Vec<_> = repetition.ends.iter().map(|end| end.cpus_seen.clone()).collect();
    assert!(cpus.iter().all(|cpus| cpus.len() == 1), "{cpus:?}");
    assert_ne!(cpus[0], cpus[1]);
}

#[test]
fn counts_dropped_messages_and_delivers_accepted_ones() {
    let _turn = serialize();
    for scenario in scenarios() {
        let mut case = to_many(sleeping_ring(), scenario, 2);
        case.manner.on_full = OnFull::Drop;
        case.work.lossy = true;
        // More than the ring holds, sent before a receiver can start: some messages are dropped.
        case.work.messages_per_operation = 200_000;
        let result = run(vec![case]).remove(0);
        assert_eq!(result.failures, [], "{scenario}");
        let repetition = &result.repetitions[0];
        assert_eq!(repetition.attempted, 200_000, "{scenario}");
        assert!(repetition.accepted <= repetition.attempted && repetition.accepted > 0, "{scenario}");
        let expected = repetition.accepted * u64::from(result.case.peers);
        assert_eq!(repetition.delivered, expected, "{scenario}: what was taken is lost");
        assert_eq!(result.is_lossy(), repetition.accepted < repetition.attempted, "{scenario}");
        assert_eq!(result.methodology.send.as_str(), "non-blocking");
    }
}

#[test]
fn killed_receiver_ends_the_repetition() {
    let _turn = serialize();
    let mut case = to_many(sleeping_ring(), "route", 2);
    case.work.messages_per_operation = 1 << 40;
    let reason = run_and_kill(&case, 2);
    assert!(reason.contains(&format!("receiver 2: {KILLED}")), "{reason}");
}

#[test]
fn rejects_impossible_cases_with_a_reason() {
    let pipe = plain();
    let spin = transport::find("ring-spin").unwrap();
    let ring = sleeping_ring();
    let with = |transport: &'static dyn Transport, manner: Manner| PlannedCase {
        manner,
        ..to_many(transport, "route", 1)
    };
    let pair = |transport, manner| PlannedCase { manner, ..case(transport, "roundtrip", FREE_PROCESSES, 64) };
    let mut long = to_many(ring, "route", 1);
    long.work.message_bytes = 1 << 32;
    for (case, expected) in [
        (to_many(pipe, "route", 1), "it has only two ends"),
        (long, "message of 4294967296 B exceeds the ring's limit: expected at most 4294967295 B"),
        (with(spin, Manner::default()), "this ring only spins"),
        (
            with(ring, Manner { wake_rule: WakeRule::Always, waiting: Waiting::Spin, ..Manner::default() }),
            "a spinning receiver needs no wake-up",
        ),
        (pair(pipe, Manner { waiting: Waiting::Spin, ..Manner::default() }), "the kernel controls waiting"),
        (pair(ring, Manner { on_full: OnFull::Drop, ..Manner::default() }), "cannot drop messages"),
    ] {
        let reason = harness::support(&case).unwrap_err().to_string();
        assert!(reason.contains(expected), "{case}: {reason}");
    }
}

#[test]
fn semaphores_reject_the_always_wake_rule() {
    for slug in ["ring-posix-semaphore", "ring-sysv-semaphore", "ring-win-semaphore"] {
        let mut case = to_many(transport::find(slug).unwrap(), "route", 1);
        case.manner.wake_rule = WakeRule::Always;
        let reason = harness::support(&case).unwrap_err().to_string();
        assert!(reason.contains("counts every wake-up") || reason.contains("only on"), "{slug}: {reason}");
    }
}
