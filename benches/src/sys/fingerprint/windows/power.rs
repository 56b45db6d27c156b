//! How fast the processors may run: the power scheme (`PowerGetActiveScheme` in `powersetting.h`) and the frequencies
//! (`CallNtPowerInformation` in `powerbase.h`).

use crate::sys::affinity;
use crate::sys::fingerprint::facts::Facts;
use std::mem::MaybeUninit;
use std::ptr;
use windows_sys::Win32::Foundation::LocalFree;
use windows_sys::Win32::System::Power::{
    CallNtPowerInformation, PROCESSOR_POWER_INFORMATION, PowerGetActiveScheme, ProcessorInformation,
};
use windows_sys::Win32::System::SystemServices::{
    GUID_MAX_POWER_SAVINGS, GUID_MIN_POWER_SAVINGS, GUID_TYPICAL_POWER_SAVINGS,
};
use windows_sys::core::GUID;

pub(super) fn read(facts: &mut Facts) {
    facts.put("machine.power_scheme", scheme().map(|scheme| name(&scheme)));
    facts.number("cpu.frequency_max_mhz", frequencies().map(|of_cpu| of_cpu.MaxMhz));
}

pub(super) fn read_condition(facts: &mut Facts) {
    facts.number("cpu.frequency_mhz", frequencies().map(|of_cpu| of_cpu.CurrentMhz));
    facts.number("cpu.frequency_limit_mhz", frequencies().map(|of_cpu| of_cpu.MhzLimit));
}

/// Of the processor that is measured on, else of the first. None where they are not told.
#[expect(unsafe_code, reason = "CallNtPowerInformation")]
fn frequencies() -> Option<PROCESSOR_POWER_INFORMATION> {
    // The call wants room for all processors, of which this group has 64 at most.
    const MAX: usize = 64;
    #[expect(clippy::cast_possible_truncation, reason = "the size of a structure")]
    const BYTES: u32 = (MAX * size_of::<PROCESSOR_POWER_INFORMATION>()) as u32;
    let mut all = [const { MaybeUninit::<PROCESSOR_POWER_INFORMATION>::zeroed() }; MAX];
    // SAFETY: nothing is handed over, and the room is as long as is said.
    let status = unsafe {
        CallNtPowerInformation(ProcessorInformation, ptr::null(), 0, all.as_mut_ptr().cast(), BYTES)
    };
    if status != 0 {
        return None;
    }
    let cpu = affinity::pair().map_or(0, |pair| pair.first);
    // SAFETY: numbers, of which those that the call has not written are zero.
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
    // SAFETY: the address is of a GUID that is now ours.
    let copy = unsafe { *scheme };
    // SAFETY: the memory is from the system, and nobody uses it any more.
    unsafe { LocalFree(scheme.cast()) };
    Some(copy)
}

/// The three that every Windows has by their names, in English whatever the language of the system.
fn name(scheme: &GUID) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_of_windows_have_names_and_others_are_told_by_their_number() {
        assert_eq!(name(&GUID_TYPICAL_POWER_SAVINGS), "balanced");
        assert_eq!(name(&GUID_MIN_POWER_SAVINGS), "high performance");
        let other = GUID::from_u128(0x0012_3456_789a_bcde_f012_3456_789a_bcde);
        assert_eq!(name(&other), "00123456789abcdef0123456789abcde");
    }
}
