//! Sleeping until another thread or process says that something has happened: one file a mechanism.
//!
//! Those that wait at an address (`futex`, `ulock`, `os_sync`, `umtx`) sleep only while the word still says
//! [`ASLEEP`]; those that wait for a token (`posix_semaphore`, `mach_semaphore`, `win_semaphore`, `win_event`) keep it
//! until somebody sleeps. Either way a wake-up that comes before the sleep is not lost.

use super::Unsupported;
use std::cell::UnsafeCell;
use std::io;
use std::sync::atomic::AtomicU32;

#[cfg(target_os = "linux")]
mod futex;
#[cfg(target_os = "macos")]
mod mach_semaphore;
#[cfg(target_os = "macos")]
mod os_sync;
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
mod posix_semaphore;
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
    //! Systems whose mechanism to wait at any word is not used yet.

    use super::*;

    /// Never.
    pub fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("futex: only on Linux"))
    }

    /// Gives the processor away, and returns.
    pub fn wait(_word: &AtomicU32, _while_value: u32) {
        std::thread::yield_now();
    }

    /// Wakes nothing.
    pub fn wake_one(_word: &AtomicU32) {}
}

/// The word of a [`Spot`] whose thread is awake. Zeroed memory says so.
pub const AWAKE: u32 = 0;
/// The word of a [`Spot`] whose thread sleeps, or is about to.
pub const ASLEEP: u32 = 1;

/// One way to sleep and to wake.
pub trait Mechanism: Sync {
    /// Its name: that of its file, with hyphens.
    fn slug(&self) -> &'static str;

    /// Whether this machine has it.
    ///
    /// # Errors
    /// The reason where it has not, such as a system that is too old.
    fn support(&self) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Whether a wake-up may be sent to somebody who may not sleep.
    ///
    /// # Errors
    /// The reason where it may not.
    fn unasked(&self) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Makes the spot ready for the caller to sleep on it, once before the first time.
    fn settle(&self, spot: &Spot) -> io::Result<()> {
        let _ = spot;
        Ok(())
    }

    /// Sleeps until woken; also returns for no reason. A timer would cost each sleep some percents. Who calls has set the
    /// word to [`ASLEEP`] and looked again whether there is a need to.
    fn sleep(&self, spot: &Spot);

    /// Wakes who sleeps there, or is about to. Who calls has set the word to [`AWAKE`].
    fn wake(&self, spot: &Spot);
}

/// Why a semaphore is not for wake-ups that were not asked for.
const KEEPS: &str =
    "a semaphore keeps every wake-up, also one that no thread waits for: its threads would stop sleeping";

/// Where one thread sleeps: in memory that it shares with whoever wakes it. Zeroed memory is one.
#[derive(Default)]
#[repr(C)]
pub struct Spot {
    /// [`AWAKE`] or [`ASLEEP`].
    pub word: AtomicU32,
    /// 1 once [`Mechanism::settle`] is done; only for mechanisms that need it.
    settled: AtomicU32,
    /// What a mechanism keeps here: a semaphore, the name of one.
    store: UnsafeCell<[u64; 4]>,
}

// SAFETY: the mechanisms put only objects into `store` that many threads may use at once.
#[expect(unsafe_code, reason = "memory for objects of the system")]
unsafe impl Sync for Spot {}

/// A mechanism, or the reason why this system does not have it.
///
/// # Errors
/// Naming the system that has it.
pub fn find(slug: &str) -> Result<&'static dyn Mechanism, Unsupported> {
    let here = HERE.iter().copied().find(|mechanism| mechanism.slug() == slug);
    here.ok_or_else(|| {
        let home = HOMES.iter().find(|(known, _)| *known == slug).map_or("no system", |(_, home)| home);
        Unsupported::because(format!("waking by {slug}: only on {home}"))
    })
}

/// Those of this system, in the order of slugs.
static HERE: &[&dyn Mechanism] = &[
    #[cfg(target_os = "linux")]
    &futex::Futex,
    #[cfg(target_os = "macos")]
    &mach_semaphore::MachSemaphore,
    #[cfg(target_os = "macos")]
    &os_sync::OsSync,
    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    &posix_semaphore::PosixSemaphore,
    #[cfg(target_os = "macos")]
    &ulock::Ulock,
    #[cfg(target_os = "freebsd")]
    &umtx::Umtx,
    #[cfg(windows)]
    &win_event::WinEvent,
    #[cfg(windows)]
    &win_semaphore::WinSemaphore,
];

/// Where each exists.
const HOMES: [(&str, &str); 8] = [
    ("futex", "Linux"),
    ("mach-semaphore", "macOS"),
    ("os-sync", "macOS 14.4 and later"),
    ("posix-semaphore", "Linux and FreeBSD"),
    ("ulock", "macOS"),
    ("umtx", "FreeBSD"),
    ("win-event", "Windows"),
    ("win-semaphore", "Windows"),
];
