//! Linux: `/proc/PID/stat` (`proc_pid_stat(5)`).

/// When the process with this number started, in clock ticks since boot; none if it has ended.
pub(super) fn started(id: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
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
