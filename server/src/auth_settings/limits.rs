//! [`Limits`]: rate limits per client.
//!
//! Each server counts in its own memory with token buckets, so several servers allow several times as much. Full
//! buckets are removed: memory holds only recent clients, plus up to [`CHECKS_BETWEEN_SWEEPS`] others.

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

/// The factor by which limits are higher for tokens and sessions: by default 200 instead of 10 requests per second.
const AUTHENTICATED_FACTOR: u32 = 20;
/// Per client: the burst of failed authentications, and the time until one more is allowed.
const FAILURES: (u32, Duration) = (30, Duration::from_secs(6));
/// Over all clients: the burst of failed sign-ins in the audit log, and the time until one more is logged.
const AUDITED: (u32, Duration) = (100, Duration::from_secs(6));
const CHECKS_BETWEEN_SWEEPS: u32 = 4_096;

/// Rate limits.
pub struct Limits {
    strangers: DefaultKeyedRateLimiter<IpAddr>,
    holders: DefaultKeyedRateLimiter<LimitKey>,
    failures: DefaultKeyedRateLimiter<IpAddr>,
    /// Clients with too many failed authentications, and when they may try again.
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
        let authenticated = requests_per_minute.saturating_mul(AUTHENTICATED_FACTOR);
        Self {
            strangers: RateLimiter::keyed(Quota::per_minute(at_least_one(requests_per_minute))),
            holders: RateLimiter::keyed(Quota::per_minute(at_least_one(authenticated))),
            failures: RateLimiter::keyed(quota(FAILURES)),
            waiting: Mutex::default(),
            audited: RateLimiter::direct(quota(AUDITED)),
            unaudited: AtomicU64::new(0),
            checks: AtomicU32::new(0),
        }
    }

    /// Counts a client's request, or rejects it.
    pub(crate) fn check(&self, proof: Proof, client: IpAddr) -> Result<(), ApiError> {
        self.sweep();
        match proof {
            Proof::Nothing => keyed(&self.strangers, &client),
            Proof::Token(token_id) => keyed(&self.holders, &LimitKey::Token(token_id)),
            Proof::Session(session_id) => keyed(&self.holders, &LimitKey::Session(session_id)),
            Proof::CommandLine => return Ok(()),
        }
        .map_err(ApiError::too_many_requests)
    }

    /// Rejects a client with too many failed authentications, before any database query.
    pub(crate) fn check_failures(&self, client: IpAddr) -> Result<(), ApiError> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match waiting.get(&client).map(|until| until.saturating_duration_since(Instant::now())) {
            Some(wait) if !wait.is_zero() => Err(ApiError::too_many_requests(wait)),
            _ => Ok(()),
        }
    }

    /// Counts a failed authentication and returns its error.
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

    /// Whether to write a failed sign-in to the audit log, which anonymous clients must not fill up. If so, returns
    /// how many were skipped since the last entry.
    pub(crate) fn audits_failure(&self) -> Option<u64> {
        if self.audited.check().is_ok() {
            return Some(self.unaudited.swap(0, Ordering::Relaxed));
        }
        self.unaudited.fetch_add(1, Ordering::Relaxed);
        None
    }

    /// Occasionally removes idle clients.
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
    // Only a period of zero is invalid.
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

    #[test]
    fn each_client_and_token_has_its_own_bucket() {
        let limits = Limits::new(1);
        assert!(limits.check(Proof::Nothing, client(1)).is_ok());
        let refused = limits.check(Proof::Nothing, client(1)).unwrap_err();
        assert!(matches!(refused, ApiError::TooManyRequests { .. }), "{refused}");
        assert!(limits.check(Proof::Nothing, client(2)).is_ok());
        for _ in 0..AUTHENTICATED_FACTOR {
            assert!(limits.check(Proof::Token(1), client(1)).is_ok());
        }
        assert!(limits.check(Proof::Token(1), client(1)).is_err());
        assert!(limits.check(Proof::Session(1), client(1)).is_ok());
    }

    #[test]
    fn only_the_failing_client_waits() {
        let limits = Limits::new(1);
        for _ in 0..FAILURES.0 {
            assert!(matches!(limits.failed(client(1), "wrong"), ApiError::Unauthenticated(_)));
            assert!(limits.check_failures(client(1)).is_ok());
        }
        assert!(matches!(limits.failed(client(1), "wrong"), ApiError::TooManyRequests { .. }));
        assert!(limits.check_failures(client(1)).is_err());
        assert!(limits.check_failures(client(2)).is_ok());
    }

    #[test]
    fn forgets_idle_clients() {
        // With this quota, a bucket refills immediately.
        let limits = Limits::new(u32::MAX);
        let clients = 10 * CHECKS_BETWEEN_SWEEPS;
        for number in 0..clients {
            assert!(limits.check(Proof::Nothing, client(number)).is_ok());
        }
        assert!(limits.strangers.len() <= CHECKS_BETWEEN_SWEEPS as usize, "{limits:?}");
    }

    #[test]
    fn excess_failed_sign_ins_are_counted_not_logged() {
        let limits = Limits::new(1);
        let written = (0..AUDITED.0).filter(|_| limits.audits_failure() == Some(0)).count();
        assert_eq!(written, 100);
        assert_eq!(limits.audits_failure(), None);
        assert_eq!(limits.unaudited.load(Ordering::Relaxed), 1);
    }
}
