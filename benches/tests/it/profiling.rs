//! Profiles of other processes: time on a processor and waits belong to the functions where they are spent.

use crate::support::{DEADLINE, FREE_PROCESSES, Leftovers, case, peer, plain, serialize};
use crate::tracing::{PausedChild, WATCHED};
use roundtrip_bench::harness;
use roundtrip_bench::probe::Probe;
use roundtrip_bench::sys::Unsupported;
use roundtrip_bench::sys::profiling::{Sampler, Stack};
use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::hint::black_box;

/// Enough for about a thousand samples.
const SPIN_NS: i64 = 100_000_000;

#[test]
fn names_the_function_that_uses_the_processor() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let mut child = PausedChild::test("profiling::child_that_spins");
    let Some(sampler) = attach(child.id()) else { return };
    child.go();
    child.answer();
    let profile = sampler.finish();
    let on_cpu_ns = |wanted: &dyn Fn(&Stack) -> bool| -> u64 {
        profile.stacks.iter().filter(|stack| wanted(stack)).map(|stack| stack.on_cpu_ns).sum()
    };
    let spinning = on_cpu_ns(&|stack| stack.frames.iter().any(|frame| frame.ends_with("spins_here")));
    let all = on_cpu_ns(&|_| true);
    assert!(spinning * 10 > all * 8, "{spinning} of {all} ns: {profile:#?}");
    // Compared with the kernel's own account, which includes the start of the process.
    let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    let ran = |task: &str| -> u64 { task.split_whitespace().next().unwrap().parse().unwrap() };
    let ran_ns: u64 =
        tasks.map(|task| ran(&fs::read_to_string(task.unwrap().path().join("schedstat")).unwrap())).sum();
    assert!(all * 2 > ran_ns && all < ran_ns * 2, "{all} ns sampled, {ran_ns} ns in schedstat");
    assert_eq!(profile.lost, 0);
}

/// The process of the test above; does nothing when run as a test.
#[test]
fn child_that_spins() {
    if std::env::var_os(WATCHED).is_none() {
        return;
    }
    println!("here");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let used_ns = || {
        let used = clock_gettime(ClockId::ThreadCPUTime);
        used.tv_sec * 1_000_000_000 + used.tv_nsec
    };
    let until_ns = used_ns() + SPIN_NS;
    while used_ns() < until_ns {
        spins_here();
    }
    println!("spun");
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

#[inline(never)]
fn spins_here() {
    // Without calls, also in a build that inlines nothing.
    let (mut value, mut left) = (0x9e37_79b9_u32, 1_000_000_u32);
    while left > 0 {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
        left -= 1;
    }
    black_box(value);
}

#[test]
fn blocked_read_is_a_wait_with_its_stack() {
    const READS: u64 = 20;
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let mut child = PausedChild::shell("", "while read line; do echo $line; done");
    let Some(sampler) = attach(child.id()) else { return };
    child.go();
    for _ in 0..READS {
        child.until("State:", "S");
        child.go();
        child.answer();
    }
    let profile = sampler.finish();
    let is_read = |frame: &String| {
        // Since 6.14, `anon_pipe_read`.
        if profile.notes.is_empty() { frame.ends_with("pipe_read_[k]") } else { frame == "[waiting]" }
    };
    let reads = profile.stacks.iter().filter(|stack| stack.frames.iter().any(is_read));
    let (switches, off_cpu_ns) =
        reads.fold((0, 0), |(switches, ns), stack| (switches + stack.switches, ns + stack.off_cpu_ns));
    assert!(switches >= READS && off_cpu_ns > 0, "{switches} switches: {profile:#?}");
}

#[test]
fn repetition_has_a_profile_of_both_ends() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let mut case = case(plain(), "roundtrip", FREE_PROCESSES, 64);
    case.probe = Some(Probe::Profile);
    let probed = match harness::probed(&case, &peer(), DEADLINE) {
        Err(reason) if reason.starts_with("probe profile") => return println!("not tested: {reason}"),
        other => other.unwrap(),
    };
    let profile = probed.profile.unwrap();
    assert_eq!((probed.pids.len(), probed.result.repetitions.len()), (2, 1));
    for pid in &probed.pids {
        let of_end = || profile.stacks.iter().filter(|stack| stack.pid == *pid);
        let waits: u64 = of_end().map(|stack| stack.switches).sum();
        assert!(waits > 0, "{profile:#?}");
        // Its memory maps were still there.
        assert!(of_end().all(|stack| stack.frames != ["[unknown]"]), "{profile:#?}");
    }
}

/// Starts sampling; returns `None` and prints the reason if this machine cannot.
fn attach(pid: u32) -> Option<Sampler> {
    Sampler::attach(&[pid]).map_err(|Unsupported(reason)| println!("not tested: {reason}")).ok()
}
