//! [`StopSignal`]: whether the agent is to stop, and how to wait for something else meanwhile.

use crate::failure::Failure;
use std::ops::ControlFlow;
use std::process::exit;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::thread;
use std::time::Instant;

/// What a shell reports for a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

enum News {
    Stop,
    Done,
}

struct Notice(Sender<News>);

impl Drop for Notice {
    fn drop(&mut self) {
        let _ = self.0.send(News::Done);
    }
}

#[derive(Clone)]
pub(crate) struct Stopper(Sender<News>);

impl Stopper {
    /// Asks. The agent stops between two repetitions.
    pub(crate) fn stop(&self) {
        // Without a receiver it has stopped already.
        let _ = self.0.send(News::Stop);
    }
}

/// Whether one agent is to stop. Once it is asked to, it stays so.
pub(crate) struct StopSignal {
    news: Receiver<News>,
    tell: Sender<News>,
    stopped: bool,
}

pub(crate) fn signal() -> (StopSignal, Stopper) {
    let (tell, news) = mpsc::channel();
    let stopper = Stopper(tell.clone());
    (StopSignal { news, tell, stopped: false }, stopper)
}

/// A signal that SIGINT, SIGTERM, SIGHUP and Ctrl-C raise. The second of them ends the process at once, and its peers
/// with it.
pub(crate) fn until_signalled() -> crate::Result<StopSignal> {
    let (signal, stopper) = signal();
    let mut asked = false;
    ctrlc::set_handler(move || {
        if std::mem::replace(&mut asked, true) {
            exit(INTERRUPTED);
        }
        stopper.stop();
    })
    .map_err(|error| Failure::Other(format!("cannot listen for signals: {error}")))?;
    Ok(signal)
}

impl StopSignal {
    /// Breaks if the agent is to stop. Costs no system call.
    pub(crate) fn check(&mut self) -> ControlFlow<()> {
        while let Ok(news) = self.news.try_recv() {
            self.handle(&news);
        }
        self.state()
    }

    /// Waits until then, or until the agent is to stop.
    pub(crate) fn wait_until(&mut self, then: Instant) -> ControlFlow<()> {
        while self.check().is_continue() {
            let left = then.saturating_duration_since(Instant::now());
            match self.news.recv_timeout(left) {
                Ok(news) => self.handle(&news),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        self.state()
    }

    /// Does something that takes its time, such as a request, in a thread, and waits for its end, or breaks if the agent is to
    /// stop before. What is under way then ends with the process: a server does what it is asked whole or not at all.
    pub(crate) fn wait_for<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> ControlFlow<(), Option<T>> {
        self.check()?;
        let (tell, (done, ended)) = (self.tell.clone(), mpsc::channel());
        thread::spawn(move || {
            // Dropped last, whether the work returns or panics: the result is there by then, or will never be.
            let _notice = Notice(tell);
            let done = done;
            let _ = done.send(work());
        });
        loop {
            match self.news.recv() {
                // An older piece of work may have ended now that nobody waited for.
                Ok(News::Done) => match ended.try_recv() {
                    Ok(result) => return ControlFlow::Continue(Some(result)),
                    Err(TryRecvError::Disconnected) => return ControlFlow::Continue(None),
                    Err(TryRecvError::Empty) => {}
                },
                Ok(News::Stop) | Err(_) => {
                    self.stopped = true;
                    return ControlFlow::Break(());
                }
            }
        }
    }

    fn handle(&mut self, news: &News) {
        self.stopped |= matches!(news, News::Stop);
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
    fn who_is_to_stop_waits_no_longer_and_begins_no_work() {
        let (mut signal, stopper) = signal();
        assert!(signal.check().is_continue());
        assert!(signal.wait_until(Instant::now()).is_continue());
        stopper.stop();
        assert!(signal.wait_until(Instant::now() + Duration::from_secs(3_600)).is_break());
        assert!(signal.wait_for(|| unreachable!("it begins some work")).is_break());
        assert!(signal.check().is_break(), "it stays so");
    }

    #[test]
    fn work_is_awaited_unless_the_agent_is_to_stop() {
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
