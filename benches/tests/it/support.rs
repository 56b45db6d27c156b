//! Shared by the tests: planned cases, the peer program, and detection of leftovers.

use crate::processes;
use roundtrip_bench::definition::{Mode, Placement, Plan, PlannedCase};
use roundtrip_bench::harness::PeerCommand;
use roundtrip_bench::harness::peers::{self, Report};
use roundtrip_bench::ring::Waiting;
use roundtrip_bench::scenario::{self, Work};
use roundtrip_bench::transport::{self, ChannelSpec, OnFull, Transport};
use roundtrip_wire::Slug;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Long enough for a loaded machine; only a failing test waits for it.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) const FREE_PROCESSES: (Mode, Placement) = (Mode::TwoProcesses, Placement::Free);

pub(crate) fn plan(cases: Vec<PlannedCase>) -> Plan {
    Plan { preset: Slug::from_name("test"), about: String::new(), cases, deadline: DEADLINE }
}

/// Runs one repetition of this case.
pub(crate) fn run_once(case: &PlannedCase) -> Result<Report, String> {
    peers::run(case, &peer(), DEADLINE, &mut |_| {})
}

/// Runs it, and kills one of its processes. Returns the reason of the failure.
pub(crate) fn run_and_kill(case: &PlannedCase, victim: usize) -> String {
    peers::run(case, &peer(), DEADLINE, &mut |pids| processes::kill(pids[victim])).unwrap_err()
}

pub(crate) fn peer() -> PeerCommand {
    PeerCommand::new(env!("CARGO_BIN_EXE_roundtrip-peer").into(), None)
}

/// The simplest mechanism on this system.
pub(crate) fn plain() -> &'static dyn Transport {
    transport::find(if cfg!(windows) { "anonymous-pipe" } else { "pipe" }).unwrap()
}

/// A ring on this system whose members sleep.
pub(crate) fn sleeping_ring() -> &'static dyn Transport {
    let rings =
        transport::ALL.iter().copied().filter(|transport| transport.manner().waiting == Waiting::Block);
    rings.filter(|ring| ring.ring().is_some()).find(|ring| ring.support(&channel(64)).is_ok()).unwrap()
}

pub(crate) fn case(
    transport: &'static dyn Transport,
    scenario: &str,
    (mode, placement): (Mode, Placement),
    message_bytes: usize,
) -> PlannedCase {
    let scenario = scenario::find(scenario).unwrap();
    let one_way = matches!(scenario.slug(), "stream" | "handle-passing");
    let messages_per_operation = if one_way { 3 } else { 1 };
    let work = Work {
        message_bytes,
        messages_per_operation,
        rate_per_second: (scenario.slug() == "open-loop").then_some(2_000),
        operations: 4,
        warmup: 2,
        batch: 1,
        free: placement == Placement::Free,
        lossy: transport.manner().on_full == OnFull::Drop,
        ..Work::default()
    };
    let total_bytes = one_way.then_some(message_bytes as u64 * messages_per_operation);
    PlannedCase { mode, placement, total_bytes, ..PlannedCase::new(transport, scenario, work) }
}

/// Whether the conformance suite skips sizes and settings: `ROUNDTRIP_CONFORMANCE=brief`. With an emulator, a process
/// takes many times as long to start, and there are thousands.
pub(crate) fn is_brief() -> bool {
    std::env::var_os("ROUNDTRIP_CONFORMANCE").is_some_and(|value| value == "brief")
}

/// Every combination of mode and placement.
pub(crate) fn settings() -> impl Iterator<Item = (Mode, Placement)> {
    [Mode::TwoProcesses, Mode::TwoThreads].into_iter().flat_map(|mode| {
        [Placement::SameCpu, Placement::CrossCpu, Placement::Free].map(|placement| (mode, placement))
    })
}

pub(crate) fn channel(message_bytes: usize) -> ChannelSpec {
    ChannelSpec { message_bytes, ..ChannelSpec::default() }
}

/// Serializes tests that count this process's descriptors and children.
pub(crate) fn serialize() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Objects that a test could leave behind.
#[derive(Debug)]
struct Resources {
    handles: BTreeSet<String>,
    children: BTreeSet<u32>,
    /// Folders of channels, and lists of System V objects.
    temporary: BTreeSet<String>,
    tracers: Vec<String>,
}

impl Resources {
    fn now() -> Self {
        let ours = ["channel", "sysv"].map(|kind| format!("roundtrip-{kind}-{}-", std::process::id()));
        let entries = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        Self {
            handles: processes::handles(),
            children: processes::children(),
            temporary: names.filter(|name| ours.iter().any(|ours| name.starts_with(ours))).collect(),
            tracers: tracers(),
        }
    }
}

/// The `status` file of each thread of this process that watches others (Linux).
pub(crate) fn tracers() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    // Empty for one that ends in the meantime.
    let statuses = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("status")).ok());
    statuses.filter(|status| status.starts_with("Name:\ttracer\n")).collect()
}

/// Checks, when dropped, for resources that did not exist when it was created.
pub(crate) struct Leftovers(Resources);

impl Leftovers {
    pub(crate) fn none() -> Self {
        Self(Resources::now())
    }
}

impl Drop for Leftovers {
    /// Waits for all resources to be released: the readers of a repetition's pipes end with their peers, a moment
    /// after its result is known. Objects from earlier repetitions may disappear.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let before = &self.0;
        let is_new = |now: &Resources| {
            !now.handles.is_subset(&before.handles)
                || !now.temporary.is_subset(&before.temporary)
                || !now.children.is_empty()
                || !now.tracers.is_empty()
        };
        let end = std::time::Instant::now() + Duration::from_secs(10);
        while is_new(&Resources::now()) && std::time::Instant::now() < end {
            std::thread::yield_now();
        }
        let now = Resources::now();
        assert!(!is_new(&now), "left behind: {now:?}, before: {before:?}");
    }
}
