//! The available processors, the relation between two of them, and pinning the calling thread to one.

use super::Unsupported;
use std::collections::BTreeSet;

#[cfg(any(target_os = "freebsd", test))]
pub(super) mod groups;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;
#[cfg(any(windows, test))]
mod topology;

#[cfg(windows)]
pub(in crate::sys) use imp::topology;

/// Returns the processors that this process may use, in ascending order.
///
/// # Errors
/// The reason, if the system does not provide them.
pub fn allowed() -> Result<Vec<u32>, Unsupported> {
    imp::allowed()
}

/// Returns the number of processors that this process may use, on every system.
pub fn count() -> u64 {
    let all = || std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    allowed().map_or_else(|_| all(), |allowed| allowed.len() as u64)
}

/// Pins the calling thread to one processor.
pub fn pin(cpu: u32) -> Result<(), Unsupported> {
    imp::pin(cpu)
}

/// Pins all threads of another process, including those it starts later, to one processor.
pub fn pin_process(pid: u32, cpu: u32) -> Result<(), Unsupported> {
    imp::pin_process(pid, cpu)
}

/// A thread of another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    id: u64,
    /// Run time in the system's unit; it only grows. `None` if not available.
    ran: Option<u64>,
    last_cpu: u32,
}

/// The threads of another process, if the system lists them; on FreeBSD, the whole process counts as one.
pub fn threads(pid: u32) -> Vec<Thread> {
    imp::threads(pid)
}

/// The processors, in ascending order, that threads of another process ran on last. Only threads that have run since
/// `before` count: a sleeping thread stays where it went to sleep, even if its process was pinned elsewhere since.
pub fn last_since(pid: u32, before: &[Thread]) -> Vec<u32> {
    last_of(&threads(pid), before)
}

fn last_of(threads: &[Thread], before: &[Thread]) -> Vec<u32> {
    let slept = |thread: &Thread| {
        thread.ran.is_some() && before.iter().any(|was| (was.id, was.ran) == (thread.id, thread.ran))
    };
    let cpus = threads.iter().filter(|thread| !slept(thread)).map(|thread| thread.last_cpu);
    cpus.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the processor of the calling thread, if the system provides it.
#[inline]
pub fn current() -> Option<u32> {
    imp::current()
}

/// Describes the relation of two processors.
pub fn relation(one: u32, other: u32) -> &'static str {
    match (imp::core_of(one), imp::core_of(other)) {
        _ if one == other => "the same cpu",
        (Some(core), Some(other_core)) if core == other_core => "siblings of one core",
        (Some((package, _)), Some((other_package, _))) if package != other_package => "different packages",
        (Some(_), Some(_)) => "different cores",
        _ => "relation not known",
    }
}

/// The two processors that `cross-cpu` uses, and their relation: `different cores`, `siblings of one core`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuPair {
    /// The initiator's; `same-cpu` pins both ends here.
    pub first: u32,
    /// The responder's.
    pub second: u32,
    /// Their relation, for the fingerprint.
    pub relation: &'static str,
}

/// Chooses the pair: the last processor, which gets the fewest interrupts, and the nearest one on another core.
///
/// # Errors
/// The reason, if there are fewer than two processors.
pub fn pair() -> Result<CpuPair, Unsupported> {
    let allowed = allowed()?;
    let [.., second, first] = allowed[..] else {
        return Err(Unsupported::because(format!(
            "cross-cpu needs two CPUs: this process may use {}",
            allowed.len()
        )));
    };
    let other_core = allowed
        .iter()
        .rev()
        .skip(1)
        .copied()
        .find(|&cpu| relation(first, cpu) != "siblings of one core")
        .unwrap_or(second);
    Ok(CpuPair { first, second: other_core, relation: relation(first, other_core) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pinned_thread_stays_or_pinning_fails_with_a_reason() {
        let cpus = match allowed() {
            Ok(cpus) => cpus,
            Err(reason) => {
                println!("{reason}");
                assert_eq!(pin(0), Err(reason));
                return;
            }
        };
        assert!(!cpus.is_empty() && cpus.is_sorted(), "{cpus:?}");
        let pinned = std::thread::spawn(move || {
            cpus.iter().all(|&cpu| pin(cpu).is_ok() && current().is_none_or(|seen| seen == cpu))
        });
        assert!(pinned.join().unwrap());
    }

    #[test]
    fn rejects_missing_processors() {
        let error = std::thread::spawn(|| pin(1_000)).join().unwrap().unwrap_err();
        assert!(error.0.contains(' '), "{error}");
    }

    #[test]
    fn ignores_threads_that_slept_since_pinning() {
        let thread = |id, ran, last_cpu| Thread { id, ran, last_cpu };
        let before = [thread(1, Some(5), 0), thread(2, Some(7), 0), thread(3, None, 4)];
        let after = [thread(1, Some(5), 0), thread(2, Some(9), 1), thread(3, None, 4), thread(4, Some(1), 1)];
        assert_eq!(last_of(&after, &before), [1, 4]);
    }
}
