//! Planned cases of programs.

use roundtrip_bench::definition::{Placement, Plan, PlannedCase, Repetitions};
use roundtrip_bench::harness::ab::{self, Compared, Comparison, Pair};
use roundtrip_bench::harness::{self, PeerCommand};
use roundtrip_bench::mechanism::Mechanism;
use roundtrip_bench::program::{Launch, Place, Program};
use roundtrip_bench::scenario::{self, Work};
use roundtrip_bench::sys::affinity;
use roundtrip_bench::system;
use roundtrip_stats::verdict::Rule;
use roundtrip_wire::{CaseResult, Slug, TransportInfo};
use std::path::PathBuf;
use std::time::Duration;

/// For programs that answer. A slow language takes a while to start on a loaded machine; only a failing test waits for
/// it.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) fn program(name: &str, command: Vec<String>, folder: PathBuf) -> Program {
    Program {
        info: TransportInfo {
            slug: Slug::from_name(name),
            title: name.to_owned(),
            family: Slug::from_name("test"),
            semantics: "for a test".to_owned(),
            control: false,
        },
        launch: Launch::Command(command),
        place: Place::Folder(folder),
        variant: None,
        systems: system::EVERY,
        unsupported: None,
        line: None,
    }
}

pub(crate) fn case(mechanism: Mechanism, scenario: &str, message_bytes: usize) -> PlannedCase {
    let is_stream = scenario == "stream";
    let messages_per_operation = if is_stream { 3 } else { 1 };
    let work = Work {
        message_bytes,
        messages_per_operation,
        operations: 20,
        warmup: 5,
        free: true,
        ..Work::default()
    };
    PlannedCase {
        total_bytes: is_stream.then_some(message_bytes as u64 * messages_per_operation),
        repetitions: Repetitions::exactly(2),
        ..PlannedCase::new(mechanism, scenario::find(scenario).unwrap(), work)
    }
}

/// Measures these cases, with this deadline per repetition.
pub(crate) fn measure(cases: Vec<PlannedCase>, deadline: Duration) -> Vec<CaseResult> {
    let plan = Plan { preset: Slug::from_name("test"), about: String::new(), cases, deadline };
    harness::run(&plan, &peer(), 7, &mut |_| {}).results
}

/// Compares two of them until there are two pairs, which decide nothing.
pub(crate) fn compared(base: PlannedCase, head: PlannedCase, deadline: Duration) -> Compared {
    compare(base, head, Rule { looks: vec![2], ..Rule::default() }, deadline)
}

/// Compares two of them with this rule.
pub(crate) fn compare(base: PlannedCase, head: PlannedCase, rule: Rule, deadline: Duration) -> Compared {
    let comparison = Comparison { pairs: vec![Pair { base, head }], deadline, rule, budget: None };
    ab::run(&comparison, &peer(), 7, &mut |_| {}).results.remove(0)
}

pub(crate) fn peer() -> PeerCommand {
    PeerCommand::new(env!("CARGO_BIN_EXE_roundtrip-peer").into(), None)
}

pub(crate) fn placements() -> Vec<Placement> {
    let mut placements = vec![Placement::Free];
    placements.extend(affinity::allowed().is_ok().then_some(Placement::SameCpu));
    placements.extend(affinity::pair().is_ok().then_some(Placement::CrossCpu));
    placements
}
