//! macOS: ticks of all processors (`host_processor_info` with `PROCESSOR_CPU_LOAD_INFO`, `mach/processor_info.h`), and
//! the thermal pressure level (notify(3); its name and its levels are in `libkern/OSThermalNotification.h`). The result
//! of `host_statistics` is up to a second old, because XNU limits its rate.

use mach2::mach_init::mach_host_self;
use mach2::traps::mach_task_self;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::LazyLock;

/// `kOSThermalNotificationPressureLevelName`.
const THERMAL_PRESSURE: &CStr = c"com.apple.system.thermalpressurelevel";
/// `notify.h`.
const NOTIFY_STATUS_OK: u32 = 0;

#[expect(unsafe_code, reason = "functions of the system's library")]
unsafe extern "C" {
    /// Creates a token for reading the state of this name.
    fn notify_register_check(name: *const c_char, token: *mut c_int) -> u32;
    /// Reads the number that the poster of this name has set.
    fn notify_get_state(token: c_int, state: *mut u64) -> u32;
}

/// Processors cannot be chosen here, so these are for the whole machine.
pub(super) fn counters(_cpus: Option<&[u32]>) -> BTreeMap<&'static str, u64> {
    let of_key = |key, value: Option<u64>| value.map(|value| (key, value));
    let read = [of_key("busy_ns", busy_ns()), of_key("thermal_pressure_level", thermal_pressure_level())];
    read.into_iter().flatten().collect()
}

pub(super) fn processors() -> u64 {
    std::thread::available_parallelism().map_or(1, |count| count.get() as u64)
}

#[expect(unsafe_code, reason = "host_processor_info")]
fn busy_ns() -> Option<u64> {
    // Each call of `mach_host_self` adds a reference to the port, so it is called once.
    // SAFETY: takes no argument.
    static HOST: LazyLock<libc::host_t> = LazyLock::new(|| unsafe { mach_host_self() });
    let (mut processors, mut words, mut info) = (0, 0, ptr::null_mut());
    // SAFETY: the call writes two numbers and an address.
    let result = unsafe {
        libc::host_processor_info(
            *HOST,
            libc::PROCESSOR_CPU_LOAD_INFO,
            &raw mut processors,
            &raw mut info,
            &raw mut words,
        )
    };
    if result != libc::KERN_SUCCESS || info.is_null() {
        return None;
    }
    let loads = info.cast::<libc::processor_cpu_load_info>();
    // SAFETY: there is one structure of this flavour for each processor.
    let ticks = (0..processors as usize).map(|processor| unsafe { (*loads.add(processor)).cpu_ticks });
    // The order is that of the states in mach/machine.h.
    let busy: u64 = ticks.flat_map(|[user, system, _idle, nice]| [user, system, nice]).map(u64::from).sum();
    // SAFETY: the memory came from the call, has this many words, and is no longer used.
    unsafe {
        libc::vm_deallocate(mach_task_self(), info.expose_provenance(), words as usize * size_of::<c_int>())
    };
    // 10 ms (sysconf(_SC_CLK_TCK)).
    Some(busy * (1_000_000_000 / rustix::param::clock_ticks_per_second().max(1)))
}

/// 0 nominal, 1 moderate, 2 heavy, 3 trapping, 4 sleeping.
#[expect(unsafe_code, reason = "notify_get_state")]
fn thermal_pressure_level() -> Option<u64> {
    static TOKEN: LazyLock<Option<c_int>> = LazyLock::new(|| {
        let mut token = 0;
        // SAFETY: the name ends with a zero, and the call writes one number.
        let status = unsafe { notify_register_check(THERMAL_PRESSURE.as_ptr(), &raw mut token) };
        (status == NOTIFY_STATUS_OK).then_some(token)
    });
    let token = (*TOKEN)?;
    let mut level = 0;
    // SAFETY: the token is registered, and the call writes one number.
    let status = unsafe { notify_get_state(token, &raw mut level) };
    (status == NOTIFY_STATUS_OK).then_some(level)
}
