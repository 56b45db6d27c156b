//! Systems without an implementation yet.

use super::Observed;
use crate::sys::Unsupported;
use roundtrip_wire::SystemCalls;
use std::collections::BTreeMap;

/// It has no values.
#[derive(Debug)]
pub(super) enum Tracer {}

impl Tracer {
    pub(super) fn attach(_pids: Vec<u32>, _cpu: Option<u32>, _in_detail: bool) -> Result<Self, Unsupported> {
        Err(Unsupported::because("tracing system calls is supported only on Linux and FreeBSD"))
    }

    pub(super) fn finish(self) -> BTreeMap<u32, Vec<SystemCalls>> {
        match self {}
    }

    pub(super) fn finish_in_detail(self) -> Vec<Observed> {
        match self {}
    }
}
