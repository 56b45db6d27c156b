//! What reaches an agent while it waits: that it is to stop, and how what it waits for ended.

use crate::failure::Failure;
use crate::upload::Refusal;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::exit;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::thread;
use std::time::Instant;

/// What a shell reports for a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// How an upload ended.
type Uploaded = Result<(), Refusal>;

enum News {
    Stop,
    /// A piece of work has ended.
    Done,
}

/// Asks an agent to stop.
#[derive(Clone)]
pub(crate) struct Stopper(Sender<News>);

impl Stopper {
    /// Asks. It is heeded between two repetitions.
    pub(crate) fn stop(&self) {
        // Whoever does not listen any more has stopped.
        let _ = self.0.send(News::Stop);
    }
}

/// The news of one agent. Once it is asked to stop, it stays so.
pub(crate) struct Inbox {
    news: Receiver<News>,
    tell: Sender<News>,
    stopped: bool,
}

/// An inbox, and what puts a request to stop into it.
pub(crate) fn inbox() -> (Inbox, Stopper) {
    let (tell, news) = mpsc::channel();
    let stopper = Stopper(tell.clone());
    (Inbox { news, tell, stopped: false }, stopper)
}

/// An inbox that SIGINT, SIGTERM, SIGHUP and Ctrl-C stop. The second of them ends the process at once, and its peers
/// with it.
///
/// # Errors
/// The system does not let this program hear of them.
pub(crate) fn until_signalled() -> crate::Result<Inbox> {
    let (inbox, stopper) = inbox();
    let mut asked = false;
    ctrlc::set_handler(move || {
        if std::mem::replace(&mut asked, true) {
            exit(INTERRUPTED);
        }
        stopper.stop();
    })
    .map_err(|error| Failure::Other(format!("cannot listen for signals: {error}")))?;
    Ok(inbox)
}

impl Inbox {
    /// Breaks if the agent is to stop. Costs no system call.
    pub(crate) fn check(&mut self) -> ControlFlow<()> {
        while let Ok(news) = self.news.try_recv() {
            self.heed(&news);
        }
        self.state()
    }

    /// Waits until then, or until the agent is to stop.
    pub(crate) fn wait_until(&mut self, then: Instant) -> ControlFlow<()> {
        while self.check().is_continue() {
            let left = then.saturating_duration_since(Instant::now());
            match self.news.recv_timeout(left) {
                Ok(news) => self.heed(&news),
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
            // Of one that crashes, nothing comes.
            if let Ok(result) = catch_unwind(AssertUnwindSafe(work)) {
                let _ = done.send(result);
            }
            // Before it is told: whoever hears of it looks whether there is something, or nothing to come.
            drop(done);
            let _ = tell.send(News::Done);
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

    /// [`Self::wait_for()`] an upload.
    pub(crate) fn upload(
        &mut self,
        upload: impl FnOnce() -> Uploaded + Send + 'static,
    ) -> ControlFlow<(), Uploaded> {
        let crashed = || Err(Refusal::Temporary("the upload has crashed".into(), None));
        ControlFlow::Continue(self.wait_for(upload)?.unwrap_or_else(crashed))
    }

    fn heed(&mut self, news: &News) {
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
    fn who_is_to_stop_waits_no_longer_and_begins_no_upload() {
        let (mut inbox, stopper) = inbox();
        assert!(inbox.check().is_continue());
        assert!(inbox.wait_until(Instant::now()).is_continue());
        stopper.stop();
        assert!(inbox.wait_until(Instant::now() + Duration::from_secs(3_600)).is_break());
        assert!(inbox.upload(|| unreachable!("it begins an upload")).is_break());
        assert!(inbox.check().is_break(), "it stays so");
    }

    #[test]
    fn an_upload_is_awaited_unless_the_agent_is_to_stop() {
        let (mut inbox, stopper) = inbox();
        let refused = inbox.upload(|| Err(Refusal::Final("no".into())));
        assert!(matches!(refused, ControlFlow::Continue(Err(Refusal::Final(_)))));
        let crashed = inbox.upload(|| panic!("as a test of it"));
        assert!(matches!(crashed, ControlFlow::Continue(Err(Refusal::Temporary(..)))));
        let (_held, hangs) = mpsc::channel::<()>();
        let asked = inbox.upload(move || {
            stopper.stop();
            let _ = hangs.recv();
            Ok(())
        });
        assert!(asked.is_break());
    }
}
