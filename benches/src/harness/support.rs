//! Whether this machine can run a case.

use crate::definition::{Placement, PlannedCase};
use crate::sys::{Unsupported, affinity};

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
        return Err(Unsupported::because("no descriptor can be passed over it: expected a Unix socket"));
    }
    case.transport.support(&case.channel())?;
    match case.placement {
        Placement::SameCpu | Placement::Cpus(..) => affinity::allowed().map(|_| ()),
        Placement::CrossCpu => affinity::pair().map(|_| ()),
        Placement::Free => Ok(()),
    }
}
