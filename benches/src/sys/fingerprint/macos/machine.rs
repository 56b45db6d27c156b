//! The system, and what it runs on: version, product, hypervisor, memory, power, clock.

use crate::sys::fingerprint::cpuid;
use crate::sys::fingerprint::facts::{Facts, gib};
use crate::sys::fingerprint::pmset;
use crate::sys::sysctl;
use mach2::mach_time::{mach_timebase_info, mach_timebase_info_data_t};

pub(super) fn read(facts: &mut Facts) {
    let kernel = sysctl::text("kern.ostype").zip(sysctl::text("kern.osrelease"));
    facts.put("os.kernel", kernel.map(|(name, release)| format!("{name} {release}")));
    facts.put("os.build", sysctl::text("kern.osversion"));
    let product = sysctl::text("kern.osproductversion");
    facts.put("os.distribution", product.map(|version| format!("macOS {version}")));
    // A program for Intel is translated for Apple silicon, which makes it another program.
    let is_translated = sysctl::number("sysctl.proc_translated") == Some(1);
    facts.put("os.translation", Some(if is_translated { "Rosetta" } else { "none" }.into()));
    facts.put("machine.product", sysctl::text("hw.model"));
    let guest = sysctl::number("kern.hv_vmm_present").map(|present| present != 0);
    facts.put("machine.hypervisor", guest.map(|guest| if guest { "yes" } else { "none" }.into()));
    let vendor = || if guest? { cpuid::hypervisor_vendor() } else { Some("none".into()) };
    facts.put("machine.hypervisor_vendor", vendor());
    facts.put("machine.power_mode", pmset::mode());
    facts.put("memory.total_gib", sysctl::number("hw.memsize").map(|bytes| gib(bytes >> 10)));
    facts.number("memory.page_bytes", sysctl::number("hw.pagesize"));
    facts.number("clock.frequency_hz", clock_frequency_hz());
}

/// Ticks per second of the clock by which all is measured.
#[expect(unsafe_code, reason = "mach_timebase_info")]
fn clock_frequency_hz() -> Option<u64> {
    const NS_PER_SECOND: u64 = 1_000_000_000;
    let mut scale = mach_timebase_info_data_t { numer: 0, denom: 0 };
    // SAFETY: the call writes the structure.
    unsafe { mach_timebase_info(&raw mut scale) };
    // A tick is this fraction of nanoseconds.
    (NS_PER_SECOND * u64::from(scale.denom)).checked_div(scale.numer.into())
}
