//! A Mach kernel in memory, for tests on any system. It is as strict as the real one, and counts leaks.
//!
//! Written after XNU's `osfmk/ipc` (`ipc_kmsg.c`, `ipc_mqueue.c`, `ipc_right.c`, `mach_msg.c`) and libsyscall. It
//! rejects unsupported features (port sets, vouchers, rights out of line, guards). A page has 16 KiB, as on Apple
//! silicon. Several processes share a kernel; [`Simulated::process`] starts one, and [`Simulated::die`] kills it.

mod copying;
mod ports;
mod space;
mod tests;

use super::{Code, Kernel, Name, Trailer, abi};
use crate::sys::handle::Handle;
use ports::{Port, PortId};
use space::Task;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::io::{self, PipeReader};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Clone, Debug)]
pub(crate) struct Simulated {
    shared: Arc<Shared>,
    task: u32,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Notified of every change.
    changed: Condvar,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    ports: BTreeMap<PortId, Port>,
    tasks: BTreeMap<u32, Task>,
    services: BTreeMap<CString, PortId>,
    ids: u32,
    /// The number of sends into a full port that must time out immediately.
    time_out_sends: u32,
    tally: Tally,
    /// Calls that the real kernel would have rejected without anyone noticing.
    violations: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) timed_out: u32,
    pub(crate) too_large: u32,
    pub(crate) received: u32,
}

/// Existing objects: must be the same after a test as before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectCounts {
    ports: usize,
    references: u32,
    regions: usize,
    services: usize,
}

impl Simulated {
    pub(crate) fn new(user: u32) -> Self {
        let shared = Arc::new(Shared::default());
        Self { shared, task: 0 }.process(user)
    }

    pub(crate) fn process(&self, user: u32) -> Self {
        let mut state = self.state();
        let task = state.id();
        state.tasks.insert(task, Task::new(user));
        drop(state);
        Self { shared: Arc::clone(&self.shared), task }
    }

    pub(crate) fn die(&self) {
        self.state().end_task(self.task);
        self.shared.changed.notify_all();
    }

    /// Makes this many sends into a full port time out immediately.
    pub(crate) fn time_out_sends(&self, sends: u32) {
        self.state().time_out_sends = sends;
    }

    pub(crate) fn processes(&self) -> usize {
        self.state().tasks.len()
    }

    pub(crate) fn tally(&self) -> Tally {
        self.state().tally
    }

    pub(crate) fn waiting(&self, port: Name) -> usize {
        let state = self.state();
        state.receiver(self.task, port).map_or(0, |port| state.ports[&port].queue.len())
    }

    pub(crate) fn until(&self, holds: impl Fn(&Tally, &[usize]) -> bool) {
        let mut state = self.state();
        loop {
            let waiting: Vec<_> = state.ports.values().map(|port| port.queue.len()).collect();
            if holds(&state.tally, &waiting) {
                return;
            }
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn object_counts(&self) -> ObjectCounts {
        self.state().object_counts()
    }

    /// Asserts that no object exists any more, and that there were no violations.
    pub(crate) fn assert_clean(&self) {
        let state = self.state();
        assert_eq!(state.violations, Vec::<String>::new());
        assert_eq!(state.object_counts(), ObjectCounts::default(), "left behind: {state:#?}");
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn act<T>(&self, act: impl FnOnce(&mut State, u32) -> T) -> T {
        let result = act(&mut self.state(), self.task);
        self.shared.changed.notify_all();
        result
    }

    /// The same, but an error is recorded as a violation by the caller.
    fn strict<T>(&self, what: &str, act: impl FnOnce(&mut State, u32) -> Result<T, Code>) -> Result<T, Code> {
        self.act(|state, task| {
            act(state, task)
                .inspect_err(|code| state.violations.push(format!("{what} in process {task}: {code}")))
        })
    }

    /// Waits for the next change or the timeout, and returns whether it timed out.
    fn pause<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        until: Option<Instant>,
    ) -> (MutexGuard<'a, State>, bool) {
        let Some(until) = until else {
            return (self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner), false);
        };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return (state, true);
        }
        let waited = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        (waited.0, false)
    }
}

impl State {
    fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    fn object_counts(&self) -> ObjectCounts {
        ObjectCounts {
            ports: self.ports.len(),
            references: self.tasks.values().map(Task::references).sum(),
            regions: self.tasks.values().map(|task| task.regions.len()).sum(),
            services: self.services.len(),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) enum Queue {
    #[default]
    Nothing,
    Port(Name),
    Pipe,
}

#[expect(unsafe_code, reason = "the contract's, and memory of messages")]
impl Kernel for Simulated {
    type Queue = Queue;

    fn page_bytes(&self) -> usize {
        copying::PAGE_BYTES
    }

    fn user(&self) -> u32 {
        self.state().tasks[&self.task].user
    }

    fn allocate_port(&self) -> Result<Name, Code> {
        self.act(|state, task| Ok(state.allocate(task)))
    }

    fn limit_queue(&self, port: Name, messages: u32) -> Result<(), Code> {
        self.strict("limit_queue", |state, task| {
            let port = state.receiver(task, port)?;
            if messages > abi::QUEUE_LIMIT_MAX {
                return Err(Code::INVALID_VALUE);
            }
            state.port(port).limit = messages as usize;
            Ok(())
        })
    }

    fn notify_when_no_senders(&self, port: Name) -> Result<(), Code> {
        self.strict("notify_when_no_senders", |state, task| {
            let id = state.receiver(task, port)?;
            let port = state.port(id);
            port.notifies_no_senders = true;
            if port.senders == 0 && port.rights_made >= 1 {
                state.send_no_senders(id);
            }
            Ok(())
        })
    }

    fn destroy_receive(&self, port: Name) -> Result<(), Code> {
        self.strict("destroy_receive", |state, task| state.destroy_receive(task, port))
    }

    fn release_send(&self, right: Name) -> Result<(), Code> {
        self.strict("release_send", |state, task| state.release_send(task, right))
    }

    fn check_in(&self, service: &CStr) -> Result<Name, Code> {
        assert!(service.count_bytes() < abi::SERVICE_NAME_BYTES_MAX, "{service:?} is too long");
        self.act(|state, task| {
            if state.services.contains_key(service) {
                return Err(Code::NAME_IN_USE);
            }
            let name = state.allocate(task);
            let port = state.receiver(task, name)?;
            state.services.insert(service.to_owned(), port);
            Ok(name)
        })
    }

    fn look_up(&self, service: &CStr) -> Result<Name, Code> {
        self.act(|state, task| {
            let &port = state.services.get(service).ok_or(Code::UNKNOWN_SERVICE)?;
            state.port(port).senders += 1;
            Ok(state.copy_out_right(task, Some(port), abi::MOVE_SEND))
        })
    }

    unsafe fn send(&self, message: &mut [u8], timeout: Duration) -> Code {
        let until = Instant::now() + timeout;
        let mut state = self.state();
        // SAFETY: the caller's guarantee.
        let (queued, port) = match unsafe { state.copy_in(self.task, message) } {
            Ok(copied) => copied,
            Err(code) => return code,
        };
        let mut queued = Some(queued);
        let code = loop {
            match state.deliver(port, &mut queued) {
                ports::Delivery::Done => break Code::SUCCESS,
                ports::Delivery::Full if state.time_out_sends > 0 => state.time_out_sends -= 1,
                ports::Delivery::Full => {
                    let waited = self.pause(state, Some(until));
                    state = waited.0;
                    if !waited.1 {
                        continue;
                    }
                }
            }
            state.tally.timed_out += 1;
            break Code::SEND_TIMED_OUT;
        };
        if let Some(queued) = queued {
            state.return_to_sender(self.task, queued, message);
        }
        drop(state);
        self.shared.changed.notify_all();
        code
    }

    fn receive(&self, port: Name, buffer: &mut [u8], trailer: Trailer, timeout: Option<Duration>) -> Code {
        let until = timeout.map(|timeout| Instant::now() + timeout);
        let mut state = self.state();
        let code = loop {
            match state.take(self.task, port, buffer, trailer) {
                Ok(Some(())) => break Code::SUCCESS,
                Err(code) => break code,
                Ok(None) => {
                    let waited = self.pause(state, until);
                    state = waited.0;
                    if waited.1 {
                        break Code::RECEIVE_TIMED_OUT;
                    }
                }
            }
        };
        drop(state);
        self.shared.changed.notify_all();
        code
    }

    unsafe fn unmap(&self, address: u64, bytes: usize) -> Result<(), Code> {
        self.strict("unmap", |state, task| state.unmap(task, address, bytes))
    }

    fn queue(&self) -> io::Result<Queue> {
        Ok(Queue::Nothing)
    }

    fn watch_port(&self, queue: &mut Queue, port: Name) -> io::Result<()> {
        self.strict("watch_port", |state, task| state.receiver(task, port))?;
        *queue = Queue::Port(port);
        Ok(())
    }

    fn watch_pipe(&self, queue: &mut Queue, _pipe: &PipeReader) -> io::Result<()> {
        *queue = Queue::Pipe;
        Ok(())
    }

    fn wait(&self, queue: &mut Queue) -> io::Result<()> {
        match queue {
            Queue::Nothing => Err(io::Error::other("the queue waits for nothing")),
            // The caller reads the pipe next, which waits.
            Queue::Pipe => Ok(()),
            Queue::Port(port) => {
                let mut state = self.state();
                loop {
                    let id = state.receiver(self.task, *port)?;
                    if !state.ports[&id].queue.is_empty() {
                        return Ok(());
                    }
                    state = self.pause(state, None).0;
                }
            }
        }
    }

    fn receive_by_event(&self, queue: &mut Queue, port: Name, buffer: &mut [u8]) -> io::Result<Code> {
        if let Queue::Nothing = queue {
            *queue = Queue::Port(port);
        }
        self.wait(queue)?;
        Ok(self.receive(port, buffer, Trailer::Least, None))
    }

    fn file_to_right(&self, file: &Handle) -> io::Result<Name> {
        let file = file.try_clone()?;
        Ok(self.act(|state, task| state.allocate_file(task, file)))
    }

    fn right_to_file(&self, right: Name) -> io::Result<Handle> {
        let state = self.state();
        let port = state.tasks[&self.task].names.get(&right).and_then(|entry| entry.port);
        let file = port.and_then(|port| state.ports[&port].file.as_ref());
        file.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?.try_clone()
    }
}
