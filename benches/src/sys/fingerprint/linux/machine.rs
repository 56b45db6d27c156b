//! What it runs on: maker, product, hypervisor, memory.

use super::{Facts, cpuinfo};
use crate::sys::fingerprint::cpuid;
use crate::sys::fingerprint::facts::gib;
use crate::sys::tree::Tree;

pub(super) fn read(tree: &Tree, facts: &mut Facts) {
    let product = tree.text("/sys/class/dmi/id/product_name");
    // Machines without DMI, such as small ARM ones, name themselves in the device tree, with a NUL at the end.
    let model = || tree.text("/proc/device-tree/model").map(|name| name.trim_end_matches('\0').into());
    facts.put("machine.product", product.or_else(model));
    facts.file("machine.vendor", tree, "/sys/class/dmi/id/sys_vendor");
    let guest = cpuinfo(tree, "flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    // The `hypervisor` flag is how a guest is told that it is one (CPUID leaf 1, ECX bit 31).
    let kind = tree.text("/sys/hypervisor/type").unwrap_or_else(|| if guest { "yes" } else { "none" }.into());
    facts.put("machine.hypervisor", Some(kind));
    facts.put(
        "machine.hypervisor_vendor",
        if guest { cpuid::hypervisor_vendor() } else { Some("none".into()) },
    );
    facts.put("memory.total_gib", meminfo_kib(tree, "MemTotal:").map(gib));
    facts.put("memory.transparent_huge_pages", chosen(tree, "enabled"));
    facts.put("memory.transparent_huge_pages_shared", chosen(tree, "shmem_enabled"));
    facts.put("memory.swap_mib", meminfo_kib(tree, "SwapTotal:").map(|kib| (kib >> 10).to_string()));
    facts.file("memory.numa_nodes", tree, "/sys/devices/system/node/online");
}

/// A line of `/proc/meminfo`, in KiB.
pub(super) fn meminfo_kib(tree: &Tree, name: &str) -> Option<u64> {
    tree.field("/proc/meminfo", name)?.split(' ').next()?.parse().ok()
}

/// The word in brackets of `always [madvise] never`.
fn chosen(tree: &Tree, name: &str) -> Option<String> {
    let text = tree.text(&format!("/sys/kernel/mm/transparent_hugepage/{name}"))?;
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::tree::fixture::tree;

    #[test]
    fn memory_is_rounded_and_the_chosen_word_is_taken() {
        let (_folder, tree) = tree(&[
            ("/proc/meminfo", "MemTotal:       24689012 kB\nSwapTotal:       2097148 kB\n"),
            ("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
        ]);
        let mut facts = Facts::default();
        read(&tree, &mut facts);
        assert_eq!(facts.0["memory.total_gib"], "24");
        assert_eq!(facts.0["memory.swap_mib"], "2047");
        assert_eq!(facts.0["memory.transparent_huge_pages"], "madvise");
        assert_eq!(facts.0["machine.hypervisor"], "none");
    }

    #[test]
    fn a_guest_is_told_by_the_flag() {
        let (_folder, tree) = tree(&[("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor sse\n")]);
        let mut facts = Facts::default();
        read(&tree, &mut facts);
        assert_eq!(facts.0["machine.hypervisor"], "yes");
    }
}
