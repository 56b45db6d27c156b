//! Facts about an x86 CPU and its hypervisor (`cpuid`; Intel's manual, volume 2A). Absent on other CPUs.

/// The hypervisor's name for itself: `KVMKVMKVM`, `VMwareVMware`, `Microsoft Hv`, `XenVMMXenVMM`. Valid only if there
/// is one.
pub(super) fn hypervisor_vendor() -> Option<String> {
    /// Leaves from here on are the hypervisor's; the first has its name in three registers.
    const NAME: u32 = 0x4000_0000;
    let [_, name @ ..] = registers(NAME)?;
    text(&name)
}

/// Whether a hypervisor is present.
#[cfg(any(windows, test))]
pub(super) fn has_hypervisor() -> Option<bool> {
    // ECX, bit 31.
    registers(1).map(|[_, _, ecx, _]| ecx >> 31 == 1)
}

/// Whether the hypervisor lets this system create other guests and runs directly on the machine. Then this is not a
/// guest, although Hyper-V runs below it, as it does wherever Windows isolates parts of itself.
#[cfg(any(windows, test))]
pub(super) fn can_create_guests() -> bool {
    /// Hypervisor Top Level Functional Specification, "Feature Identification": EBX, bit 0, is `CreatePartitions`.
    const PRIVILEGES: u32 = 0x4000_0003;
    /// The same, "Implementation Recommendations": EAX, bit 12, means that the hypervisor is a guest of another
    /// Hyper-V.
    const RECOMMENDATIONS: u32 = 0x4000_0004;
    hypervisor_vendor().as_deref() == Some("Microsoft Hv")
        && registers(PRIVILEGES).is_some_and(|[_, ebx, ..]| ebx & 1 == 1)
        && registers(RECOMMENDATIONS).is_some_and(|[eax, ..]| eax >> 12 & 1 == 0)
}

/// The processor's name from its manufacturer.
#[cfg(any(windows, test))]
pub(super) fn brand() -> Option<String> {
    /// Returns the last of the leaves from here on.
    const EXTENDED: u32 = 0x8000_0000;
    const NAME: [u32; 3] = [0x8000_0002, 0x8000_0003, 0x8000_0004];
    let [last, ..] = registers(EXTENDED)?;
    let name: Vec<u32> =
        NAME.into_iter().filter(|&leaf| leaf <= last).filter_map(registers).flatten().collect();
    text(&name)
}

fn text(registers: &[u32]) -> Option<String> {
    let bytes: Vec<u8> = registers.iter().flat_map(|register| register.to_le_bytes()).collect();
    let text = String::from_utf8_lossy(&bytes).trim_matches(['\0', ' ']).to_owned();
    (!text.is_empty()).then_some(text)
}

/// EAX, EBX, ECX and EDX for one leaf.
#[cfg(target_arch = "x86_64")]
fn registers(leaf: u32) -> Option<[u32; 4]> {
    let answer = std::arch::x86_64::__cpuid(leaf);
    Some([answer.eax, answer.ebx, answer.ecx, answer.edx])
}

#[cfg(not(target_arch = "x86_64"))]
fn registers(_leaf: u32) -> Option<[u32; 4]> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_four_letters_per_register() {
        assert_eq!(text(&[0x4b4d_564b, 0x564b_4d56, 0x4d]).as_deref(), Some("KVMKVMKVM"));
        assert_eq!(text(&[0x2020_2020, 0]), None);
    }

    #[test]
    fn only_x86_processors_have_a_name() {
        assert_eq!(brand().is_some(), cfg!(target_arch = "x86_64"));
        assert_eq!(has_hypervisor().is_some(), cfg!(target_arch = "x86_64"));
        assert!(!can_create_guests() || has_hypervisor() == Some(true));
    }
}
