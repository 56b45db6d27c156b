//! What an x86 processor says of itself and of its hypervisor (`cpuid`; Intel's manual, volume 2A). Other processors have
//! no such instruction: there all is absent.

/// The name with which a hypervisor introduces itself: `KVMKVMKVM`, `VMwareVMware`, `Microsoft Hv`, `XenVMMXenVMM`. Only
/// for who knows that there is one.
pub(super) fn hypervisor_vendor() -> Option<String> {
    /// Leaves from here on are the hypervisor's own, and its name is in three registers of the first.
    const NAME: u32 = 0x4000_0000;
    let [_, name @ ..] = registers(NAME)?;
    text(&name)
}

/// Whether a hypervisor says that it is there.
#[cfg(any(windows, test))]
pub(super) fn has_hypervisor() -> Option<bool> {
    // ECX, bit 31.
    registers(1).map(|[_, _, ecx, _]| ecx >> 31 == 1)
}

/// Whether the hypervisor lets this system make other guests and runs on the machine itself: then this is not a guest,
/// although Hyper-V runs below it, as it does wherever Windows isolates parts of itself.
#[cfg(any(windows, test))]
pub(super) fn may_make_guests() -> bool {
    /// Hypervisor Top Level Functional Specification, "Feature Identification": EBX, bit 0, is `CreatePartitions`.
    const PRIVILEGES: u32 = 0x4000_0003;
    /// The same, "Implementation Recommendations": EAX, bit 12, is that the hypervisor is a guest of another Hyper-V.
    const RECOMMENDATIONS: u32 = 0x4000_0004;
    hypervisor_vendor().as_deref() == Some("Microsoft Hv")
        && registers(PRIVILEGES).is_some_and(|[_, ebx, ..]| ebx & 1 == 1)
        && registers(RECOMMENDATIONS).is_some_and(|[eax, ..]| eax >> 12 & 1 == 0)
}

/// The processor's name, as its maker gives it.
#[cfg(any(windows, test))]
pub(super) fn brand() -> Option<String> {
    /// Tells the last of the leaves from here on.
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
    fn registers_hold_four_letters_each_the_first_lowest() {
        assert_eq!(text(&[0x4b4d_564b, 0x564b_4d56, 0x4d]).as_deref(), Some("KVMKVMKVM"));
        assert_eq!(text(&[0x2020_2020, 0]), None);
    }

    #[test]
    fn an_x86_processor_has_a_name_and_others_tell_nothing() {
        assert_eq!(brand().is_some(), cfg!(target_arch = "x86_64"));
        assert_eq!(has_hypervisor().is_some(), cfg!(target_arch = "x86_64"));
        assert!(!may_make_guests() || has_hypervisor() == Some(true));
    }
}
