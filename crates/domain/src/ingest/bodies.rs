//! [`Bodies`]: the memory of request bodies while they arrive. If it is full, the sender that holds most of it loses a
//! body, so a sender cannot keep others out.

use crate::error::DomainError;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// The sender of a request. Memory is shared out by address and by token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The client's address, or its network.
    pub address: IpAddr,
    /// The token that authenticated the request, if one did.
    pub token_id: Option<i64>,
}

/// The key by which bytes are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Token(i64),
    Address(IpAddr),
}

impl Sender {
    /// In the order in which shares are acquired.
    pub(super) fn keys(self) -> impl Iterator<Item = Key> {
        self.token_id.map(Key::Token).into_iter().chain([Key::Address(self.address)])
    }
}

/// The bodies that are arriving, or complete and waiting; cheap to clone.
#[derive(Clone, Debug)]
pub struct Bodies {
    bytes_max: usize,
    open: Arc<Mutex<Open>>,
}

#[derive(Debug, Default)]
struct Open {
    next_id: u64,
    bytes: usize,
    bodies: HashMap<u64, Counted>,
}

#[derive(Debug)]
struct Counted {
    sender: Sender,
    bytes: usize,
    /// Notifies the body when it is dropped with this entry.
    _kept: oneshot::Sender<()>,
}

/// The bytes of one body, counted until it is dropped.
#[derive(Debug)]
pub struct Arriving {
    bodies: Bodies,
    id: u64,
    sender: Sender,
    kept: oneshot::Receiver<()>,
}

impl Bodies {
    /// Memory for this many bytes of bodies.
    pub fn new(bytes_max: usize) -> Self {
        Self { bytes_max, open: Arc::default() }
    }

    /// Counts a body, of which nothing has arrived yet.
    pub fn begin(&self, sender: Sender) -> Arriving {
        let (keep, kept) = oneshot::channel();
        let mut open = self.open();
        let id = open.next_id;
        open.next_id += 1;
        open.bodies.insert(id, Counted { sender, bytes: 0, _kept: keep });
        Arriving { bodies: self.clone(), id, sender, kept }
    }

    /// The bytes of all bodies.
    pub(super) fn bytes(&self) -> usize {
        self.open().bytes
    }

    pub(super) fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn remove(&mut self, id: u64) {
        if let Some(removed) = self.bodies.remove(&id) {
            self.bytes -= removed.bytes;
        }
    }

    /// The largest body of the token or address with the most bytes.
    fn heaviest(&self) -> Option<u64> {
        let mut bytes_by_key: HashMap<Key, usize> = HashMap::new();
        for body in self.bodies.values() {
            for key in body.sender.keys() {
                *bytes_by_key.entry(key).or_default() += body.bytes;
            }
        }
        let of_sender = |sender: Sender| sender.keys().filter_map(|key| bytes_by_key.get(&key)).max();
        self.bodies.iter().max_by_key(|(_, body)| (of_sender(body.sender), body.bytes)).map(|(id, _)| *id)
    }
}

impl Arriving {
    /// Counts more bytes of this body. If there is no memory for them, other bodies make room.
    ///
    /// # Errors
    /// [`DomainError::Busy`]: this body had to make room.
    pub fn add(&self, bytes: usize) -> Result<(), DomainError> {
        let mut open = self.bodies.open();
        let body = open.bodies.get_mut(&self.id).ok_or(DomainError::Busy)?;
        body.bytes += bytes;
        open.bytes += bytes;
        while open.bytes > self.bodies.bytes_max {
            let heaviest = open.heaviest().ok_or(DomainError::Busy)?;
            open.remove(heaviest);
        }
        if open.bodies.contains_key(&self.id) { Ok(()) } else { Err(DomainError::Busy) }
    }

    /// Returns when this body has to make room for others.
    pub async fn evicted(&mut self) {
        // The other end sends nothing: it is only dropped.
        let _ = (&mut self.kept).await;
    }

    /// The sender.
    pub fn sender(&self) -> Sender {
        self.sender
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        self.bodies.open().remove(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn sender(address: u32, token_id: i64) -> Sender {
        Sender { address: Ipv4Addr::from_bits(address).into(), token_id: Some(token_id) }
    }

    fn of_size(bodies: &Bodies, sender: Sender, bytes: usize) -> Arriving {
        let body = bodies.begin(sender);
        body.add(bytes).unwrap();
        body
    }

    fn is_kept(body: &Arriving) -> bool {
        body.add(0).is_ok()
    }

    #[test]
    fn counts_bytes_until_a_body_is_dropped() {
        let bodies = Bodies::new(100);
        let first = of_size(&bodies, sender(1, 1), 60);
        let second = of_size(&bodies, sender(2, 2), 40);
        assert_eq!(bodies.bytes(), 100);
        drop((first, second));
        assert_eq!(bodies.bytes(), 0);
    }

    #[tokio::test]
    async fn the_sender_with_most_bytes_makes_room() {
        // One token from several addresses, then several tokens from one address.
        for senders in
            [[sender(1, 1), sender(2, 1), sender(3, 1)], [sender(1, 1), sender(1, 2), sender(1, 3)]]
        {
            let bodies = Bodies::new(100);
            let [small, mut large, other] =
                [(0, 20), (1, 30), (2, 10)].map(|(at, bytes)| of_size(&bodies, senders[at], bytes));
            let stranger = of_size(&bodies, sender(9, 9), 40);
            let newcomer = of_size(&bodies, sender(8, 8), 1);
            large.evicted().await;
            assert!(!is_kept(&large));
            assert!([&small, &other, &stranger, &newcomer].into_iter().all(is_kept));
            assert_eq!(bodies.bytes(), 71);
        }
    }

    #[test]
    fn a_body_beyond_its_share_is_rejected() {
        let bodies = Bodies::new(100);
        let kept = of_size(&bodies, sender(1, 1), 40);
        let growing = of_size(&bodies, sender(2, 2), 60);
        assert!(matches!(growing.add(1), Err(DomainError::Busy)));
        assert!(is_kept(&kept) && !is_kept(&growing));
        assert_eq!(bodies.bytes(), 40);
    }
}
