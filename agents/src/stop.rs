//! [`StopSignal`]: whether the agent must stop, and how to wait for other events meanwhile.

use crate::failure::{Failure, STOPPED};
use std::ops::ControlFlow;
use std::process::exit;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

enum StopEvent {
    Stop,
    Done,
}

struct Notice(Sender<StopEvent>);

impl Drop for Notice {
    fn drop(&mut self) {
        let _ = self.0.send(StopEvent::Done);
    }
}

#[derive(Clone)]
pub(crate) struct Stopper(Sender<StopEvent>);

impl Stopper {
    /// Requests a stop. The agent stops between two repetitions.
    /// Returns whether the signal still exists.
    pub(crate) fn stop(&self) -> bool {
        self.0.send(StopEvent::Stop).is_ok()
    }
}

/// Whether an agent must stop. Once set, it stays set.
pub(crate) struct StopSignal {
    events: Receiver<StopEvent>,
    sender: Sender<StopEvent>,
    stopped: bool,
}

pub(crate) fn signal() -> (StopSignal, Stopper) {
    let (sender, events) = mpsc::channel();
    let stopper = Stopper(sender.clone());
    (StopSignal { events, sender, stopped: false }, stopper)
}

/// The handler of signals, of which a process has one, and the newest signal that it sets.
static HANDLER: Mutex<Handler> = Mutex::new(Handler { is_set: false, stopper: None });

struct Handler {
    is_set: bool,
    stopper: Option<Stopper>,
}

/// Set by SIGINT, SIGTERM, SIGHUP and Ctrl-C. The second one, and any after the signal is dropped, ends the process and its peers
/// immediately.
pub(crate) fn until_signalled() -> crate::Result<StopSignal> {
    let (signal, stopper) = signal();
    let mut handler = HANDLER.lock().unwrap_or_else(PoisonError::into_inner);
    handler.stopper = Some(stopper);
    if !handler.is_set {
        ctrlc::set_handler(|| {
            let stopper = HANDLER.lock().unwrap_or_else(PoisonError::into_inner).stopper.take();
            if !stopper.is_some_and(|stopper| stopper.stop()) {
                exit(STOPPED.into());
            }
        })
        .map_err(|error| Failure::Other(format!("cannot listen for signals: {error}")))?;
        handler.is_set = true;
    }
    Ok(signal)
}

impl StopSignal {
    /// Breaks if the agent must stop. Needs no system call.
    pub(crate) fn check(&mut self) -> ControlFlow<()> {
        while let Ok(event) = self.events.try_recv() {
            self.handle(&event);
        }
        self.state()
    }

    /// Waits until a deadline, or until the agent must stop.
    pub(crate) fn wait_until(&mut self, deadline: Instant) -> ControlFlow<()> {
        while self.check().is_continue() {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(event) => self.handle(&event),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        self.state()
    }

    /// Runs slow work, such as a request, in a thread and waits for it; breaks if the agent must stop
    /// before. Unfinished work then ends with the process, which is safe because requests are atomic on the
    /// server.
    pub(crate) fn wait_for<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> ControlFlow<(), Option<T>> {
        self.check()?;
        let (sender, (done, ended)) = (self.sender.clone(), mpsc::channel());
        thread::spawn(move || {
            // Dropped last, when the work returns or panics: by then the result is sent, or never will be.
            let _notice = Notice(sender);
            let done = done;
            let _ = done.send(work());
        });
        loop {
            match self.events.recv() {
                // Ignore the end of earlier, abandoned work.
                Ok(StopEvent::Done) => match ended.try_recv() {
                    Ok(result) => return ControlFlow::Continue(Some(result)),
                    Err(TryRecvError::Disconnected) => return ControlFlow::Continue(None),
                    Err(TryRecvError::Empty) => {}
                },
                Ok(StopEvent::Stop) | Err(_) => {
                    self.stopped = true;
                    return ControlFlow::Break(());
                }
            }
        }
    }

    fn handle(&mut self, event: &StopEvent) {
        self.stopped |= matches!(event, StopEvent::Stop);
    }

    fn state(&self) -> ControlFlow<()> {
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn stop_ends_waiting_and_prevents_work() {
        let (mut signal, stopper) = signal();
        assert!(signal.check().is_continue());
        assert!(signal.wait_until(Instant::now()).is_continue());
        stopper.stop();
        assert!(signal.wait_until(Instant::now() + Duration::from_secs(3_600)).is_break());
        assert!(signal.wait_for(|| unreachable!("it begins some work")).is_break());
        assert!(signal.check().is_break(), "it stays so");
    }

    #[test]
    fn waits_for_work_until_a_stop() {
        let (mut signal, stopper) = signal();
        assert_eq!(signal.wait_for(|| 7), ControlFlow::Continue(Some(7)));
        assert_eq!(
            signal.wait_for(|| panic!("as a test of it")),
            ControlFlow::<(), Option<()>>::Continue(None)
        );
        let (_held, hangs) = mpsc::channel::<()>();
        let asked = signal.wait_for(move || {
            stopper.stop();
            let _ = hangs.recv();
        });
        assert!(asked.is_break());
    }
}
