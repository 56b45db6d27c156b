//! Between two repetitions an agent says that it still does its job, and hears whether it is to stop. While anything is measured
//! nothing is on the network.

use super::server::{Server, ServerError};
use crate::stop::StopSignal;
use roundtrip_wire::lab::Lease;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How often it says so. A lease is eight times as long.
const INTERVAL: Duration = Duration::from_secs(15);
/// How long it leaves a server alone that did not answer.
const PAUSE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupted {
    Stopped,
    /// Another agent has the job, or nobody wants it any more.
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

    /// Breaks if the agent is to stop. Asks nobody.
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
        // It is waited for: what comes next is measured.
        let answer = self.stop.wait_for(move || server.heartbeat(lease)).map_break(stopped)?;
        let pause = match answer {
            Some(Err(ServerError::LeaseLost)) => return ControlFlow::Break(Interrupted::Lost),
            Some(Ok(_)) => INTERVAL,
            // What is measured is kept, and told when the server is there again.
            Some(Err(_)) | None => PAUSE,
        };
        self.next = Instant::now() + pause;
        ControlFlow::Continue(())
    }
}
