//! Which processors there are for us, how two of them are related, and pinning the calling thread to one.

use super::Unsupported;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod imp;

/// The processors that this process may use, in ascending order.
///
/// # Errors
/// The reason where the system has no such notion.
pub fn allowed() -> Result<Vec<u32>, Unsupported> {
    imp::allowed()
}

/// Pins the calling thread to one processor.
///
/// # Errors
/// The reason where it cannot be done.
pub fn pin(cpu: u32) -> Result<(), Unsupported> {
    imp::pin(cpu)
}

/// The processor that the calling thread runs on, where the system tells.
#[inline]
pub fn current() -> Option<u32> {
    imp::current()
}

/// The two processors that `cross-cpu` uses, and how they are related: `different cores`, `siblings of one core`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuPair {
    /// The initiator's; `same-cpu` puts both ends here.
    pub first: u32,
    /// The responder's.
    pub second: u32,
    /// In words, for the fingerprint.
    pub relation: &'static str,
}

/// Chooses the pair: the last processor, which interrupts reach least, and the nearest one of another core.
///
/// # Errors
/// The reason where there are not two processors.
pub fn pair() -> Result<CpuPair, Unsupported> {
    let allowed = allowed()?;
    let [.., second, first] = allowed[..] else {
        return Err(Unsupported::because(format!(
            "cross-cpu needs two processors: this process may use {}",
            allowed.len()
        )));
    };
    let core_of_first = imp::core_of(first);
    let other_core = allowed
        .iter()
        .rev()
        .skip(1)
        .find(|&&cpu| core_of_first.is_none() || imp::core_of(cpu) != core_of_first);
    Ok(match (other_core, core_of_first) {
        (Some(&second), Some(_)) => CpuPair { first, second, relation: "different cores" },
        (Some(&second), None) => CpuPair { first, second, relation: "relation not known" },
        (None, _) => CpuPair { first, second, relation: "siblings of one core" },
    })
}
