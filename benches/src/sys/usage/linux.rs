//! Linux: `getrusage(RUSAGE_THREAD)`, and migrations from `/proc/thread-self/sched`.

use super::{Usage, rusage};
use std::fs;

pub(super) fn of_this_thread() -> Usage {
    Usage { migrations: migrations(), ..rusage::of_this_thread() }
}

/// `se.nr_migrations`; the file exists only in kernels built with scheduler statistics.
fn migrations() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/sched").ok()?;
    let line = text.lines().find(|line| line.starts_with("se.nr_migrations"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems have none")]
pub(super) fn thread_id() -> Option<u32> {
    Some(rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned())
}
