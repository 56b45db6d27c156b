//! What it runs on: maker, product, hypervisor, memory.

use super::registry;
use crate::sys::affinity;
use crate::sys::fingerprint::cpuid;
use crate::sys::fingerprint::facts::{Facts, gib};
use windows_sys::Win32::System::Power::{GetSystemPowerStatus, SYSTEM_POWER_STATUS};
use windows_sys::Win32::System::SystemInformation::{GetTickCount64, GlobalMemoryStatusEx, MEMORYSTATUSEX};

pub(super) fn read(facts: &mut Facts) {
    /// What the firmware says (SMBIOS), as Windows keeps it.
    const KEY: &str = r"HARDWARE\DESCRIPTION\System\BIOS";
    facts.put("machine.product", registry::text(KEY, "SystemProductName"));
    facts.put("machine.vendor", registry::text(KEY, "SystemManufacturer"));
    let (hypervisor, vendor) = match cpuid::has_hypervisor() {
        None => (None, None),
        Some(false) => (Some("none".into()), Some("none".into())),
        Some(true) if cpuid::may_make_guests() => {
            (Some("none".into()), Some("Microsoft Hv below its own host".into()))
        }
        Some(true) => (Some("yes".into()), cpuid::hypervisor_vendor()),
    };
    facts.put("machine.hypervisor", hypervisor);
    facts.put("machine.hypervisor_vendor", vendor);
    facts.put("memory.total_gib", memory().map(|memory| gib(memory.ullTotalPhys >> 10)));
    let nodes = affinity::topology().map(|topology| &topology.numa_nodes);
    let list = |nodes: &Vec<u32>| nodes.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    facts.put("memory.numa_nodes", nodes.filter(|nodes| !nodes.is_empty()).map(list));
}

pub(super) fn read_condition(facts: &mut Facts) {
    facts.number("memory.available_kib", memory().map(|memory| memory.ullAvailPhys >> 10));
    facts.put("machine.power", power());
    facts.number("machine.uptime_seconds", Some(uptime_ms() / 1_000));
}

#[expect(unsafe_code, reason = "GlobalMemoryStatusEx")]
fn memory() -> Option<MEMORYSTATUSEX> {
    #[expect(clippy::cast_possible_truncation, reason = "the size of a structure")]
    let bytes = size_of::<MEMORYSTATUSEX>() as u32;
    let mut memory = MEMORYSTATUSEX { dwLength: bytes, ..MEMORYSTATUSEX::default() };
    // SAFETY: the structure is alive, and as long as it says.
    (unsafe { GlobalMemoryStatusEx(&raw mut memory) } != 0).then_some(memory)
}

/// `mains`, also without any battery, or `battery`.
#[expect(unsafe_code, reason = "GetSystemPowerStatus")]
fn power() -> Option<String> {
    let mut status = SYSTEM_POWER_STATUS::default();
    // SAFETY: the call writes the structure.
    if unsafe { GetSystemPowerStatus(&raw mut status) } == 0 {
        return None;
    }
    match status.ACLineStatus {
        0 => Some("battery".into()),
        1 => Some("mains".into()),
        _ => None,
    }
}

#[expect(unsafe_code, reason = "GetTickCount64")]
fn uptime_ms() -> u64 {
    // SAFETY: takes nothing.
    unsafe { GetTickCount64() }
}
