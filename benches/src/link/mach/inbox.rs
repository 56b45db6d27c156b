//! [`Inbox`]: receives messages of any size, in one of three ways, into a buffer that grows.

use crate::sys::mach::exchange::fill;
use crate::sys::mach::frame::Frame;
use crate::sys::mach::port::ReceivePort;
use crate::sys::mach::{Kernel, Trailer};
use std::io;

/// Initial buffer: most messages fit, and longer ones make it grow before the clock runs.
pub(super) const FRAME_BYTES_FIRST: usize = 64 << 10;

pub(super) struct Inbox<K: Kernel> {
    kernel: K,
    port: ReceivePort<K>,
    frame: Frame,
    method: ReceiveMethod<K>,
}

pub(super) enum ReceiveMethod<K: Kernel> {
    /// By one call.
    Call,
    /// A kqueue reports the message, and a call receives it.
    Event(K::Queue),
    /// Inside the call that waits for the kqueue.
    ByEvent(K::Queue),
}

impl<K: Kernel> ReceiveMethod<K> {
    pub(super) fn event(kernel: &K, port: &ReceivePort<K>) -> io::Result<Self> {
        let mut queue = kernel.queue()?;
        kernel.watch_port(&mut queue, port.name())?;
        Ok(Self::Event(queue))
    }
}

impl<K: Kernel> Inbox<K> {
    pub(super) fn new(kernel: &K, port: ReceivePort<K>, method: ReceiveMethod<K>) -> Self {
        let frame = Frame::new(FRAME_BYTES_FIRST, kernel.page_bytes());
        Self { kernel: kernel.clone(), port, frame, method }
    }

    #[inline]
    pub(super) fn next(&mut self) -> io::Result<&Frame> {
        let (kernel, port) = (&self.kernel, self.port.name());
        let receive = |buffer: &mut [u8]| kernel.receive(port, buffer, Trailer::Least, None);
        match &mut self.method {
            ReceiveMethod::Call => {
                fill(kernel, &mut self.frame, Trailer::Least, |buffer| Ok(receive(buffer)))
            }
            ReceiveMethod::Event(queue) => fill(kernel, &mut self.frame, Trailer::Least, |buffer| {
                kernel.wait(queue)?;
                Ok(receive(buffer))
            }),
            ReceiveMethod::ByEvent(queue) => fill(kernel, &mut self.frame, Trailer::Least, |buffer| {
                kernel.receive_by_event(queue, port, buffer)
            }),
        }?;
        Ok(&self.frame)
    }

    #[inline]
    pub(super) fn frame(&self) -> &Frame {
        &self.frame
    }
}
