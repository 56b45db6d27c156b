//! [`Shares`]: divides a limited resource among clients, so that none of them can take all of it.
//!
//! A client is an account, or an address without one. Part of the resource is only for authenticated clients. Each
//! server counts in its own memory.

use crate::error::ApiError;
use axum::body::Body;
use http_body_util::BodyExt as _;
use roundtrip_domain::access::{Caller, Proof};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limits of a resource, in its unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// What is counted, for errors: `event streams`.
    pub what: &'static str,
    /// For all clients together.
    pub total: usize,
    /// For one client.
    pub per_client: usize,
    /// The part of the total that only authenticated clients get.
    pub reserved: usize,
}

/// A resource and its holders; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    limits: Limits,
    held: Arc<Mutex<Held>>,
}

#[derive(Debug, Default)]
struct Held {
    total: usize,
    by_strangers: usize,
    by_client: HashMap<Client, usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Client {
    Account(i64),
    Address(IpAddr),
}

/// A part of the resource, held until dropped.
#[derive(Debug)]
pub(crate) struct Share {
    held: Arc<Mutex<Held>>,
    client: Client,
    is_stranger: bool,
    amount: usize,
}

impl Shares {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, held: Arc::default() }
    }

    /// Takes a share. One that is larger than a client's limit counts as much as that.
    ///
    /// # Errors
    /// The client, or all clients together, would hold too much.
    pub(crate) fn take(&self, caller: &Caller, address: IpAddr, amount: usize) -> Result<Share, ApiError> {
        let Limits { what, total, per_client, reserved } = self.limits;
        let amount = amount.min(per_client);
        let client = match caller.account() {
            Some(account) => Client::Account(account.account_id),
            None => Client::Address(address),
        };
        let is_stranger = caller.proof() == Proof::Nothing;
        let mut held = lock(&self.held);
        let own = held.by_client.get(&client).copied().unwrap_or_default();
        if own + amount > per_client {
            return Err(ApiError::ShareUsed { what });
        }
        if held.total + amount > total || (is_stranger && held.by_strangers + amount > total - reserved) {
            return Err(ApiError::AllInUse { what });
        }
        held.add(client, is_stranger, amount);
        Ok(Share { held: Arc::clone(&self.held), client, is_stranger, amount })
    }
}

impl Held {
    fn add(&mut self, client: Client, is_stranger: bool, amount: usize) {
        self.total += amount;
        self.by_strangers += if is_stranger { amount } else { 0 };
        *self.by_client.entry(client).or_default() += amount;
    }

    fn subtract(&mut self, client: Client, is_stranger: bool, amount: usize) {
        self.total -= amount;
        self.by_strangers -= if is_stranger { amount } else { 0 };
        let own = self.by_client.entry(client).or_default();
        *own -= amount;
        if *own == 0 {
            self.by_client.remove(&client);
        }
    }
}

impl Share {
    /// The body, which holds the share until it is sent or dropped.
    pub(crate) fn hold(self, body: Body) -> Body {
        Body::new(body.map_err(move |error| {
            let _held = &self;
            error
        }))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        lock(&self.held).subtract(self.client, self.is_stranger, self.amount);
    }
}

fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundtrip_storage::access::{Account, Binding};

    const LIMITS: Limits = Limits { what: "things", total: 10, per_client: 4, reserved: 3 };

    fn stranger(number: u8) -> (Caller, IpAddr) {
        (Caller::stranger(false), [192, 0, 2, number].into())
    }

    fn user(account_id: i64) -> (Caller, IpAddr) {
        let account = Account { account_id, name: String::new(), is_admin: false, roles: Default::default() };
        let proof = Proof::Session(account_id);
        (Caller::new(proof, Some(account), Vec::new(), Binding::default(), false), [192, 0, 2, 1].into())
    }

    fn take(shares: &Shares, (caller, address): &(Caller, IpAddr), amount: usize) -> Result<Share, ApiError> {
        shares.take(caller, *address, amount)
    }

    fn is_used(taken: Result<Share, ApiError>) -> bool {
        matches!(taken, Err(ApiError::ShareUsed { .. }))
    }

    fn are_all_in_use(taken: Result<Share, ApiError>) -> bool {
        matches!(taken, Err(ApiError::AllInUse { .. }))
    }

    #[test]
    fn a_client_gets_no_more_than_its_share() {
        let shares = Shares::new(LIMITS);
        let held = take(&shares, &stranger(1), 3).unwrap();
        assert!(is_used(take(&shares, &stranger(1), 2)));
        // An account is not limited by its address.
        let _of_user = take(&shares, &user(7), 4).unwrap();
        assert!(is_used(take(&shares, &user(7), 1)));
        drop(held);
        assert!(take(&shares, &stranger(1), 4).is_ok());
        assert_eq!(lock(&shares.held).by_client.len(), 1, "only holders are kept");
    }

    #[test]
    fn strangers_leave_the_reserve() {
        let shares = Shares::new(LIMITS);
        let _held = [take(&shares, &stranger(1), 4).unwrap(), take(&shares, &stranger(2), 3).unwrap()];
        assert!(are_all_in_use(take(&shares, &stranger(3), 1)));
        let _of_user = take(&shares, &user(7), 3).unwrap();
        assert!(are_all_in_use(take(&shares, &user(8), 1)));
    }

    #[test]
    fn a_larger_amount_counts_as_the_whole_share() {
        let shares = Shares::new(LIMITS);
        let held = take(&shares, &stranger(1), 1_000).unwrap();
        assert!(is_used(take(&shares, &stranger(1), 1)));
        drop(held);
        assert_eq!(lock(&shares.held).total, 0);
    }
}
