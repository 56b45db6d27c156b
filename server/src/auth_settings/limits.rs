//! [`Limits`]: how many requests are served, of each client.
//!
//! Counting is by token buckets in the memory of this server, so that it costs nothing and several servers allow several
//! times as much. A bucket that has filled up again is forgotten: there are never more than those of the clients of the
//! last moments, and of [`CHECKS_BETWEEN_SWEEPS`] more.

use crate::error::ApiError;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, NotUntil, Quota, RateLimiter};
use roundtrip_domain::access::Proof;
use std::collections::HashMap;
use std::fmt::{Debug, Formatter};
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So many times as much as a client without one is allowed to a token and a session: 200 requests a second, where
/// strangers have 10.
const TIMES_OF_HOLDERS: u32 = 20;
/// Of one client: failed authentications at once, and the time in which one more is forgiven.
const FAILURES: (u32, Duration) = (30, Duration::from_secs(6));
/// Of all clients together: failed sign-ins that are written to the audit log at once, and the time until one more is.
const AUDITED: (u32, Duration) = (100, Duration::from_secs(6));
const CHECKS_BETWEEN_SWEEPS: u32 = 4_096;

/// How many requests are served.
pub struct Limits {
    strangers: DefaultKeyedRateLimiter<IpAddr>,
    holders: DefaultKeyedRateLimiter<LimitKey>,
    failures: DefaultKeyedRateLimiter<IpAddr>,
    /// Clients that have failed too often, and until when they wait.
    waiting: Mutex<HashMap<IpAddr, Instant>>,
    audited: DefaultDirectRateLimiter,
    unaudited: AtomicU64,
    checks: AtomicU32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum LimitKey {
    Token(i64),
    Session(i64),
}

impl Limits {
    pub(crate) fn new(requests_per_minute: u32) -> Self {
        let of_holders = requests_per_minute.saturating_mul(TIMES_OF_HOLDERS);
        Self {
            strangers: RateLimiter::keyed(Quota::per_minute(at_least_one(requests_per_minute))),
            holders: RateLimiter::keyed(Quota::per_minute(at_least_one(of_holders))),
            failures: RateLimiter::keyed(quota(FAILURES)),
            waiting: Mutex::default(),
            audited: RateLimiter::direct(quota(AUDITED)),
            unaudited: AtomicU64::new(0),
            checks: AtomicU32::new(0),
        }
    }

    /// Counts a request of a client, or refuses it.
    pub(crate) fn check(&self, proof: Proof, client: IpAddr) -> Result<(), ApiError> {
        self.sweep();
        match proof {
            Proof::Nothing => keyed(&self.strangers, &client),
            Proof::Token(token_id) => keyed(&self.holders, &LimitKey::Token(token_id)),
            Proof::Session(session_id) => keyed(&self.holders, &LimitKey::Session(session_id)),
        }
        .map_err(ApiError::too_many_requests)
    }

    /// Refuses a client that has failed too often, before anything is looked up for it.
    pub(crate) fn check_failures(&self, client: IpAddr) -> Result<(), ApiError> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match waiting.get(&client).map(|until| until.saturating_duration_since(Instant::now())) {
            Some(wait) if !wait.is_zero() => Err(ApiError::too_many_requests(wait)),
            _ => Ok(()),
        }
    }

    /// Counts a failed authentication, and says with which error it ends.
    pub(crate) fn failed(&self, client: IpAddr, why: &'static str) -> ApiError {
        self.sweep();
        match keyed(&self.failures, &client) {
            Ok(()) => ApiError::Unauthenticated(why),
            Err(wait) => {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.insert(client, Instant::now() + wait);
                ApiError::too_many_requests(wait)
            }
        }
    }

    /// Whether a failed sign-in may be written to the audit log, which must not be filled by strangers; if so, how many
    /// were not since the last one that was.
    pub(crate) fn audits_failure(&self) -> Option<u64> {
        if self.audited.check().is_ok() {
            return Some(self.unaudited.swap(0, Ordering::Relaxed));
        }
        self.unaudited.fetch_add(1, Ordering::Relaxed);
        None
    }

    /// Forgets, now and then, whoever has not asked for a while.
    fn sweep(&self) {
        if !self.checks.fetch_add(1, Ordering::Relaxed).is_multiple_of(CHECKS_BETWEEN_SWEEPS) {
            return;
        }
        self.strangers.retain_recent();
        self.holders.retain_recent();
        self.failures.retain_recent();
        let now = Instant::now();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|_, until| *until > now);
    }
}

impl Debug for Limits {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Limits")
            .field("strangers", &self.strangers.len())
            .field("holders", &self.holders.len())
            .finish_non_exhaustive()
    }
}

fn quota((burst, period): (u32, Duration)) -> Quota {
    let burst = at_least_one(burst);
    // Only a period of zero would be none.
    Quota::with_period(period).unwrap_or(Quota::per_minute(burst)).allow_burst(burst)
}

fn at_least_one(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN)
}

fn keyed<K: Clone + Eq + Hash>(limiter: &DefaultKeyedRateLimiter<K>, key: &K) -> Result<(), Duration> {
    let wait = |until: NotUntil<_>| until.wait_time_from(DefaultClock::default().now());
    limiter.check_key(key).map_err(wait)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn client(number: u32) -> IpAddr {
        IpAddr::V4(Ipv4Addr::from_bits(number))
    }

    fn limits(requests_per_minute: u32) -> Limits {
        Limits::new(requests_per_minute)
    }

    #[test]
    fn each_client_and_each_token_has_a_bucket_of_its_own() {
        let limits = limits(1);
        assert!(limits.check(Proof::Nothing, client(1)).is_ok());
        let refused = limits.check(Proof::Nothing, client(1)).unwrap_err();
        assert!(matches!(refused, ApiError::TooManyRequests { .. }), "{refused}");
        assert!(limits.check(Proof::Nothing, client(2)).is_ok());
        for _ in 0..TIMES_OF_HOLDERS {
            assert!(limits.check(Proof::Token(1), client(1)).is_ok());
        }
        assert!(limits.check(Proof::Token(1), client(1)).is_err());
        assert!(limits.check(Proof::Session(1), client(1)).is_ok());
    }

    #[test]
    fn a_client_that_fails_too_often_waits_and_others_do_not() {
        let limits = limits(1);
        for _ in 0..FAILURES.0 {
            assert!(matches!(limits.failed(client(1), "wrong"), ApiError::Unauthenticated(_)));
            assert!(limits.check_failures(client(1)).is_ok());
        }
        assert!(matches!(limits.failed(client(1), "wrong"), ApiError::TooManyRequests { .. }));
        assert!(limits.check_failures(client(1)).is_err());
        assert!(limits.check_failures(client(2)).is_ok());
    }

    #[test]
    fn clients_of_long_ago_take_no_memory() {
        // With such a quota a bucket is full again at once.
        let limits = limits(u32::MAX);
        let clients = 10 * CHECKS_BETWEEN_SWEEPS;
        for number in 0..clients {
            assert!(limits.check(Proof::Nothing, client(number)).is_ok());
        }
        assert!(limits.strangers.len() <= CHECKS_BETWEEN_SWEEPS as usize, "{limits:?}");
    }

    #[test]
    fn failed_sign_ins_beyond_a_number_are_counted_and_not_written() {
        let limits = limits(1);
        let written = (0..AUDITED.0).filter(|_| limits.audits_failure() == Some(0)).count();
        assert_eq!(written, 100);
        assert_eq!(limits.audits_failure(), None);
        assert_eq!(limits.unaudited.load(Ordering::Relaxed), 1);
    }
}
