//! Sleeping until another thread or process signals: one file per mechanism.
//!
//! Mechanisms with an address (`futex`, `futex_waitv`, `ulock`, `os_sync`, `umtx`) sleep only while the word is still [`ASLEEP`];
//! mechanisms with a token (the semaphores, `win_event`) keep it until a thread sleeps. Either way, a wake-up before the sleep is not lost.

use super::Unsupported;
use super::sysv::Objects;
use std::cell::UnsafeCell;
use std::io;
use std::sync::atomic::AtomicU32;

#[cfg(target_os = "linux")]
mod futex;
#[cfg(target_os = "linux")]
mod futex_waitv;
#[cfg(target_os = "macos")]
mod mach_semaphore;
#[cfg(target_os = "macos")]
mod os_sync;
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
mod posix_semaphore;
#[cfg(unix)]
mod sysv_semaphore;
#[cfg(test)]
mod tests;
#[cfg(target_os = "macos")]
mod ulock;
#[cfg(target_os = "freebsd")]
mod umtx;
#[cfg(windows)]
mod win_event;
#[cfg(windows)]
mod win_object;
#[cfg(windows)]
mod win_semaphore;

#[cfg(target_os = "linux")]
pub use futex::{support, wait, wake_one};
#[cfg(not(target_os = "linux"))]
pub use no_futex::{support, wait, wake_one};

#[cfg(not(target_os = "linux"))]
mod no_futex {
    //! Systems without an implementation yet.

    use super::*;

    /// Always an error.
    pub fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("futex exists only on Linux"))
    }

    /// Yields the processor, and returns.
    pub fn wait(_word: &AtomicU32, _while_value: u32) {
        std::thread::yield_now();
    }

    /// Does nothing.
    pub fn wake_one(_word: &AtomicU32) {}
}

/// The word of a [`Spot`] whose thread is awake, as in zeroed memory.
pub const AWAKE: u32 = 0;
/// The word of a [`Spot`] whose thread sleeps, or is about to.
pub const ASLEEP: u32 = 1;

/// One way to sleep and to wake.
pub trait Mechanism: Sync {
    /// Returns its name: that of its file, with hyphens.
    fn slug(&self) -> &'static str;

    /// Checks that this machine has it.
    ///
    /// # Errors
    /// The reason, if it does not, such as a system that is too old.
    fn support(&self) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Checks that a wake-up may be sent to a thread that may not sleep.
    ///
    /// # Errors
    /// The reason, if it may not.
    fn unconditional_wake(&self) -> Result<(), Unsupported> {
        Ok(())
    }

    /// For objects that the system does not remove with the processes that use them: creates those for spots.
    fn creator(&self) -> Option<Creator> {
        None
    }

    /// Prepares the spot so that the caller can sleep on it; called once before the first sleep.
    fn prepare(&self, spot: &Spot) -> io::Result<()> {
        let _ = spot;
        Ok(())
    }

    /// Sleeps until woken; may also return spuriously. A timeout would make each sleep some percent slower. The caller
    /// has set the word to [`ASLEEP`] and checked again whether to sleep.
    fn sleep(&self, spot: &Spot);

    /// Wakes the thread that sleeps there, or is about to. The caller has set the word to [`AWAKE`].
    fn wake(&self, spot: &Spot);
}

/// Creates the objects for spots that no member has joined yet. The caller keeps them until all members have ended.
pub type Creator = fn(&[&Spot]) -> io::Result<Objects>;

/// Why a semaphore does not support unconditional wake-ups.
const TOKENS_ACCUMULATE: &str =
    "a semaphore counts every wake-up, even without a waiting thread, so its threads would stop sleeping";

/// A place for one thread to sleep, in memory shared with its wakers. Zeroed memory is valid.
#[derive(Default)]
#[repr(C)]
pub struct Spot {
    /// [`AWAKE`] or [`ASLEEP`].
    pub word: AtomicU32,
    /// 1 once [`Mechanism::prepare`] is done; only for mechanisms that need it.
    prepared: AtomicU32,
    /// Data of the mechanism: a semaphore, or the name of one.
    store: UnsafeCell<[u64; 4]>,
}

// SAFETY: the mechanisms put only thread-safe objects into `store`.
#[expect(unsafe_code, reason = "memory for objects of the system")]
unsafe impl Sync for Spot {}

/// Finds a mechanism, or the reason why this system does not have it.
///
/// # Errors
/// Naming the system that has it.
pub fn find(slug: &str) -> Result<&'static dyn Mechanism, Unsupported> {
    let here = HERE.iter().copied().find(|mechanism| mechanism.slug() == slug);
    here.ok_or_else(|| {
        let home = SYSTEMS.iter().find(|(known, _)| *known == slug).map_or("no system", |(_, home)| home);
        Unsupported::because(format!("waking with {slug} works only on {home}"))
    })
}

/// The mechanisms of this system, ordered by slug.
static HERE: &[&dyn Mechanism] = &[
    #[cfg(target_os = "linux")]
    &futex::Futex,
    #[cfg(target_os = "linux")]
    &futex_waitv::FutexWaitv,
    #[cfg(target_os = "macos")]
    &mach_semaphore::MachSemaphore,
    #[cfg(target_os = "macos")]
    &os_sync::OsSync,
    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    &posix_semaphore::PosixSemaphore,
    #[cfg(unix)]
    &sysv_semaphore::SysvSemaphore,
    #[cfg(target_os = "macos")]
    &ulock::Ulock,
    #[cfg(target_os = "freebsd")]
    &umtx::Umtx,
    #[cfg(windows)]
    &win_event::WinEvent,
    #[cfg(windows)]
    &win_semaphore::WinSemaphore,
];

/// The systems of each mechanism.
const SYSTEMS: [(&str, &str); 10] = [
    ("futex", "Linux"),
    ("futex-waitv", "Linux 5.16 and later"),
    ("mach-semaphore", "macOS"),
    ("os-sync", "macOS 14.4 and later"),
    ("posix-semaphore", "Linux and FreeBSD"),
    ("sysv-semaphore", "Linux, FreeBSD and macOS"),
    ("ulock", "macOS"),
    ("umtx", "FreeBSD"),
    ("win-event", "Windows"),
    ("win-semaphore", "Windows"),
];
