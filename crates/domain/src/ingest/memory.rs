//! [`Memory`]: the memory of all uploads. A quarter is for bodies as sent ([`Bodies`]); the rest is for inflated and
//! parsed ones, until they are stored.

use super::bodies::{Bodies, Key, Sender};
use crate::error::DomainError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// The default limit, in MiB.
pub const MIB_DEFAULT: usize = 256;
/// Semaphores count in 32 bits, and this resolution is sufficient.
const BYTES_OF_PERMIT: usize = 1024;
/// An upload that waits longer for memory and a processor is rejected. Agents wait a minute for an answer.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// The memory that uploads share, and the processors; cheap to clone.
#[derive(Clone, Debug)]
pub struct Memory {
    bodies: Bodies,
    /// Memory for inflated and parsed bodies.
    parsed: Arc<Semaphore>,
    permits_max: usize,
    /// Half of that for each token and each address with an upload.
    shares: Arc<Mutex<HashMap<Key, Weak<Semaphore>>>>,
    /// One permit for each upload that is inflated and parsed at the same time.
    turns: Arc<Semaphore>,
    turns_max: usize,
}

/// Memory for an upload, until dropped.
#[derive(Debug)]
pub(super) struct Reserved {
    bytes: usize,
    _permits: Vec<OwnedSemaphorePermit>,
}

impl Reserved {
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The current load.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Memory of the uploads in progress, in bytes.
    pub bytes: i64,
    /// Its limit.
    pub bytes_max: i64,
    /// Uploads that are being parsed.
    pub parsing: i64,
}

impl Memory {
    /// Memory of this many bytes.
    pub fn new(bytes_max: usize) -> Self {
        let of_bodies = bytes_max / 4;
        let permits_max = (bytes_max - of_bodies) / BYTES_OF_PERMIT;
        let turns_max = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            bodies: Bodies::new(of_bodies),
            parsed: Arc::new(Semaphore::new(permits_max)),
            permits_max,
            shares: Arc::default(),
            turns: Arc::new(Semaphore::new(turns_max)),
            turns_max,
        }
    }

    /// The bodies that are arriving or waiting.
    pub fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// The current load.
    pub fn load(&self) -> Load {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let reserved = self.permits_max.saturating_sub(self.parsed.available_permits()) * BYTES_OF_PERMIT;
        Load {
            bytes: number(self.bodies.bytes() + reserved),
            bytes_max: number(self.bodies.bytes_max() + self.parsed_bytes_max()),
            parsing: number(self.turns_max.saturating_sub(self.turns.available_permits())),
        }
    }

    /// The most that one upload can reserve.
    pub(super) fn parsed_bytes_max(&self) -> usize {
        self.permits_max * BYTES_OF_PERMIT
    }

    /// The deadline of an upload that has just arrived.
    pub(super) fn deadline() -> Instant {
        Instant::now() + WAIT_MAX
    }

    /// Waits for memory. A token or an address that uses half of it waits for its own uploads, so that others continue.
    ///
    /// # Errors
    /// Not enough memory is free before the deadline.
    pub(super) async fn reserve(
        &self,
        sender: Sender,
        bytes: usize,
        deadline: Instant,
    ) -> Result<Reserved, DomainError> {
        let permits = bytes.div_ceil(BYTES_OF_PERMIT).min(self.permits_max);
        let reserve = async {
            let mut reserved = Vec::new();
            for key in sender.keys() {
                reserved.push(acquire(self.share(key), permits.min(self.permits_of_share())).await?);
            }
            reserved.push(acquire(Arc::clone(&self.parsed), permits).await?);
            Ok(Reserved { bytes: permits * BYTES_OF_PERMIT, _permits: reserved })
        };
        tokio::time::timeout_at(deadline, reserve).await.unwrap_or(Err(DomainError::Busy))
    }

    /// Waits for a processor.
    ///
    /// # Errors
    /// No processor is free before the deadline.
    pub(super) async fn turn(&self, deadline: Instant) -> Result<OwnedSemaphorePermit, DomainError> {
        let turn = acquire(Arc::clone(&self.turns), 1);
        tokio::time::timeout_at(deadline, turn).await.unwrap_or(Err(DomainError::Busy))
    }

    fn permits_of_share(&self) -> usize {
        self.permits_max / 2
    }

    fn share(&self, key: Key) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.get(&key).and_then(Weak::upgrade) {
            return share;
        }
        shares.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(self.permits_of_share()));
        shares.insert(key, Arc::downgrade(&share));
        share
    }
}

async fn acquire(semaphore: Arc<Semaphore>, permits: usize) -> Result<OwnedSemaphorePermit, DomainError> {
    let permits = u32::try_from(permits).map_err(DomainError::internal)?;
    semaphore.acquire_many_owned(permits).await.map_err(DomainError::internal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use std::pin::{Pin, pin};
    use std::task::Poll;

    const MIB: usize = 1024 * 1024;

    fn sender(number: u32) -> Sender {
        Sender { address: Ipv4Addr::from_bits(number).into(), token_id: Some(number.into()) }
    }

    async fn is_pending<T>(future: &mut (impl Future<Output = T> + Unpin)) -> bool {
        std::future::poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context).is_pending())).await
    }

    #[tokio::test]
    async fn an_upload_that_fits_alone_waits_for_memory() {
        let memory = Memory::new(256 * MIB);
        let max = memory.parsed_bytes_max();
        let first = memory.reserve(sender(1), max, Memory::deadline()).await.unwrap();
        let mut second = pin!(memory.reserve(sender(2), max, Memory::deadline()));
        assert!(is_pending(&mut second).await);
        drop(first);
        assert_eq!(second.await.unwrap().bytes(), max);
        assert_eq!(memory.load().bytes, 0);
    }

    #[tokio::test]
    async fn one_sender_leaves_half_to_others() {
        let memory = Memory::new(256 * MIB);
        let quarter = memory.parsed_bytes_max() / 4;
        let one = Sender { token_id: Some(7), ..sender(1) };
        let same_token = Sender { token_id: Some(7), ..sender(2) };
        let same_address = Sender { token_id: Some(8), ..sender(1) };
        let reserve = |sender| memory.reserve(sender, quarter, Memory::deadline());
        let _held = (reserve(one).await.unwrap(), reserve(one).await.unwrap());
        for sender in [one, same_token, same_address] {
            assert!(is_pending(&mut pin!(reserve(sender))).await, "{sender:?}");
        }
        let others = (reserve(sender(3)).await.unwrap(), reserve(sender(4)).await.unwrap());
        assert_eq!(memory.load().bytes, memory.load().bytes_max * 3 / 4);
        drop(others);
    }

    #[tokio::test]
    async fn rejects_an_upload_after_the_deadline() {
        let memory = Memory::new(256 * MIB);
        let _all = memory.reserve(sender(1), memory.parsed_bytes_max(), Memory::deadline()).await.unwrap();
        let late = memory.reserve(sender(2), 1, Instant::now()).await;
        assert!(matches!(late, Err(DomainError::Busy)), "{late:?}");
    }

    #[tokio::test]
    async fn forgets_senders_without_uploads() {
        let memory = Memory::new(256 * MIB);
        for number in 0..100 {
            memory.reserve(sender(number), MIB, Memory::deadline()).await.unwrap();
        }
        assert!(memory.shares.lock().unwrap().len() <= 2);
    }
}
