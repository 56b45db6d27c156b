//! The monotonic clock in nanoseconds.

/// Whether all processes of the machine share the clock, so that a message can be timed one way.
pub(crate) const IS_SHARED: bool = cfg!(unix);

#[cfg(unix)]
pub(crate) fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(not(unix))]
pub(crate) fn now_ns() -> u64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGIN.elapsed().as_nanos() as u64
}
