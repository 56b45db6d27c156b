//! A message on its way to a channel, and when to send it again after a failure.

use super::Message;
use chrono::{DateTime, TimeDelta, Utc};
use rand::RngExt as _;
use roundtrip_storage::notification::channel;
use std::time::Duration;
use uuid::Uuid;

/// The delay before the second attempt, doubled before each further one,
const PAUSE_MIN: TimeDelta = TimeDelta::seconds(30);
/// or this after a rejection,
const PAUSE_REFUSED_MIN: TimeDelta = TimeDelta::minutes(5);
/// and at most this.
const PAUSE_MAX: TimeDelta = TimeDelta::hours(1);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The end of a sentence that begins with `Not delivered: `.
    pub(crate) why: String,
    /// Whether retrying cannot help without a change.
    pub(crate) is_refusal: bool,
    /// The delay that the receiver asked for.
    pub(crate) retry_after: Option<Duration>,
}

impl Failure {
    pub(crate) fn passing(why: String) -> Self {
        Self { why, is_refusal: false, retry_after: None }
    }

    /// A failure that stays until the channel or its receiver is changed.
    pub(crate) fn refused(why: String) -> Self {
        Self { why, is_refusal: true, retry_after: None }
    }

    /// When to send again after a number of attempts, with jitter so that messages do not retry together.
    pub(crate) fn again_at(&self, attempts: i32, now: DateTime<Utc>) -> DateTime<Utc> {
        let least = if self.is_refusal { PAUSE_REFUSED_MIN } else { PAUSE_MIN };
        let doubled = attempts.clamp(1, 12) - 1;
        let pause = (least * 2_i32.pow(doubled.unsigned_abs())).min(PAUSE_MAX);
        let jittered = pause.num_milliseconds() * rand::rng().random_range(750..=1_250) / 1_000;
        let wanted = self.retry_after.and_then(|wait| TimeDelta::from_std(wait).ok()).unwrap_or_default();
        now + TimeDelta::milliseconds(jittered).max(wanted)
    }
}

/// A message on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery<'a> {
    pub(crate) message: &'a Message,
    /// The messages that it continues, the oldest first.
    pub(crate) in_reply_to: &'a [Uuid],
    /// The channel.
    pub(crate) channel: &'a channel::ChannelRow,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_delays_double_up_to_an_hour_with_jitter() {
        let now = Utc::now();
        let seconds = |failure: &Failure, attempts| (failure.again_at(attempts, now) - now).num_seconds();
        let passing = Failure::passing(String::new());
        for (attempts, expected) in [(1, 30), (2, 60), (3, 120), (8, 3_600), (1_000, 3_600)] {
            let pause = seconds(&passing, attempts);
            assert!((expected * 3 / 4 - 1..=expected * 5 / 4).contains(&pause), "{attempts}: {pause}");
        }
        assert!(seconds(&Failure::refused(String::new()), 1) >= 225);
        let drawn: std::collections::BTreeSet<_> = (0..20).map(|_| passing.again_at(8, now)).collect();
        assert!(drawn.len() > 1, "messages that failed together retry together");
    }

    #[test]
    fn a_longer_requested_delay_is_respected() {
        let now = Utc::now();
        let wait = Some(Duration::from_secs(900));
        let failure = Failure { retry_after: wait, ..Failure::passing(String::new()) };
        assert_eq!(failure.again_at(1, now) - now, TimeDelta::seconds(900));
    }
}
