//! Linux: `/proc/PID/stat` (`proc_pid_stat(5)`).

use rustix::fs::{CWD, Mode, OFlags, openat};
use std::fs::File;
use std::io::Read;

/// When the process with this number started, in clock ticks since boot; none if it has ended.
pub(super) fn started(id: u32) -> Option<u32> {
    // Through the folder, because an emulator of processors (QEMU) writes the file of the process that it runs itself,
    // and knows the path: the start it tells there is not quite the one that all other processes read.
    let folder =
        openat(CWD, format!("/proc/{id}"), OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    let file = openat(folder.ok()?, "stat", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut stat = String::new();
    File::from(file).read_to_string(&mut stat).ok()?;
    // The second field is a name in parentheses, which may hold anything; the state is the third.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X" | "x") {
        return None;
    }
    // The 22nd of all.
    let ticks: u64 = fields.nth(18)?.parse().ok()?;
    u32::try_from(ticks & u64::from(u32::MAX)).ok()
}
