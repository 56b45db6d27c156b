//! Whether this machine can run a case.

use crate::definition::{Placement, PlannedCase};
use crate::scenario::Pattern;
use crate::sys::{Unsupported, affinity};
use crate::transport::OnFull;

/// Whether this machine can run a case.
///
/// # Errors
/// The reason why not.
pub fn support(case: &PlannedCase) -> Result<(), Unsupported> {
    let (least, bytes) = (case.scenario.message_bytes_min(), case.work.message_bytes);
    if bytes < least {
        return Err(Unsupported::because(format!(
            "{} needs messages of at least {least} B: found {bytes} B",
            case.scenario.slug()
        )));
    }
    if case.scenario.needs_handles() && !case.transport.passes_handles() {
        return Err(Unsupported::because(
            "nothing can be passed over it: expected a Unix socket, a named pipe or Mach messages",
        ));
    }
    if case.transport.only_asks() && !case.scenario.asks() {
        return Err(Unsupported::because("a transaction is a question and its answer: expected roundtrip"));
    }
    match (case.scenario.pattern(), case.transport.ring()) {
        (Pattern::Pair(_), Some(_)) if case.manner.on_full == OnFull::Drop => {
            return Err(Unsupported::because(
                "who waits for an answer cannot drop the question: expected on_full = wait",
            ));
        }
        (Pattern::Pair(_), _) => case.transport.support(&case.channel())?,
        (Pattern::Many(_), Some(ring)) => ring.support_many(&case.channel())?,
        (Pattern::Many(_), None) => {
            return Err(Unsupported::because("it has two ends: expected a shared-memory ring"));
        }
    }
    if case.transport.ring().is_none() && case.manner != case.transport.manner() {
        return Err(Unsupported::because(
            "it waits and wakes as the kernel does: expected no receive, on_full, wake or storage",
        ));
    }
    match case.placement {
        Placement::SameCpu | Placement::Cpus(..) => affinity::allowed().map(|_| ()),
        Placement::CrossCpu => affinity::pair().map(|_| ()),
        Placement::Free => Ok(()),
    }
}
