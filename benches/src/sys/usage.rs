//! The operating system's counters for the calling thread: switches, migrations, processor time, faults.

use roundtrip_wire::EndObservation;

/// Counters of a thread or a process since its start; `None` if not available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Times the scheduler moved it to another processor.
    pub(crate) migrations: Option<u64>,
    /// Context switches because it waited.
    pub(crate) voluntary_switches: Option<u64>,
    /// Context switches because the scheduler ran another thread.
    pub(crate) involuntary_switches: Option<u64>,
    pub(crate) user_ns: Option<u64>,
    pub(crate) system_ns: Option<u64>,
    /// Page faults served without the disk.
    pub(crate) minor_faults: Option<u64>,
    /// Time for which it was ready to run and waited for a processor.
    pub(crate) ready_ns: Option<u64>,
}

pub(crate) use imp::for_this_thread;

/// Reads the counters of all threads of another process. Systems provide fewer of them, and less precisely.
pub(crate) use imp::for_process;

/// The system's number for the calling thread, if other processes can see it.
pub(crate) use imp::thread_id;

impl From<Usage> for EndObservation {
    /// The counters of an end; the other fields of an observation stay empty.
    fn from(used: Usage) -> Self {
        Self {
            migrations: used.migrations,
            voluntary_switches: used.voluntary_switches,
            involuntary_switches: used.involuntary_switches,
            user_ns: used.user_ns,
            system_ns: used.system_ns,
            minor_faults: used.minor_faults,
            ready_ns: used.ready_ns,
            ..Self::default()
        }
    }
}

impl Usage {
    pub(crate) fn since(self, earlier: Self) -> Self {
        let difference = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        // The division between user and kernel is an estimate, so one of them may decrease. The sum is exact.
        let sum = |usage: Self| Some(usage.user_ns? + usage.system_ns?);
        let total = difference(sum(self), sum(earlier));
        let system =
            difference(self.system_ns, earlier.system_ns).zip(total).map(|(one, total)| one.min(total));
        Self {
            migrations: difference(self.migrations, earlier.migrations),
            voluntary_switches: difference(self.voluntary_switches, earlier.voluntary_switches),
            involuntary_switches: difference(self.involuntary_switches, earlier.involuntary_switches),
            user_ns: total.zip(system).map(|(total, system)| total - system),
            system_ns: system,
            minor_faults: difference(self.minor_faults, earlier.minor_faults),
            ready_ns: difference(self.ready_ns, earlier.ready_ns),
        }
    }
}

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `getrusage(RUSAGE_THREAD)`, migrations from `/proc/thread-self/sched`, and the time on the run queue from
    //! `schedstat` (Documentation/scheduler/sched-stats.rst); for other processes `/proc/pid` (proc(5)), with the kernel's part
    //! of the processor time in ticks of 10 ms.

    use super::*;
    use crate::sys::tree::{self, Tree};

    pub(crate) fn for_this_thread() -> Usage {
        let thread = "/proc/thread-self";
        let ready_ns = schedstat(thread).map(|[_, ready_ns]| ready_ns);
        Usage { migrations: migrations(thread), ready_ns, ..rusage::for_this_thread() }
    }

    pub(crate) fn for_process(pid: u32) -> Usage {
        let threads = Tree::system().names(&format!("/proc/{pid}/task"));
        let of_threads = |count: &dyn Fn(&str) -> Option<u64>| -> Option<u64> {
            let counts = threads.iter().map(|thread| count(&format!("/proc/{pid}/task/{thread}")));
            counts.sum::<Option<u64>>().filter(|_| !threads.is_empty())
        };
        let status =
            |thread: &str, name| Tree::system().field(&format!("{thread}/status"), name)?.parse().ok();
        let stat = Tree::system().text(&format!("/proc/{pid}/stat"));
        let field = |number: usize| tree::after_name(stat.as_deref()?)?.nth(number - 3)?.parse::<u64>().ok();
        let nanoseconds = |ticks: u64| ticks * 1_000_000_000 / rustix::param::clock_ticks_per_second();
        let [user, system] = [field(14), field(15)].map(|ticks| ticks.map(nanoseconds));
        // Precise for threads that wait, as ends do when they are asked. Only the ticks include threads that have ended.
        let times = threads.iter().map(|thread| schedstat(&format!("/proc/{pid}/task/{thread}")));
        let times = times.reduce(|one, other| Some([one?[0] + other?[0], one?[1] + other?[1]])).flatten();
        let [running_ns, ready_ns] = times.map_or([None; 2], |times| times.map(Some));
        let total = running_ns.max(user.zip(system).map(|(user, system)| user + system));
        let system = system.zip(total).map(|(system, total)| system.min(total));
        Usage {
            migrations: of_threads(&|thread| migrations(thread)),
            voluntary_switches: of_threads(&|thread| status(thread, "voluntary_ctxt_switches:")),
            involuntary_switches: of_threads(&|thread| status(thread, "nonvoluntary_ctxt_switches:")),
            user_ns: total.zip(system).map(|(total, system)| total - system),
            system_ns: system,
            minor_faults: field(10),
            ready_ns,
        }
    }

    /// The times that a thread has run and has been ready to run.
    fn schedstat(thread: &str) -> Option<[u64; 2]> {
        let text = Tree::system().text(&format!("{thread}/schedstat"))?;
        let mut times = text.split_whitespace().map(|ns| ns.parse().ok());
        Some([times.next()??, times.next()??])
    }

    /// `se.nr_migrations`; the file exists only in kernels built with scheduler statistics.
    fn migrations(thread: &str) -> Option<u64> {
        let line = Tree::system().field(&format!("{thread}/sched"), "se.nr_migrations")?;
        line.rsplit(':').next()?.trim().parse().ok()
    }

    pub(crate) fn thread_id() -> Option<u32> {
        Some(rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned())
    }
}

#[cfg(target_os = "macos")]
mod imp {
    //! macOS: `thread_info` with `THREAD_BASIC_INFO` (`mach/thread_info.h`), and `pthread_threadid_np`. Context
    //! switches and page faults are available only for whole processes (getrusage(2)).

    use super::*;
    use std::mem::MaybeUninit;

    #[expect(unsafe_code, reason = "thread_info")]
    pub(crate) fn for_this_thread() -> Usage {
        let mut times = MaybeUninit::<libc::thread_basic_info>::uninit();
        let mut words = libc::THREAD_BASIC_INFO_COUNT;
        // SAFETY: takes the calling thread; its port is borrowed from the library, which keeps it.
        let thread = unsafe { libc::pthread_mach_thread_np(libc::pthread_self()) };
        let flavour = libc::THREAD_BASIC_INFO.cast_unsigned();
        // SAFETY: the structure has this flavour and the given length.
        let result = unsafe { libc::thread_info(thread, flavour, times.as_mut_ptr().cast(), &raw mut words) };
        if result != libc::KERN_SUCCESS || words != libc::THREAD_BASIC_INFO_COUNT {
            return Usage::default();
        }
        // SAFETY: the call has filled all of it.
        let times = unsafe { times.assume_init() };
        Usage {
            user_ns: nanoseconds(times.user_time),
            system_ns: nanoseconds(times.system_time),
            ..Usage::default()
        }
    }

    /// Not available: the times of `proc_pid_rusage` have a unit that differs between machines.
    pub(crate) fn for_process(_pid: u32) -> Usage {
        Usage::default()
    }

    /// Numbers have 64 bits and count up from boot.
    #[expect(unsafe_code, reason = "pthread_threadid_np")]
    pub(crate) fn thread_id() -> Option<u32> {
        let mut number = 0;
        // SAFETY: 0 means the calling thread, and the call writes one number.
        let result = unsafe { libc::pthread_threadid_np(0, &raw mut number) };
        if result == 0 { u32::try_from(number).ok() } else { None }
    }

    fn nanoseconds(time: libc::time_value_t) -> Option<u64> {
        Some(
            u64::try_from(time.seconds).ok()? * 1_000_000_000
                + u64::try_from(time.microseconds).ok()? * 1_000,
        )
    }
}

#[cfg(target_os = "freebsd")]
mod imp {
    //! FreeBSD: `getrusage(RUSAGE_THREAD)`, and `thr_self(2)`, whose number dtrace(1) calls `tid`; for other processes
    //! the kernel's process data.

    use super::*;
    use crate::sys::kinfo;

    pub(crate) use super::rusage::for_this_thread;

    pub(crate) fn for_process(pid: u32) -> Usage {
        kinfo::process(pid).map(|process| rusage::from(&process.ki_rusage)).unwrap_or_default()
    }

    #[expect(unsafe_code, reason = "thr_self(2)")]
    pub(crate) fn thread_id() -> Option<u32> {
        let mut id = 0;
        // SAFETY: the call writes one number.
        if unsafe { libc::thr_self(&raw mut id) } != 0 {
            return None;
        }
        u32::try_from(id).ok()
    }
}

#[cfg(windows)]
mod imp {
    //! Windows: `GetThreadTimes` (`processthreadsapi.h`), whose times grow by whole ticks of the clock, 15.6 ms on most
    //! machines. No documented call returns the context switches, migrations or page faults of one thread.

    use super::*;
    use crate::sys::process;
    use std::mem::MaybeUninit;
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::{
        GetCurrentThread, GetCurrentThreadId, GetProcessTimes, GetThreadTimes,
        PROCESS_QUERY_LIMITED_INFORMATION,
    };

    #[expect(unsafe_code, reason = "GetThreadTimes")]
    pub(crate) fn for_this_thread() -> Usage {
        // SAFETY: the handle is the calling thread's, and each of the four addresses has space for a time.
        times(|[created, ended, kernel, user]| unsafe {
            GetThreadTimes(GetCurrentThread(), created, ended, kernel, user)
        })
    }

    #[expect(unsafe_code, reason = "GetProcessTimes")]
    pub(crate) fn for_process(pid: u32) -> Usage {
        let Ok(process) = process::open(pid, PROCESS_QUERY_LIMITED_INFORMATION) else {
            return Usage::default();
        };
        // SAFETY: the handle is open, and each of the four addresses has space for a time.
        times(|[created, ended, kernel, user]| unsafe {
            GetProcessTimes(process.as_raw_handle(), created, ended, kernel, user)
        })
    }

    /// Kernel and user time, the third and fourth, if the call succeeds.
    #[expect(unsafe_code, reason = "what a call has filled")]
    fn times(call: impl FnOnce([*mut FILETIME; 4]) -> i32) -> Usage {
        let mut times = [const { MaybeUninit::uninit() }; 4];
        if call(times.each_mut().map(MaybeUninit::as_mut_ptr)) == 0 {
            return Usage::default();
        }
        // SAFETY: the call has filled both.
        let (kernel, user) = unsafe { (times[2].assume_init(), times[3].assume_init()) };
        Usage { user_ns: Some(nanoseconds(user)), system_ns: Some(nanoseconds(kernel)), ..Usage::default() }
    }

    #[expect(unsafe_code, reason = "GetCurrentThreadId")]
    pub(crate) fn thread_id() -> Option<u32> {
        // SAFETY: takes no argument.
        Some(unsafe { GetCurrentThreadId() })
    }

    /// A duration in units of 100 ns.
    fn nanoseconds(time: FILETIME) -> u64 {
        (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100
    }
}

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
mod rusage {
    //! Linux and FreeBSD: `getrusage(RUSAGE_THREAD)` (getrusage(2)).

    use super::*;
    /// All but the migrations, which it does not provide.
    #[expect(unsafe_code, reason = "getrusage fills a plain structure")]
    pub(crate) fn for_this_thread() -> Usage {
        // SAFETY: rusage is plain numbers, for which all zeroes is a valid value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a live structure of the right type.
        if unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) } != 0 {
            return Usage::default();
        }
        from(&usage)
    }

    pub(super) fn from(usage: &libc::rusage) -> Usage {
        let nanoseconds = |time: libc::timeval| {
            Some(u64::try_from(time.tv_sec).ok()? * 1_000_000_000 + u64::try_from(time.tv_usec).ok()? * 1_000)
        };
        Usage {
            migrations: None,
            voluntary_switches: u64::try_from(usage.ru_nvcsw).ok(),
            involuntary_switches: u64::try_from(usage.ru_nivcsw).ok(),
            user_ns: nanoseconds(usage.ru_utime),
            system_ns: nanoseconds(usage.ru_stime),
            minor_faults: u64::try_from(usage.ru_minflt).ok(),
            ready_ns: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_numbers_are_unique() {
        let other = std::thread::spawn(thread_id).join().unwrap();
        assert_eq!(thread_id(), thread_id());
        assert!(thread_id().is_none() || thread_id() != other);
    }

    #[test]
    fn work_increases_processor_time() {
        let before = for_this_thread();
        assert_eq!(before.user_ns.is_some(), before.system_ns.is_some());
        let Some(user_ns) = before.user_ns else {
            println!("this system does not tell the times of a thread");
            return;
        };
        // Times may be counted in ticks of some milliseconds; only a failing test does not see one.
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while for_this_thread().user_ns == Some(user_ns) && std::time::Instant::now() < until {
            std::hint::black_box((0..10_000_u64).sum::<u64>());
        }
        assert!(for_this_thread().since(before).user_ns > Some(0));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn time_of_a_waiting_process_is_more_precise_than_ticks() {
        use std::io::{BufRead, BufReader};
        use std::process::{Command, Stdio};
        if !std::path::Path::new("/proc/self/schedstat").exists() {
            println!("not run, because this kernel does not count the times of threads");
            return;
        }
        let work = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; echo done; read line";
        let mut child = Command::new("sh");
        child.args(["-c", work]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        let used = for_process(child.id());
        let total_ns = used.user_ns.unwrap() + used.system_ns.unwrap();
        assert!(total_ns > 0 && !total_ns.is_multiple_of(1_000_000) && used.ready_ns.is_some(), "{used:?}");
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn difference_lacks_missing_values() {
        let earlier = Usage { user_ns: Some(5), migrations: Some(9), ..Usage::default() };
        let later = Usage { user_ns: Some(7), system_ns: Some(1), migrations: Some(8), ..Usage::default() };
        assert_eq!(later.since(earlier), Usage { migrations: Some(0), ..Usage::default() });
    }

    #[test]
    fn sum_of_user_and_kernel_time_is_exact_if_one_decreases() {
        let earlier = Usage { user_ns: Some(5), system_ns: Some(3), ..Usage::default() };
        let later = Usage { user_ns: Some(4), system_ns: Some(9), ..Usage::default() };
        let expected = Usage { user_ns: Some(0), system_ns: Some(5), ..Usage::default() };
        assert_eq!(later.since(earlier), expected);
    }
}
