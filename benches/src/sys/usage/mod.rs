//! What the operating system counted for the calling thread: switches, migrations, processor time, faults.

use roundtrip_wire::EndObservation;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
mod rusage;

/// Counters of a thread or a process since it began; absent where the system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Times the scheduler moved it to another processor.
    pub migrations: Option<u64>,
    /// Context switches because it waited.
    pub voluntary_switches: Option<u64>,
    /// Context switches because another thread was given the processor.
    pub involuntary_switches: Option<u64>,
    /// Processor time in user mode.
    pub user_ns: Option<u64>,
    /// Processor time in the kernel.
    pub system_ns: Option<u64>,
    /// Page faults served without the disk.
    pub minor_faults: Option<u64>,
}

/// Reads the counters of the calling thread.
pub fn of_this_thread() -> Usage {
    imp::of_this_thread()
}

/// Reads the counters of all threads of another process. Systems tell less of others, and less precisely.
pub fn of_process(pid: u32) -> Usage {
    imp::of_process(pid)
}

/// The system's number for the calling thread, where it has one that others see.
pub fn thread_id() -> Option<u32> {
    imp::thread_id()
}

impl From<Usage> for EndObservation {
    /// What was counted for an end; the rest of an observation is not.
    fn from(used: Usage) -> Self {
        Self {
            migrations: used.migrations,
            voluntary_switches: used.voluntary_switches,
            involuntary_switches: used.involuntary_switches,
            user_ns: used.user_ns,
            system_ns: used.system_ns,
            minor_faults: used.minor_faults,
            ..Self::default()
        }
    }
}

impl Usage {
    /// What was added since an earlier reading.
    pub fn since(self, earlier: Self) -> Self {
        let difference = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Self {
            migrations: difference(self.migrations, earlier.migrations),
            voluntary_switches: difference(self.voluntary_switches, earlier.voluntary_switches),
            involuntary_switches: difference(self.involuntary_switches, earlier.involuntary_switches),
            user_ns: difference(self.user_ns, earlier.user_ns),
            system_ns: difference(self.system_ns, earlier.system_ns),
            minor_faults: difference(self.minor_faults, earlier.minor_faults),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_a_number_of_its_own_where_it_has_one_at_all() {
        let other = std::thread::spawn(thread_id).join().unwrap();
        assert_eq!(thread_id(), thread_id());
        assert!(thread_id().is_none() || thread_id() != other);
    }

    #[test]
    fn work_adds_to_the_times_that_the_system_tells() {
        let before = of_this_thread();
        assert_eq!(before.user_ns.is_some(), before.system_ns.is_some());
        let Some(user_ns) = before.user_ns else {
            println!("this system does not tell the times of a thread");
            return;
        };
        // Times may be counted by ticks of some milliseconds; only a test that fails does not see one.
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while of_this_thread().user_ns == Some(user_ns) && std::time::Instant::now() < until {
            std::hint::black_box((0..10_000_u64).sum::<u64>());
        }
        assert!(of_this_thread().since(before).user_ns > Some(0));
    }

    #[test]
    fn what_one_reading_lacks_the_difference_lacks() {
        let earlier = Usage { user_ns: Some(5), migrations: Some(9), ..Usage::default() };
        let later = Usage { user_ns: Some(7), system_ns: Some(1), migrations: Some(8), ..Usage::default() };
        let expected = Usage { user_ns: Some(2), migrations: Some(0), ..Usage::default() };
        assert_eq!(later.since(earlier), expected);
    }
}
