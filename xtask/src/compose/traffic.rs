//! [`Traffic`]: requests that go on while something else happens.

use crate::http;
use anyhow::{Result, anyhow, ensure};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// A pause between two requests, so that they stay below what one token may ask for.
const PAUSE: Duration = Duration::from_millis(20);

/// Requests, one after the other, until it is ended.
pub(super) struct Traffic {
    is_over: Arc<AtomicBool>,
    asking: Option<JoinHandle<Result<u64>>>,
}

impl Traffic {
    /// Asks for `url` with a token, again and again, and expects the same answer always.
    pub(super) fn start(url: String, token: String, expected: String) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let asking = std::thread::spawn({
            let is_over = Arc::clone(&is_over);
            move || {
                let mut count = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let answer = http::get_as(&url, &token)
                        .map_err(|error| error.context(format!("request {} failed", count + 1)))?;
                    count += 1;
                    ensure!(answer == expected, "request {count} was answered with something else: {answer}");
                    std::thread::sleep(PAUSE);
                }
                Ok(count)
            }
        });
        Self { is_over, asking: Some(asking) }
    }

    /// Ends it. Returns how many requests there were.
    ///
    /// # Errors
    /// One of them failed, or was answered with something else.
    pub(super) fn end(mut self) -> Result<u64> {
        self.is_over.store(true, Ordering::Relaxed);
        let asking = self.asking.take().map(JoinHandle::join);
        asking.unwrap_or(Ok(Ok(0))).map_err(|_| anyhow!("what asks has panicked"))?
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}
