//! Mitigations of what processors give away: `NtQuerySystemInformation` with `SystemKernelVaShadowInformation` and
//! `SystemSpeculationControlInformation` (`winternl.h`), said as Linux says them.

use windows_sys::Wdk::System::SystemInformation::{NtQuerySystemInformation, SYSTEM_INFORMATION_CLASS};

/// `SYSTEM_INFORMATION_CLASS` of `winternl.h`.
const KERNEL_VA_SHADOW: SYSTEM_INFORMATION_CLASS = 196;
const SPECULATION_CONTROL: SYSTEM_INFORMATION_CLASS = 201;

/// Bits of `SYSTEM_KERNEL_VA_SHADOW_INFORMATION`: the kernel has address spaces of its own; the processor needs that;
/// the bit before means something.
const SHADOW_ENABLED: u32 = 1;
const SHADOW_REQUIRED: u32 = 1 << 4;
const SHADOW_REQUIRED_IS_KNOWN: u32 = 1 << 5;

/// Bits of `SYSTEM_SPECULATION_CONTROL_INFORMATION`: branch prediction is fenced off; loads before stores can be
/// forbidden; are forbidden everywhere; need to be.
const BRANCHES_ENABLED: u32 = 1;
const STORES_KNOWN: u32 = 1 << 8;
const STORES_EVERYWHERE: u32 = 1 << 10;
const STORES_REQUIRED: u32 = 1 << 12;

/// `name=state; ...`, in the order of names. None where the system does not tell.
pub(super) fn all() -> Option<String> {
    told(ask(KERNEL_VA_SHADOW), ask(SPECULATION_CONTROL))
}

fn told(shadow: Option<u32>, speculation: Option<u32>) -> Option<String> {
    const ACTIVE: &str = "Mitigation";
    const NEEDLESS: &str = "Not affected";
    const OPEN: &str = "Vulnerable";
    let meltdown = shadow.and_then(|bits| match bits {
        _ if bits & SHADOW_ENABLED != 0 => Some(format!("{ACTIVE}: KVA shadow")),
        _ if bits & SHADOW_REQUIRED_IS_KNOWN == 0 => None,
        _ => Some(if bits & SHADOW_REQUIRED == 0 { NEEDLESS } else { OPEN }.into()),
    });
    let stores = speculation.filter(|bits| bits & STORES_KNOWN != 0).map(|bits| match bits {
        _ if bits & STORES_REQUIRED == 0 => NEEDLESS.into(),
        _ if bits & STORES_EVERYWHERE != 0 => format!("{ACTIVE}: SSBD everywhere"),
        // As Linux calls it, too: a program has to ask for it.
        _ => OPEN.into(),
    });
    // Whether a processor needs this is not told, so that off counts as open.
    let branches = speculation
        .map(|bits| if bits & BRANCHES_ENABLED != 0 { format!("{ACTIVE}: BPB") } else { OPEN.into() });
    let states = [("meltdown", meltdown), ("spec_store_bypass", stores), ("spectre_v2", branches)];
    let told: Vec<String> =
        states.into_iter().filter_map(|(name, state)| Some(format!("{name}={}", state?))).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Both classes are a word of bits.
#[expect(unsafe_code, reason = "NtQuerySystemInformation")]
fn ask(class: SYSTEM_INFORMATION_CLASS) -> Option<u32> {
    const BYTES: u32 = 4;
    let (mut bits, mut written) = (0_u32, 0);
    // SAFETY: the word is as long as is said.
    let status = unsafe { NtQuerySystemInformation(class, (&raw mut bits).cast(), BYTES, &raw mut written) };
    (status == 0).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_that_needs_nothing_is_not_vulnerable() {
        assert_eq!(
            told(Some(SHADOW_REQUIRED_IS_KNOWN), Some(STORES_KNOWN | BRANCHES_ENABLED)).as_deref(),
            Some("meltdown=Not affected; spec_store_bypass=Not affected; spectre_v2=Mitigation: BPB")
        );
    }

    #[test]
    fn what_is_needed_and_off_is_vulnerable() {
        let shadow = SHADOW_REQUIRED | SHADOW_REQUIRED_IS_KNOWN;
        assert_eq!(
            told(Some(shadow), Some(STORES_KNOWN | STORES_REQUIRED)).as_deref(),
            Some("meltdown=Vulnerable; spec_store_bypass=Vulnerable; spectre_v2=Vulnerable")
        );
        assert_eq!(
            told(Some(shadow | SHADOW_ENABLED), None).as_deref(),
            Some("meltdown=Mitigation: KVA shadow")
        );
        assert_eq!(told(None, Some(0)).as_deref(), Some("spectre_v2=Vulnerable"));
        // Before the system told whether the processor needs it.
        assert_eq!((told(Some(0), None), told(None, None)), (None, None));
    }
}
