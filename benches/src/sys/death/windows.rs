//! Windows: a job object, which this process holds for as long as it lives.

use crate::sys::job;
use std::io;
use std::os::windows::io::OwnedHandle;
use std::process::{Child, Command};
use std::sync::Mutex;

/// The job of all children of this process.
static JOB: Mutex<Option<OwnedHandle>> = Mutex::new(None);

pub(super) fn prepare(_command: &mut Command) {}

pub(super) fn bind(child: &Child) -> io::Result<()> {
    let mut all = JOB.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let all = match &mut *all {
        Some(job) => job,
        none => none.insert(job::create()?),
    };
    job::assign(all, child)
}

/// Between its start and [`bind`] a child notices the end of this process by the end of its standard input.
#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems fail")]
pub(super) fn die_with_parent() -> io::Result<()> {
    Ok(())
}
