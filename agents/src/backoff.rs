//! How long is waited between attempts of the same thing.

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use std::time::Duration;

/// Pauses that grow from the one to the other and go on for ever, each up to twice as long as it would be: who failed at once does
/// not try again at once.
pub(crate) fn growing(min: Duration, max: Duration) -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(min)
        .with_max_delay(max)
        .with_jitter()
        .without_max_times()
        .build()
}
