//! Linux: `perf_event_open(2)`.

use super::Profile;
use crate::sys::Unsupported;

#[derive(Debug)]
pub(super) struct Sampler;

impl Sampler {
    pub(super) fn attach(_pids: &[u32]) -> Result<Self, Unsupported> {
        Ok(Self)
    }

    pub(super) fn finish(self) -> Profile {
        Profile::default()
    }
}
