//! Sends a heartbeat between repetitions and learns whether the job is cancelled. Never sends during a
//! repetition.

use super::server::{Server, ServerError};
use crate::stop::StopSignal;
use roundtrip_wire::lab::Lease;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Interval between heartbeats. A lease is eight times as long.
const INTERVAL: Duration = Duration::from_secs(15);
/// Delay before the next heartbeat if the server does not respond.
const PAUSE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupted {
    Stopped,
    /// Another agent has the job, or it was cancelled.
    Lost,
}

pub(crate) struct Heartbeat<'a> {
    server: &'a Server,
    lease: Lease,
    stop: &'a mut StopSignal,
    next: Instant,
}

impl<'a> Heartbeat<'a> {
    pub(crate) fn new(server: &'a Server, lease: Lease, stop: &'a mut StopSignal) -> Self {
        Self { server, lease, stop, next: Instant::now() + INTERVAL }
    }

    /// Breaks if the agent must stop, without a request to the server.
    pub(crate) fn listen(&mut self) -> ControlFlow<Interrupted> {
        self.stop.check().map_break(|()| Interrupted::Stopped)
    }

    pub(crate) fn check(&mut self) -> ControlFlow<Interrupted> {
        let stopped = |()| Interrupted::Stopped;
        self.listen()?;
        if Instant::now() < self.next {
            return ControlFlow::Continue(());
        }
        let (server, lease) = (self.server.clone(), self.lease);
        // Waits for the answer, so that no request runs during the next measurement.
        let answer = self.stop.wait_for(move || server.heartbeat(lease)).map_break(stopped)?;
        let pause = match answer {
            Some(Err(ServerError::LeaseLost)) => return ControlFlow::Break(Interrupted::Lost),
            Some(Ok(())) => INTERVAL,
            // Results are kept and sent when the server is back.
            Some(Err(_)) | None => PAUSE,
        };
        self.next = Instant::now() + pause;
        ControlFlow::Continue(())
    }
}
