//! What asks this program to end: SIGINT, SIGTERM, or the end of standard input. The last is a lifeline: whoever
//! started this program holds the other end, and the system closes it however that program ends, SIGKILL included.

use anyhow::{Context, Result};
use std::io::{ErrorKind, Read};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Resolves when this program was asked to end, as often as it is asked.
#[derive(Clone, Debug)]
pub(crate) struct Shutdown {
    /// How often it was asked.
    requests: watch::Receiver<u32>,
}

impl Shutdown {
    /// Starts to watch. From now on a signal no longer ends the process by itself.
    ///
    /// # Errors
    /// The system refuses a handler or a thread.
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
                // It ends once.
                stdin = None;
            }
        });
        Ok(Self { requests })
    }

    /// Waits until this program was asked to end.
    pub(crate) async fn requested(&self) {
        self.requested_times(1).await;
    }

    /// Waits until this program was asked to end for the second time, by somebody who does not want to wait.
    pub(crate) async fn requested_again(&self) {
        self.requested_times(2).await;
    }

    async fn requested_times(&self, times: u32) {
        // The sender goes with the runtime, and this future with it.
        let _ = self.requests.clone().wait_for(|count| *count >= times).await;
    }

    /// Whether this program was asked to end.
    pub(crate) fn is_requested(&self) -> bool {
        *self.requests.borrow() > 0
    }

    /// The result of `work`, or none if the request to end came first. `work` is dropped then.
    pub(crate) async fn unless_requested<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.requested() => None,
            result = work => Some(result),
        }
    }
}

/// Becomes true when standard input ends. A thread of its own reads, because a blocked read cannot be cancelled
/// and must hold up nothing.
///
/// # Errors
/// The system refuses a thread.
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

/// Waits until standard input has ended; forever if nobody reads it.
pub(crate) async fn ended(stdin: Option<&mut watch::Receiver<bool>>) {
    match stdin {
        Some(stdin) => {
            // A lost thread counts as a lost lifeline.
            let _ = stdin.wait_for(|ended| *ended).await;
        }
        None => std::future::pending().await,
    }
}
