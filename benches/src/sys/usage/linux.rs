//! Linux: `getrusage(RUSAGE_THREAD)`, and migrations from `/proc/thread-self/sched`; of other processes `/proc/pid`
//! (proc(5)), whose processor time comes in ticks of 10 ms.

use super::{Usage, rusage};
use crate::sys::tree::Tree;

pub(super) fn of_this_thread() -> Usage {
    Usage { migrations: migrations("/proc/thread-self"), ..rusage::of_this_thread() }
}

pub(super) fn of_process(pid: u32) -> Usage {
    let threads = Tree::system().names(&format!("/proc/{pid}/task"));
    let of_threads = |count: &dyn Fn(&str) -> Option<u64>| -> Option<u64> {
        let counts = threads.iter().map(|thread| count(&format!("/proc/{pid}/task/{thread}")));
        counts.sum::<Option<u64>>().filter(|_| !threads.is_empty())
    };
    let status = |thread: &str, name| Tree::system().field(&format!("{thread}/status"), name)?.parse().ok();
    let stat = Tree::system().text(&format!("/proc/{pid}/stat"));
    // The name stands in parentheses, and may hold any; after it comes field 3.
    let fields: Vec<&str> = stat
        .as_deref()
        .and_then(|stat| stat.rsplit_once(')'))
        .map_or(Vec::new(), |(_, fields)| fields.split_whitespace().collect());
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let nanoseconds = |ticks: u64| ticks * 1_000_000_000 / rustix::param::clock_ticks_per_second();
    Usage {
        migrations: of_threads(&|thread| migrations(thread)),
        voluntary_switches: of_threads(&|thread| status(thread, "voluntary_ctxt_switches:")),
        involuntary_switches: of_threads(&|thread| status(thread, "nonvoluntary_ctxt_switches:")),
        user_ns: field(14).map(nanoseconds),
        system_ns: field(15).map(nanoseconds),
        minor_faults: field(10),
    }
}

/// `se.nr_migrations`; the file exists only in kernels built with scheduler statistics.
fn migrations(thread: &str) -> Option<u64> {
    let line = Tree::system().field(&format!("{thread}/sched"), "se.nr_migrations")?;
    line.rsplit(':').next()?.trim().parse().ok()
}

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems have none")]
pub(super) fn thread_id() -> Option<u32> {
    Some(rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned())
}
