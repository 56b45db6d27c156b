//! [`Inbox`]: receives messages of any size, in one of three ways; and the buffer that grows for them.

use crate::sys::mach::exchange::fill;
use crate::sys::mach::frame::Frame;
use crate::sys::mach::port::ReceivePort;
use crate::sys::mach::{Kernel, Trailer};
use std::io;

/// Room for messages at first: most fit, and whoever sends longer ones makes it grow before the clock runs.
pub(super) const FRAME_BYTES_FIRST: usize = 64 << 10;

pub(super) struct Inbox<K: Kernel> {
    kernel: K,
    port: ReceivePort<K>,
    frame: Frame,
    way: Way<K>,
}

pub(super) enum Way<K: Kernel> {
    /// By one call.
    Call,
    /// A kqueue says that it is there, and a call receives it.
    Event(K::Queue),
    /// Inside the call that waits for the kqueue.
    ByEvent(K::Queue),
}

impl<K: Kernel> Way<K> {
    pub(super) fn event(kernel: &K, port: &ReceivePort<K>) -> io::Result<Self> {
        let mut queue = kernel.queue()?;
        kernel.watch_port(&mut queue, port.name())?;
        Ok(Self::Event(queue))
    }
}

impl<K: Kernel> Inbox<K> {
    pub(super) fn new(kernel: &K, port: ReceivePort<K>, way: Way<K>) -> Self {
        let frame = Frame::new(FRAME_BYTES_FIRST, kernel.page_bytes());
        Self { kernel: kernel.clone(), port, frame, way }
    }

    #[inline]
    pub(super) fn next(&mut self) -> io::Result<&Frame> {
        let (kernel, port) = (&self.kernel, self.port.name());
        let receive = |buffer: &mut [u8]| kernel.receive(port, buffer, Trailer::Least, None);
        match &mut self.way {
            Way::Call => fill(kernel, &mut self.frame, Trailer::Least, |buffer| Ok(receive(buffer))),
            Way::Event(queue) => fill(kernel, &mut self.frame, Trailer::Least, |buffer| {
                kernel.wait(queue)?;
                Ok(receive(buffer))
            }),
            Way::ByEvent(queue) => fill(kernel, &mut self.frame, Trailer::Least, |buffer| {
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
