//! [`Admission`]: limits concurrent uploads. Excess ones are rejected before their body is read; agents keep reports
//! and retry.

use crate::error::DomainError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

/// Maximum bytes of bodies in memory, as sent: eight of the largest, or some hundred typical ones.
const BYTES_MAX: usize = 64 * 1024 * 1024;
/// Semaphores count in 32 bits, and this resolution is sufficient.
const BYTES_OF_PERMIT: usize = 1024;
/// How long an upload waits for its turn before it is rejected.
const TURN_WAIT_MAX: Duration = Duration::from_secs(20);

/// The resources that uploads share.
#[derive(Clone, Debug)]
pub struct Admission {
    memory: Arc<Semaphore>,
    /// One permit for each upload that is inflated and parsed at the same time.
    turns: Arc<Semaphore>,
    turn_count: usize,
}

/// A body's share of the memory, until dropped.
#[derive(Debug)]
pub struct Admitted {
    share: OwnedSemaphorePermit,
    memory: Arc<Semaphore>,
}

/// The current load.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// Bytes of the bodies in memory.
    pub bytes: i64,
    /// Their maximum.
    pub bytes_max: i64,
    /// Uploads that are being parsed.
    pub parsing: i64,
}

impl Default for Admission {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            memory: Arc::new(Semaphore::new(BYTES_MAX / BYTES_OF_PERMIT)),
            turns: Arc::new(Semaphore::new(processors)),
            turn_count: processors,
        }
    }
}

impl Admission {
    /// Admits a body of this size, or rejects it immediately.
    pub fn admit(&self, bytes: usize) -> Result<Admitted, DomainError> {
        let memory = Arc::clone(&self.memory);
        Ok(Admitted { share: acquire(&memory, permits(bytes))?, memory })
    }

    /// The current load.
    pub fn queue(&self) -> Queue {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let free_bytes = self.memory.available_permits() * BYTES_OF_PERMIT;
        Queue {
            bytes: number(BYTES_MAX.saturating_sub(free_bytes)),
            bytes_max: number(BYTES_MAX),
            parsing: number(self.turn_count.saturating_sub(self.turns.available_permits())),
        }
    }

    /// Waits for a turn to use the CPU.
    pub async fn turn(&self) -> Result<SemaphorePermit<'_>, DomainError> {
        match tokio::time::timeout(TURN_WAIT_MAX, self.turns.acquire()).await {
            Ok(permit) => permit.map_err(DomainError::internal),
            Err(_) => Err(DomainError::Busy),
        }
    }
}

impl Admitted {
    /// Reserves more memory for a body that is larger than announced.
    pub fn cover(&mut self, bytes: usize) -> Result<(), DomainError> {
        let missing = permits(bytes).saturating_sub(self.share.num_permits());
        if missing > 0 {
            self.share.merge(acquire(&self.memory, missing)?);
        }
        Ok(())
    }
}

fn permits(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_OF_PERMIT)
}

fn acquire(memory: &Arc<Semaphore>, permits: usize) -> Result<OwnedSemaphorePermit, DomainError> {
    let permits = u32::try_from(permits).map_err(DomainError::internal)?;
    Arc::clone(memory).try_acquire_many_owned(permits).map_err(|_| DomainError::Busy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_uploads_that_do_not_fit() {
        let admission = Admission::default();
        let first = admission.admit(BYTES_MAX / 2).unwrap();
        let _second = admission.admit(BYTES_MAX / 2 - 1).unwrap();
        assert!(matches!(admission.admit(1), Err(DomainError::Busy)));
        drop(first);
        assert!(admission.admit(BYTES_MAX / 2).is_ok());
    }

    #[test]
    fn growing_bodies_reserve_memory_and_release_all_of_it() {
        let admission = Admission::default();
        let mut growing = admission.admit(0).unwrap();
        growing.cover(BYTES_MAX / 2).unwrap();
        growing.cover(BYTES_MAX / 2).unwrap();
        let other = admission.admit(BYTES_MAX / 2).unwrap();
        assert!(matches!(growing.cover(BYTES_MAX / 2 + 1), Err(DomainError::Busy)));
        drop((growing, other));
        assert!(admission.admit(BYTES_MAX).is_ok());
    }
}
