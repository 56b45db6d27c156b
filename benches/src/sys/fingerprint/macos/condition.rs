//! What varies from minute to minute, and what a session of a user decides.

use crate::sys::fingerprint::facts::Facts;
use crate::sys::fingerprint::pmset;
use crate::sys::sysctl;
use rustix::process::{Resource, getrlimit};

pub(super) fn read(facts: &mut Facts) {
    facts.put("load.average", load_average());
    facts.number("memory.swap_used_kib", swap_used().map(|bytes| bytes >> 10));
    facts.put("machine.power", pmset::power());
    for (key, resource) in
        [("limit.open_files", Resource::Nofile), ("limit.locked_memory_bytes", Resource::Memlock)]
    {
        let current = getrlimit(resource).current;
        facts.put(key, Some(current.map_or("unlimited".into(), |value| value.to_string())));
    }
}

/// Over 1, 5 and 15 minutes.
#[expect(unsafe_code, reason = "getloadavg(3)")]
fn load_average() -> Option<String> {
    let mut averages = [0.0; 3];
    // SAFETY: there is room for three numbers.
    let read = unsafe { libc::getloadavg(averages.as_mut_ptr(), 3) };
    (read == 3).then(|| averages.map(|average| format!("{average:.2}")).join(" "))
}

/// `xsw_usage` of `sys/sysctl.h`, in bytes.
fn swap_used() -> Option<u64> {
    const USED: usize = std::mem::offset_of!(libc::xsw_usage, xsu_used);
    let value = sysctl::bytes("vm.swapusage")?;
    Some(u64::from_ne_bytes(value.get(USED..USED + size_of::<u64>())?.try_into().ok()?))
}
