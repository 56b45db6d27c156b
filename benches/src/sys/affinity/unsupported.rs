//! Systems whose call for it is not used yet.

use crate::sys::Unsupported;

pub(super) fn allowed() -> Result<Vec<u32>, Unsupported> {
    Err(Unsupported::because("pinning threads is not available on this system yet"))
}

pub(super) fn pin(_cpu: u32) -> Result<(), Unsupported> {
    allowed().map(|_| ())
}

#[inline]
pub(super) fn current() -> Option<u32> {
    None
}

pub(super) fn core_of(_cpu: u32) -> Option<(u32, u32)> {
    None
}
