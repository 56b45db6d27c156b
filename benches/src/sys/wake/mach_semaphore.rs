//! macOS: a semaphore of the Mach kernel (`mach/semaphore.h`, and `mach/task.h` for `semaphore_create`). All of it is
//! public, so that a program in the App Store may use it.
//!
//! A semaphore is a port, and its name is valid only in one process. So a spot stores a token, for which the sleeping
//! process lends its right ([`lending`]); a waker borrows it once, and keeps it. A spot does not report its end, so all
//! semaphores live as long as the process.

use super::{Mechanism, Spot, TOKENS_ACCUMULATE};
use crate::sys::Unsupported;
use crate::sys::mach::lending::{self, Lender};
use crate::sys::mach::port::SendRight;
use crate::sys::mach::token::{TOKEN_BYTES, Token};
use crate::sys::mach::{self, Name, System};
use mach2::kern_return::KERN_SUCCESS;
use mach2::mach_types::SEMAPHORE_NULL;
use mach2::semaphore::{semaphore_create, semaphore_signal, semaphore_wait};
use mach2::sync_policy::SYNC_POLICY_FIFO;
use mach2::traps::mach_task_self;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

pub(super) struct MachSemaphore;

/// The time that a waker waits for the sleeping process to lend its right. Without an answer, the sleeper is woken by the
/// ring's watchdog.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The semaphores that this process knows. A tree, because few are looked up often, and hashing would take longer.
static KNOWN: RwLock<BTreeMap<Key, Semaphore>> = RwLock::new(BTreeMap::new());

/// The lender of this process's semaphores, once there are any.
static LENDER: Mutex<Option<Lender<System>>> = Mutex::new(None);

type Key = [u64; 4];

// A spot has room for a token.
const _: () = assert!(size_of::<Key>() == TOKEN_BYTES && align_of::<AtomicU64>() <= 8);

enum Semaphore {
    /// Created by this process.
    Own(Name),
    Borrowed(SendRight<System>),
}

impl Semaphore {
    fn name(&self) -> Name {
        match self {
            Self::Own(name) => *name,
            Self::Borrowed(right) => right.name(),
        }
    }
}

impl Mechanism for MachSemaphore {
    fn slug(&self) -> &'static str {
        "mach-semaphore"
    }

    fn unconditional_wake(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(TOKENS_ACCUMULATE))
    }

    fn prepare(&self, spot: &Spot) -> io::Result<()> {
        if own(spot).is_some() {
            return Ok(());
        }
        // Not set yet, or set by a process that has died.
        let kernel = mach::system().map_err(io::Error::other)?;
        let semaphore = create()?;
        let mut lender = LENDER.lock().unwrap_or_else(PoisonError::into_inner);
        let lender = match &mut *lender {
            Some(lender) => lender,
            none => none.insert(Lender::start(&kernel)?),
        };
        let token = lender.lend(semaphore);
        for (word, bytes) in words(spot).iter().zip(token.bytes().as_chunks().0) {
            word.store(u64::from_ne_bytes(*bytes), Ordering::Relaxed);
        }
        KNOWN.write().unwrap_or_else(PoisonError::into_inner).insert(key(spot), Semaphore::Own(semaphore));
        Ok(())
    }

    #[expect(unsafe_code, reason = "semaphore_wait")]
    fn sleep(&self, spot: &Spot) {
        // A spot that is not prepared cannot be slept on.
        if let Some(Name(name)) = own(spot) {
            // SAFETY: takes a name; a name that is no semaphore is an error.
            // After KERN_ABORTED, by a signal, the caller checks again.
            let _ = unsafe { semaphore_wait(name) };
        }
    }

    #[expect(unsafe_code, reason = "semaphore_signal")]
    fn wake(&self, spot: &Spot) {
        // If it cannot be found, the sleeper has died.
        if let Ok(Name(name)) = find(spot) {
            // SAFETY: takes a name; that of a destroyed semaphore is an error.
            let _ = unsafe { semaphore_signal(name) };
        }
    }
}

#[expect(unsafe_code, reason = "semaphore_create")]
fn create() -> io::Result<Name> {
    let mut semaphore = SEMAPHORE_NULL;
    // SAFETY: the call writes one name; the task is this process.
    let result = unsafe { semaphore_create(mach_task_self(), &raw mut semaphore, SYNC_POLICY_FIFO, 0) };
    if result == KERN_SUCCESS {
        Ok(Name(semaphore))
    } else {
        Err(io::Error::other(format!("semaphore_create: kern_return_t {result}")))
    }
}

/// The semaphore of the spot, if this process created it.
fn own(spot: &Spot) -> Option<Name> {
    match KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&key(spot)) {
        Some(Semaphore::Own(name)) => Some(*name),
        _ => None,
    }
}

/// The semaphore of the spot: known, or borrowed now.
fn find(spot: &Spot) -> io::Result<Name> {
    let key = key(spot);
    if let Some(known) = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(known.name());
    }
    let token = Token::read(key.map(u64::to_ne_bytes).as_flattened()).ok_or(io::ErrorKind::InvalidData)?;
    let kernel = mach::system().map_err(io::Error::other)?;
    let borrowed = lending::borrow(&kernel, token, TIMEOUT)?;
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    Ok(known.entry(key).or_insert(Semaphore::Borrowed(borrowed)).name())
}

/// The waker has seen the sleeper's word, which was written after these.
fn key(spot: &Spot) -> Key {
    words(spot).each_ref().map(|word| word.load(Ordering::Relaxed))
}

#[expect(unsafe_code, reason = "a part of the spot's memory")]
fn words(spot: &Spot) -> &[AtomicU64; 4] {
    // SAFETY: the memory is large and aligned enough (above), lives as long as the spot, and is only used atomically.
    unsafe { &*spot.store.get().cast::<[AtomicU64; 4]>() }
}
