//! Stop signals: SIGINT, SIGTERM, or the end of standard input. The system closes standard input when the parent
//! process ends, even by SIGKILL.

use anyhow::{Context, Result};
use std::io::{ErrorKind, Read};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Waits for stop signals, and counts them.
#[derive(Clone, Debug)]
pub(crate) struct Shutdown {
    /// The number of stop signals so far.
    requests: watch::Receiver<u32>,
}

impl Shutdown {
    /// Starts to watch for stop signals. From now on, signals no longer end the process directly.
    pub(crate) fn watch(stop_with_stdin: bool) -> Result<Self> {
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot watch for SIGINT")?;
        let mut terminate = signal(SignalKind::terminate()).context("cannot watch for SIGTERM")?;
        let mut stdin = if stop_with_stdin { Some(stdin_end()?) } else { None };
        let (sender, requests) = watch::channel(0);
        tokio::spawn(async move {
            loop {
                let reason = tokio::select! {
                    _ = interrupt.recv() => "SIGINT",
                    _ = terminate.recv() => "SIGTERM",
                    () = ended(stdin.as_mut()) => "the end of standard input",
                };
                tracing::info!("stopping on {reason}");
                sender.send_modify(|count| *count += 1);
                // Standard input ends only once.
                stdin = None;
            }
        });
        Ok(Self { requests })
    }

    /// Waits for a stop signal.
    pub(crate) async fn requested(&self) {
        self.requested_times(1).await;
    }

    /// Waits for a second stop signal.
    pub(crate) async fn requested_again(&self) {
        self.requested_times(2).await;
    }

    async fn requested_times(&self, times: u32) {
        // The sender ends with the runtime, and this future with it.
        let _ = self.requests.clone().wait_for(|count| *count >= times).await;
    }

    /// Whether there was a stop signal.
    pub(crate) fn is_requested(&self) -> bool {
        *self.requests.borrow() > 0
    }

    /// The result of `work`, or `None` if a stop signal comes first. `work` is then dropped.
    pub(crate) async fn unless_requested<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.requested() => None,
            result = work => Some(result),
        }
    }
}

/// Becomes true when standard input ends. A separate thread reads, because a blocked read cannot be cancelled.
pub(crate) fn stdin_end() -> Result<watch::Receiver<bool>> {
    let (sender, receiver) = watch::channel(false);
    std::thread::Builder::new()
        .name("lifeline".to_owned())
        .spawn(move || {
            let mut input = std::io::stdin().lock();
            let mut buffer = [0; 64];
            loop {
                match input.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            sender.send_replace(true);
        })
        .context("cannot start a thread that reads standard input")?;
    Ok(receiver)
}

/// Waits until standard input has ended; forever if it is not watched.
pub(crate) async fn ended(stdin: Option<&mut watch::Receiver<bool>>) {
    match stdin {
        Some(stdin) => {
            // A lost thread counts as the end of standard input.
            let _ = stdin.wait_for(|ended| *ended).await;
        }
        None => std::future::pending().await,
    }
}
