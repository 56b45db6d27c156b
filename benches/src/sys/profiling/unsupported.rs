//! Systems without an implementation yet.

use super::Profile;
use crate::sys::Unsupported;

/// It has no values.
#[derive(Debug)]
pub(super) enum Sampler {}

impl Sampler {
    pub(super) fn attach(_pids: &[u32]) -> Result<Self, Unsupported> {
        Err(Unsupported::because(
            "profiles are supported only on Linux. Elsewhere, use the system's profiler: `sample` on macOS, DTrace on \
             FreeBSD, Windows Performance Recorder on Windows.",
        ))
    }

    pub(super) fn finish(self) -> Profile {
        match self {}
    }
}
