//! Required behaviour of every transport, in every mode and placement: echo all sizes, keep order and content, count
//! correctly, stay on its processors, leave nothing behind.

use crate::support::{
    FREE_PROCESSES, Leftovers, case, channel, is_brief, peer, plain, plan, run_once, serialize, settings,
};
use roundtrip_bench::definition::{Mode, Placement};
use roundtrip_bench::harness::{self, Outcome};
use roundtrip_bench::scenario::{Pattern, Scenario};
use roundtrip_bench::{scenario, transport};
use roundtrip_wire::CaseResult;
use std::ops::ControlFlow;

/// Empty, the shortest of each scenario, around a page, the capacity of a pipe and of the rings, the largest datagram,
/// and beyond all of them.
const SIZES: &[usize] = &[0, 1, 8, 4_095, 4_097, 65_507, 65_536, 65_537, 1_048_576, 8_388_608];

/// The sizes if process starts take long ([`is_brief`]).
const SIZES_BRIEF: &[usize] = &[0, 8, 65_537, 1_048_576];

fn run_all(sizes: &[usize], settings: &[(Mode, Placement)]) -> Outcome {
    let mut cases = Vec::new();
    for &transport in transport::ALL {
        for scenario in pairs() {
            for &setting in settings {
                cases.extend(sizes.iter().map(|&size| case(transport, scenario.slug(), setting, size)));
            }
        }
    }
    harness::run(&plan(cases), &peer(), 1, &mut |_| {})
}

fn pairs() -> impl Iterator<Item = &'static dyn Scenario> {
    scenario::ALL.iter().copied().filter(|scenario| matches!(scenario.pattern(), Pattern::Pair(_)))
}

fn name(result: &CaseResult) -> String {
    let case = &result.case;
    format!(
        "{}/{}/{}/{}/{} B",
        case.scenario, result.transport.slug, case.mode, case.placement, case.message_bytes
    )
}

#[test]
fn measures_every_case_without_loss_or_leftovers() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let settings = settings().filter(|(_, placement)| !is_brief() || *placement == Placement::Free);
    let sizes = if is_brief() { SIZES_BRIEF } else { SIZES };
    let outcome = run_all(sizes, &settings.collect::<Vec<_>>());

    let failed: Vec<String> = outcome
        .results
        .iter()
        .flat_map(|result| {
            result.failures.iter().map(move |failure| format!("{}: {}", name(result), failure.reason))
        })
        .collect();
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));

    for result in &outcome.results {
        let name = name(result);
        if let Some(reason) = &result.unsupported {
            println!("{name}: not run, because {reason}");
            continue;
        }
        let repetition = &result.repetitions[0];
        let one_way = result.case.total_bytes.is_some();
        let messages = if one_way { 12 } else { 4 };
        assert_eq!(repetition.attempted, messages, "{name}");
        assert_eq!((repetition.out_of_order, repetition.corrupted), (0, 0), "{name}");
        assert_eq!(repetition.ends.len(), 2, "{name}");
        assert!(repetition.min_ns > 0 && repetition.elapsed_ns > 0, "{name}");
        if result.methodology.on_full.as_str() == "drop" {
            assert!(repetition.delivered <= messages, "{name}");
        } else {
            assert_eq!(repetition.count, 4, "{name}: one sample an operation");
            assert_eq!(repetition.delivered, messages, "{name}");
            assert!(!result.is_lossy(), "{name}");
        }
        if result.case.scenario.as_str() == "open-loop" {
            assert!(repetition.late.is_some() && repetition.missed.is_some(), "{name}");
        } else {
            assert!(repetition.elapsed_ns >= repetition.max_ns, "{name}");
        }
    }
}

#[test]
fn pinned_ends_stay_on_their_processors() {
    let _turn = serialize();
    let sizes: &[usize] = if is_brief() { &[1024] } else { &[1, 1024] };
    for result in run_all(sizes, &settings().collect::<Vec<_>>()).results {
        let (name, placement) = (name(&result), result.case.placement.as_str().to_owned());
        let Some(repetition) = result.repetitions.first() else {
            assert!(result.failures.is_empty(), "{name}: {:?}", result.failures);
            let reason = result.unsupported.unwrap();
            println!("{name}: not run, because {reason}");
            continue;
        };
        let [first, second] = [0, 1].map(|end| repetition.ends[end].cpus_seen.clone());
        match placement.as_str() {
            "same-cpu" => assert!(first.len() == 1 && first == second, "{name}: {first:?} {second:?}"),
            "cross-cpu" => {
                assert!(
                    first.len() == 1 && second.len() == 1 && first != second,
                    "{name}: {first:?} {second:?}"
                );
            }
            _ => assert!(!first.is_empty() && !second.is_empty(), "{name}"),
        }
    }
}

#[test]
fn one_byte_message_makes_a_round_trip() {
    let _turn = serialize();
    for &transport in transport::ALL {
        let mut planned = case(transport, "roundtrip", FREE_PROCESSES, 1);
        planned.work.operations = 300; // more than one byte counts to
        if harness::support(&planned).is_err() {
            continue;
        }
        let report = run_once(&planned).unwrap();
        assert_eq!(report.ends[0].delivered, 300, "{planned:?}");
    }
}

#[test]
fn counts_all_operations_in_batches() {
    let _turn = serialize();
    let mut planned = case(plain(), "roundtrip", FREE_PROCESSES, 64);
    planned.work.batch = 16;
    let report = run_once(&planned).unwrap();
    assert_eq!(report.ends[0].samples_ns.len(), 4);
    assert_eq!((report.ends[0].attempted, report.ends[0].delivered), (64, 64));
}

#[test]
fn cancelled_run_leaves_nothing_behind() {
    let _turn = serialize();
    // A FIFO could leave a file behind.
    let fifo = transport::find("fifo").filter(|fifo| fifo.support(&channel(64)).is_ok());
    let cases = vec![case(fifo.unwrap_or_else(plain), "roundtrip", FREE_PROCESSES, 64)];
    let plan = plan(cases);
    for end_at_repetition in [false, true] {
        let _leftovers = Leftovers::none();
        let mut events = Vec::new();
        let ended = harness::run_until(&plan, &peer(), 1, &mut |event| {
            let is_repetition = matches!(event, harness::Event::Repetition { .. });
            events.push(is_repetition);
            if is_repetition == end_at_repetition {
                return ControlFlow::Break("no longer wanted");
            }
            ControlFlow::Continue(())
        });
        assert!(matches!(ended, ControlFlow::Break("no longer wanted")), "{ended:?}");
        let until: &[bool] = if end_at_repetition { &[false, true] } else { &[false] };
        assert_eq!(events, until);
    }
}

#[test]
fn order_of_repetitions_follows_the_seed() {
    let _turn = serialize();
    let order = |seed| {
        let cases =
            [64, 65, 66, 67, 68, 69].map(|size| case(plain(), "roundtrip", FREE_PROCESSES, size)).into();
        let mut order = Vec::new();
        harness::run(&plan(cases), &peer(), seed, &mut |event| {
            if let harness::Event::Repetition { case, .. } = event {
                order.push(case.work.message_bytes);
            }
        });
        order
    };
    assert_eq!(order(7), order(7));
    assert_ne!(order(7), order(8));
}
