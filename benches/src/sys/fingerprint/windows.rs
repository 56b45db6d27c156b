//! Windows: documented calls, registry values that Windows writes when it starts, `cpuid`.

use crate::sys::fingerprint::cpuid;
use crate::sys::fingerprint::facts::{Facts, counted, gib, topology};
use crate::sys::fingerprint::pair::{self, Cache};
use crate::sys::process::wide;
use crate::sys::{affinity, clock};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use windows_sys::Wdk::System::SystemInformation::{NtQuerySystemInformation, SYSTEM_INFORMATION_CLASS};
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Foundation::LocalFree;
use windows_sys::Win32::System::JobObjects::{
    IsProcessInJob, JOB_OBJECT_CPU_RATE_CONTROL_ENABLE, JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP,
    JOB_OBJECT_CPU_RATE_CONTROL_MIN_MAX_RATE, JOB_OBJECT_CPU_RATE_CONTROL_WEIGHT_BASED,
    JOBOBJECT_CPU_RATE_CONTROL_INFORMATION, JobObjectCpuRateControlInformation, QueryInformationJobObject,
};
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleA, GetProcAddress};
use windows_sys::Win32::System::Power::{
    CallNtPowerInformation, GetSystemPowerStatus, PROCESSOR_POWER_INFORMATION, PowerGetActiveScheme,
    ProcessorInformation, SYSTEM_POWER_STATUS,
};
use windows_sys::Win32::System::Registry::{
    HKEY_LOCAL_MACHINE, REG_ROUTINE_FLAGS, RRF_RT_REG_DWORD, RRF_RT_REG_SZ, RegGetValueW,
};
use windows_sys::Win32::System::SystemInformation::{
    GetTickCount64, GlobalMemoryStatusEx, MEMORYSTATUSEX, OSVERSIONINFOW,
};
use windows_sys::Win32::System::SystemServices::{
    GUID_MAX_POWER_SAVINGS, GUID_MIN_POWER_SAVINGS, GUID_TYPICAL_POWER_SAVINGS,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;
use windows_sys::core::GUID;

pub(crate) fn stable() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    read_version(&mut facts);
    read_machine(&mut facts);
    read_cpu(&mut facts);
    read_power(&mut facts);
    read_limit(&mut facts);
    facts.0
}

pub(crate) fn conditions() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    read_machine_condition(&mut facts);
    read_power_condition(&mut facts);
    facts.0
}

// The hardware: manufacturer, product, hypervisor, memory.

fn read_machine(facts: &mut Facts) {
    /// The firmware's data (SMBIOS), stored by Windows.
    const KEY: &str = r"HARDWARE\DESCRIPTION\System\BIOS";
    facts.put("machine.product", registry_text(KEY, "SystemProductName"));
    facts.put("machine.vendor", registry_text(KEY, "SystemManufacturer"));
    let (hypervisor, vendor) = match cpuid::has_hypervisor() {
        None => (None, None),
        Some(false) => (Some("none".into()), Some("none".into())),
        Some(true) if cpuid::can_create_guests() => {
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

fn read_machine_condition(facts: &mut Facts) {
    facts.number("memory.available_kib", memory().map(|memory| memory.ullAvailPhys >> 10));
    facts.put("machine.power", power());
    facts.number("machine.uptime_seconds", Some(uptime_ms() / 1_000));
}

#[expect(unsafe_code, reason = "GlobalMemoryStatusEx")]
fn memory() -> Option<MEMORYSTATUSEX> {
    #[expect(clippy::cast_possible_truncation, reason = "the size of a structure")]
    let bytes = size_of::<MEMORYSTATUSEX>() as u32;
    let mut memory = MEMORYSTATUSEX { dwLength: bytes, ..MEMORYSTATUSEX::default() };
    // SAFETY: the structure is alive, and has the length it states.
    (unsafe { GlobalMemoryStatusEx(&raw mut memory) } != 0).then_some(memory)
}

/// `mains`, also without a battery, or `battery`.
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
    // SAFETY: takes no argument.
    unsafe { GetTickCount64() }
}

// The processors: model, topology, kinds of cores, caches, mitigations.

fn read_cpu(facts: &mut Facts) {
    let name = || registry_text(r"HARDWARE\DESCRIPTION\System\CentralProcessor\0", "ProcessorNameString");
    facts.put("cpu.model", cpuid::brand().or_else(name));
    facts.number("cpu.allowed", affinity::allowed().ok().map(|cpus| cpus.len()));
    facts.put("cpu.mitigations", mitigations());
    let known = affinity::topology();
    facts.put(
        "cpu.topology",
        known.map(|known| {
            let threads = known.cores.iter().map(|core| core.processors.list().len()).sum();
            topology(known.packages.len(), known.cores.len(), threads)
        }),
    );
    let siblings = known.map(|known| known.cores.iter().any(|core| core.processors.list().len() > 1));
    facts.put("cpu.smt", siblings.map(|on| if on { "on" } else { "off" }.into()));
    let classes = known.map(|known| classes(known.cores.iter().map(|core| core.efficiency_class)));
    facts.put("cpu.performance_levels", classes);
    if let Ok(pair) = affinity::pair() {
        pair::read(&pair, caches, facts);
    }
}

fn caches(cpu: u32) -> Vec<Cache> {
    let all = affinity::topology().map(|known| known.caches.as_slice()).unwrap_or_default();
    all.iter()
        .filter(|cache| cache.processors.contains(cpu))
        .map(|cache| Cache {
            name: cache.name.clone(),
            kib: u64::from(cache.bytes >> 10),
            cpus: cache.processors.list(),
        })
        .collect()
}

/// The fastest first: `class 1: 4 cores, class 0: 8 cores`.
fn classes(of_cores: impl Iterator<Item = u8>) -> String {
    let mut counts = BTreeMap::new();
    for class in of_cores {
        *counts.entry(class).or_insert(0) += 1;
    }
    let result =
        counts.iter().rev().map(|(class, &count)| format!("class {class}: {}", counted(count, "core")));
    result.collect::<Vec<_>>().join(", ")
}

// Windows itself: its version and build, or Wine.

/// The key with the installed version.
const KEY: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";

fn read_version(facts: &mut Facts) {
    let version = version();
    let kernel = version.map(|(major, minor, build)| format!("{major}.{minor}.{build}"));
    // The build identifies the release, the number after it the update (`Update Build Revision`).
    let update = registry_number(KEY, "UBR");
    facts.put(
        "os.build",
        version.map(|(.., build)| match update {
            Some(update) => format!("{build}.{update}"),
            None => build.to_string(),
        }),
    );
    // `ProductName` is Windows 10 even on Windows 11, so the edition and the release are used instead.
    let release = registry_text(KEY, "DisplayVersion");
    let edition = registry_text(KEY, "EditionID");
    facts.put(
        "os.distribution",
        edition.zip(release).map(|(edition, release)| format!("{edition} {release}")),
    );
    match wine() {
        None => facts.put("os.kernel", kernel),
        // A result from Wine must never be taken for one from Windows.
        Some(wine) => {
            let kernel = kernel.unwrap_or_default();
            facts.put("os.kernel", Some(format!("{kernel} under Wine {wine}")));
            facts.put("os.wine", Some(wine));
        }
    }
    facts.number("clock.frequency_hz", Some(clock::frequency_hz()));
}

/// Major, minor, build: the real ones, not those for the program's manifest.
#[expect(unsafe_code, reason = "RtlGetVersion")]
fn version() -> Option<(u32, u32, u32)> {
    #[expect(clippy::cast_possible_truncation, reason = "the size of a structure")]
    let bytes = size_of::<OSVERSIONINFOW>() as u32;
    let mut version = OSVERSIONINFOW { dwOSVersionInfoSize: bytes, ..OSVERSIONINFOW::default() };
    // SAFETY: the structure is alive, and has the length it states.
    let status = unsafe { RtlGetVersion(&raw mut version) };
    (status == 0).then_some((version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber))
}

/// The version of Wine, if it runs this program: its `ntdll` has one more function than that of Windows.
#[expect(unsafe_code, reason = "a function by its name")]
fn wine() -> Option<String> {
    type Version = unsafe extern "C" fn() -> *const c_char;
    // SAFETY: both names end with a zero; every process has this library, and keeps it.
    let function = unsafe {
        GetProcAddress(GetModuleHandleA(c"ntdll.dll".as_ptr().cast()), c"wine_get_version".as_ptr().cast())
    }?;
    // SAFETY: Wine declares the function of this name with this type.
    let version = unsafe { std::mem::transmute::<unsafe extern "system" fn() -> isize, Version>(function) };
    // SAFETY: the function takes no argument and returns a static text that ends with a zero.
    Some(unsafe { CStr::from_ptr(version()) }.to_string_lossy().into_owned())
}

// The processors' speed: the power scheme (`PowerGetActiveScheme` in `powersetting.h`) and the frequencies
// (`CallNtPowerInformation` in `powerbase.h`).

fn read_power(facts: &mut Facts) {
    facts.put("machine.power_scheme", scheme().map(|scheme| scheme_name(&scheme)));
    facts.number("cpu.frequency_max_mhz", frequencies().map(|of_cpu| of_cpu.MaxMhz));
}

fn read_power_condition(facts: &mut Facts) {
    facts.number("cpu.frequency_mhz", frequencies().map(|of_cpu| of_cpu.CurrentMhz));
    facts.number("cpu.frequency_limit_mhz", frequencies().map(|of_cpu| of_cpu.MhzLimit));
}

/// For the processor used for measuring, else for the first. `None` if not available.
#[expect(unsafe_code, reason = "CallNtPowerInformation")]
fn frequencies() -> Option<PROCESSOR_POWER_INFORMATION> {
    // The call needs space for all processors; this group has at most 64.
    const MAX: usize = 64;
    #[expect(clippy::cast_possible_truncation, reason = "the size of a structure")]
    const BYTES: u32 = (MAX * size_of::<PROCESSOR_POWER_INFORMATION>()) as u32;
    let mut all = [const { MaybeUninit::<PROCESSOR_POWER_INFORMATION>::zeroed() }; MAX];
    // SAFETY: there is no input, and the buffer has the given length.
    let status = unsafe {
        CallNtPowerInformation(ProcessorInformation, ptr::null(), 0, all.as_mut_ptr().cast(), BYTES)
    };
    if status != 0 {
        return None;
    }
    let cpu = affinity::pair().map_or(0, |pair| pair.first);
    // SAFETY: the fields are numbers; those not written by the call are zero.
    Some(unsafe { all[cpu as usize % MAX].assume_init() }).filter(|of_cpu| of_cpu.MaxMhz > 0)
}

#[expect(unsafe_code, reason = "PowerGetActiveScheme")]
fn scheme() -> Option<GUID> {
    let mut scheme = ptr::null_mut();
    // SAFETY: the first argument is reserved, and the call writes an address.
    let error = unsafe { PowerGetActiveScheme(ptr::null_mut(), &raw mut scheme) };
    if error != 0 || scheme.is_null() {
        return None;
    }
    // SAFETY: the address is that of a GUID which this process now owns.
    let copy = unsafe { *scheme };
    // SAFETY: the memory is from the system, and is no longer used.
    unsafe { LocalFree(scheme.cast()) };
    Some(copy)
}

/// The three default schemes of Windows by name, in English on every system.
fn scheme_name(scheme: &GUID) -> String {
    let number = |guid: &GUID| {
        let GUID { data1, data2, data3, data4 } = *guid;
        u128::from(data1) << 96
            | u128::from(data2) << 80
            | u128::from(data3) << 64
            | u128::from(u64::from_be_bytes(data4))
    };
    let known = [
        (GUID_MIN_POWER_SAVINGS, "high performance"),
        (GUID_TYPICAL_POWER_SAVINGS, "balanced"),
        (GUID_MAX_POWER_SAVINGS, "power saver"),
    ];
    let of_number = known.iter().find(|(guid, _)| number(guid) == number(scheme));
    of_number.map_or_else(|| format!("{:032x}", number(scheme)), |&(_, name)| name.into())
}

// Limits: the share of the processors that a job object gives this process (`jobapi2.h`).

fn read_limit(facts: &mut Facts) {
    facts.put("limit.job_cpu", job_cpu());
}

/// For the innermost job: outer jobs are not visible.
#[expect(unsafe_code, reason = "calls of the system")]
fn job_cpu() -> Option<String> {
    let mut inside = 0;
    // SAFETY: the handle is this process's, a null job means any job, and the call writes one number.
    if unsafe { IsProcessInJob(GetCurrentProcess(), ptr::null_mut(), &raw mut inside) } == 0 {
        return None;
    }
    if inside == 0 {
        return Some("none".into());
    }
    let mut rate = JOBOBJECT_CPU_RATE_CONTROL_INFORMATION::default();
    #[expect(clippy::cast_possible_truncation, reason = "the size of a structure")]
    let bytes = size_of_val(&rate) as u32;
    // SAFETY: a null job means this process's; the structure matches the class and has the given length.
    let done = unsafe {
        QueryInformationJobObject(
            ptr::null_mut(),
            JobObjectCpuRateControlInformation,
            (&raw mut rate).cast(),
            bytes,
            ptr::null_mut(),
        )
    };
    // SAFETY: all members of the union are numbers, and it is filled.
    (done != 0).then(|| describe_rate(rate.ControlFlags, unsafe { rate.Anonymous.CpuRate }))
}

/// Describes a rate in hundredths of a percent of all processors.
fn describe_rate(flags: u32, rate: u32) -> String {
    let has = |flag: u32| flags & flag != 0;
    let percent = |rate: u32| format!("at most {}.{:02} %", rate / 100, rate % 100);
    match flags {
        _ if !has(JOB_OBJECT_CPU_RATE_CONTROL_ENABLE) => "none".into(),
        _ if has(JOB_OBJECT_CPU_RATE_CONTROL_WEIGHT_BASED) => format!("weight {rate} of 9"),
        // The lower half is the guaranteed minimum.
        _ if has(JOB_OBJECT_CPU_RATE_CONTROL_MIN_MAX_RATE) => percent(rate >> 16),
        _ if has(JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP) => percent(rate),
        // The job may get more if others are idle.
        _ => format!("{} when others want it", percent(rate)),
    }
}

// Values below `HKEY_LOCAL_MACHINE` (`RegGetValueW` in `winreg.h`).

fn registry_text(key: &str, name: &str) -> Option<String> {
    /// Many times the length of names of products and versions.
    const UNITS_MAX: usize = 512;
    let mut units = [0_u16; UNITS_MAX];
    let bytes = ask_registry(key, name, RRF_RT_REG_SZ, units.as_mut_ptr().cast(), size_of_val(&units))?;
    // The length includes the zero at the end.
    let text = String::from_utf16_lossy(units.get(..bytes / size_of::<u16>())?);
    let text = text.trim_end_matches('\0').trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn registry_number(key: &str, name: &str) -> Option<u32> {
    let mut number = 0_u32;
    ask_registry(key, name, RRF_RT_REG_DWORD, (&raw mut number).cast(), size_of_val(&number))?;
    Some(number)
}

/// Writes at most this many bytes to `value`, and returns the total length.
#[expect(unsafe_code, reason = "RegGetValueW")]
fn ask_registry(
    key: &str,
    name: &str,
    kind: REG_ROUTINE_FLAGS,
    value: *mut c_void,
    bytes: usize,
) -> Option<usize> {
    let (key, name) = (wide(key), wide(name));
    let mut bytes = u32::try_from(bytes).ok()?;
    // SAFETY: both names end with a zero, and the caller's buffer has the given length.
    let error = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            name.as_ptr(),
            kind,
            ptr::null_mut(),
            value,
            &raw mut bytes,
        )
    };
    (error == 0).then_some(bytes as usize)
}

// Mitigations of processor vulnerabilities: `NtQuerySystemInformation` with `SystemKernelVaShadowInformation` and
// `SystemSpeculationControlInformation` (`winternl.h`), in Linux's wording.

/// `SYSTEM_INFORMATION_CLASS` in `winternl.h`.
const KERNEL_VA_SHADOW: SYSTEM_INFORMATION_CLASS = 196;
const SPECULATION_CONTROL: SYSTEM_INFORMATION_CLASS = 201;

/// Bits of `SYSTEM_KERNEL_VA_SHADOW_INFORMATION`: the kernel has separate address spaces; the processor needs them; the
/// previous bit is valid.
const SHADOW_ENABLED: u32 = 1;
const SHADOW_REQUIRED: u32 = 1 << 4;
const SHADOW_REQUIRED_IS_KNOWN: u32 = 1 << 5;

/// Bits of `SYSTEM_SPECULATION_CONTROL_INFORMATION`: branch prediction is restricted; speculative store bypass can be
/// disabled; is disabled everywhere; needs to be.
const BRANCHES_ENABLED: u32 = 1;
const STORES_KNOWN: u32 = 1 << 8;
const STORES_EVERYWHERE: u32 = 1 << 10;
const STORES_REQUIRED: u32 = 1 << 12;

/// `name=state; ...`, ordered by name. `None` if not available.
fn mitigations() -> Option<String> {
    describe_mitigation(ask_mitigation(KERNEL_VA_SHADOW), ask_mitigation(SPECULATION_CONTROL))
}

fn describe_mitigation(shadow: Option<u32>, speculation: Option<u32>) -> Option<String> {
    const ACTIVE: &str = "Mitigation";
    const NOT_AFFECTED: &str = "Not affected";
    const OPEN: &str = "Vulnerable";
    let meltdown = shadow.and_then(|bits| match bits {
        _ if bits & SHADOW_ENABLED != 0 => Some(format!("{ACTIVE}: KVA shadow")),
        _ if bits & SHADOW_REQUIRED_IS_KNOWN == 0 => None,
        _ => Some(if bits & SHADOW_REQUIRED == 0 { NOT_AFFECTED } else { OPEN }.into()),
    });
    let stores = speculation.filter(|bits| bits & STORES_KNOWN != 0).map(|bits| match bits {
        _ if bits & STORES_REQUIRED == 0 => NOT_AFFECTED.into(),
        _ if bits & STORES_EVERYWHERE != 0 => format!("{ACTIVE}: SSBD everywhere"),
        // Linux's wording too: a program has to request it.
        _ => OPEN.into(),
    });
    // The system does not report whether a processor needs this, so off counts as open.
    let branches = speculation
        .map(|bits| if bits & BRANCHES_ENABLED != 0 { format!("{ACTIVE}: BPB") } else { OPEN.into() });
    let states = [("meltdown", meltdown), ("spec_store_bypass", stores), ("spectre_v2", branches)];
    let result: Vec<String> =
        states.into_iter().filter_map(|(name, state)| Some(format!("{name}={}", state?))).collect();
    (!result.is_empty()).then(|| result.join("; "))
}

/// Both classes are one word of bits.
#[expect(unsafe_code, reason = "NtQuerySystemInformation")]
fn ask_mitigation(class: SYSTEM_INFORMATION_CLASS) -> Option<u32> {
    const BYTES: u32 = 4;
    let (mut bits, mut written) = (0_u32, 0);
    // SAFETY: the word has the given length.
    let status = unsafe { NtQuerySystemInformation(class, (&raw mut bits).cast(), BYTES, &raw mut written) };
    (status == 0).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_cores_by_class() {
        assert_eq!(classes([0, 1, 1, 0, 0].into_iter()), "class 1: 2 cores, class 0: 3 cores");
        assert_eq!(classes([0].into_iter()), "class 0: 1 core");
    }

    #[test]
    fn topology_has_every_allowed_processor() {
        for cpu in affinity::allowed().unwrap() {
            assert!(affinity::topology().unwrap().core_of(cpu).is_some(), "cpu {cpu}");
            assert!(caches(cpu).iter().any(|cache| cache.name == "L1d"), "cpu {cpu}");
        }
    }

    #[test]
    fn detects_wine() {
        let mut facts = Facts::default();
        read_version(&mut facts);
        assert_eq!(facts.0.contains_key("os.wine"), wine().is_some());
        assert_eq!(facts.0["os.kernel"].contains("Wine"), wine().is_some());
    }

    #[test]
    fn names_power_schemes() {
        assert_eq!(scheme_name(&GUID_TYPICAL_POWER_SAVINGS), "balanced");
        assert_eq!(scheme_name(&GUID_MIN_POWER_SAVINGS), "high performance");
        let other = GUID::from_u128(0x0012_3456_789a_bcde_f012_3456_789a_bcde);
        assert_eq!(scheme_name(&other), "00123456789abcdef0123456789abcde");
    }

    #[test]
    fn describes_rates_in_percent() {
        let enabled = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE;
        assert_eq!(describe_rate(0, 2_000), "none");
        assert_eq!(describe_rate(enabled | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP, 2_050), "at most 20.50 %");
        assert_eq!(describe_rate(enabled, 500), "at most 5.00 % when others want it");
        assert_eq!(describe_rate(enabled | JOB_OBJECT_CPU_RATE_CONTROL_WEIGHT_BASED, 5), "weight 5 of 9");
        let min_and_max = 1_000 | 3_000 << 16;
        assert_eq!(
            describe_rate(enabled | JOB_OBJECT_CPU_RATE_CONTROL_MIN_MAX_RATE, min_and_max),
            "at most 30.00 %"
        );
    }

    #[test]
    fn reads_the_limit_of_this_process() {
        assert!(job_cpu().is_none_or(|result| !result.is_empty()));
    }

    #[test]
    fn registry_values_have_the_requested_kind() {
        const KEY: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";
        assert!(registry_text(KEY, "ProductName").is_some_and(|name| name.contains("Windows")));
        assert_eq!(registry_number(KEY, "ProductName"), None);
        assert_eq!(
            (registry_text(KEY, "NoSuchValue"), registry_number(r"SOFTWARE\NoSuchKey", "x")),
            (None, None)
        );
    }

    #[test]
    fn unneeded_mitigation_is_not_vulnerable() {
        assert_eq!(
            describe_mitigation(Some(SHADOW_REQUIRED_IS_KNOWN), Some(STORES_KNOWN | BRANCHES_ENABLED))
                .as_deref(),
            Some("meltdown=Not affected; spec_store_bypass=Not affected; spectre_v2=Mitigation: BPB")
        );
    }

    #[test]
    fn missing_needed_mitigation_is_vulnerable() {
        let shadow = SHADOW_REQUIRED | SHADOW_REQUIRED_IS_KNOWN;
        assert_eq!(
            describe_mitigation(Some(shadow), Some(STORES_KNOWN | STORES_REQUIRED)).as_deref(),
            Some("meltdown=Vulnerable; spec_store_bypass=Vulnerable; spectre_v2=Vulnerable")
        );
        assert_eq!(
            describe_mitigation(Some(shadow | SHADOW_ENABLED), None).as_deref(),
            Some("meltdown=Mitigation: KVA shadow")
        );
        assert_eq!(describe_mitigation(None, Some(0)).as_deref(), Some("spectre_v2=Vulnerable"));
        // A system too old to report whether the processor needs it.
        assert_eq!((describe_mitigation(Some(0), None), describe_mitigation(None, None)), (None, None));
    }
}
