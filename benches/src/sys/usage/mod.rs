//! What the operating system counted for the calling thread: switches, migrations, processor time, faults.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod imp;

/// Counters of the calling thread since it began; absent where the system does not tell.
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

/// The system's number for the calling thread, where it has one that others see.
pub fn thread_id() -> Option<u32> {
    imp::thread_id()
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
