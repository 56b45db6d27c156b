//! [`Bridge`]: a thread that receives messages and writes one byte to a pipe for each.
//!
//! It lets a thread that waits for descriptors receive messages too. It was the only way when kqueue could not wait for
//! ports. The message is passed in memory: the receiving thread takes an empty frame, fills it and passes it on;
//! the frame is returned after use. There are as many frames as a port holds messages. While none is empty, the thread
//! receives nothing, and the port fills up.

use super::inbox::FRAME_BYTES_FIRST;
use crate::link::closed;
use crate::sys::mach::exchange::{fill, stop};
use crate::sys::mach::frame::Frame;
use crate::sys::mach::message::{self, Content};
use crate::sys::mach::port::ReceivePort;
use crate::sys::mach::{Kernel, Name, Trailer, abi, carried};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

/// The side of the thread that waits for descriptors.
pub(super) struct Bridge<K: Kernel> {
    kernel: K,
    /// It outlives the other side.
    port: ReceivePort<K>,
    queue: K::Queue,
    pipe: PipeReader,
    filled: Receiver<io::Result<Frame>>,
    /// `None`: the other thread must fill no more frames.
    empty: Option<Sender<Frame>>,
    held: Option<Frame>,
    thread: Option<JoinHandle<()>>,
}

impl<K: Kernel> Bridge<K> {
    pub(super) fn new(kernel: &K, port: ReceivePort<K>) -> io::Result<Self> {
        let (pipe, bytes) = io::pipe()?;
        let mut queue = kernel.queue()?;
        kernel.watch_pipe(&mut queue, &pipe)?;
        let ((empty, to_fill), (full, filled)) = (channel(), channel());
        for _ in 0..abi::QUEUE_LIMIT_DEFAULT {
            let frame = Frame::new(FRAME_BYTES_FIRST, kernel.page_bytes());
            empty.send(frame).map_err(|_| closed())?;
        }
        let far = ReceiverThread { kernel: kernel.clone(), port: port.name(), to_fill, full, bytes };
        let thread = thread::Builder::new().name("mach bridge".into()).spawn(move || far.run())?;
        Ok(Self {
            kernel: kernel.clone(),
            port,
            queue,
            pipe,
            filled,
            empty: Some(empty),
            held: None,
            thread: Some(thread),
        })
    }

    #[inline]
    pub(super) fn next(&mut self) -> io::Result<&Frame> {
        self.kernel.wait(&mut self.queue)?;
        // The pipe ends only if its thread fails, and the thread reports that first.
        self.pipe.read_exact(&mut [0]).map_err(|_| closed())?;
        // It was passed before the byte was written.
        let frame = self.filled.try_recv().map_err(io::Error::other)??;
        Ok(self.held.insert(frame))
    }

    /// Returns the last result of [`Bridge::next`], if it was not released since.
    #[inline]
    pub(super) fn frame(&self) -> Option<&Frame> {
        self.held.as_ref()
    }

    /// Returns the frame from [`Bridge::next`] for reuse.
    #[inline]
    pub(super) fn release(&mut self) {
        if let (Some(frame), Some(empty)) = (self.held.take(), &self.empty) {
            // If the thread has ended, it needs no frames.
            let _ = empty.send(frame);
        }
    }
}

impl<K: Kernel> Bridge<K> {
    fn stop(&mut self) {
        self.empty = None;
        // If stopping fails, the thread has no port to wait for.
        let _ = stop(&self.kernel, self.port.name());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been printed.
            let _ = thread.join();
        }
    }
}

impl<K: Kernel> Drop for Bridge<K> {
    #[expect(unsafe_code, reason = "what a message holds is memory by its address")]
    fn drop(&mut self) {
        self.stop();
        for frame in self.filled.try_iter().flatten() {
            // SAFETY: it has been received, and nothing will use it.
            unsafe { carried::release(&self.kernel, &frame) };
        }
    }
}

/// The side of the thread that receives.
struct ReceiverThread<K: Kernel> {
    kernel: K,
    port: Name,
    to_fill: Receiver<Frame>,
    full: Sender<io::Result<Frame>>,
    bytes: PipeWriter,
}

impl<K: Kernel> ReceiverThread<K> {
    fn run(mut self) {
        while let Ok(mut frame) = self.to_fill.recv() {
            let received = fill(&self.kernel, &mut frame, Trailer::Least, |buffer| {
                Ok(self.kernel.receive(self.port, buffer, Trailer::Least, None))
            });
            if received.is_ok() && message::read(&frame) == Ok(Content::Stop) {
                return;
            }
            let is_over = received.is_err();
            // The other side reads pending bytes before it sees the end.
            let sent = self.full.send(received.map(|()| frame)).is_ok() && self.bytes.write_all(&[1]).is_ok();
            if is_over || !sent {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::mach::exchange::deliver;
    use crate::sys::mach::message::Destination;
    use crate::sys::mach::simulated::Simulated;

    #[test]
    #[expect(unsafe_code, reason = "a message may describe memory")]
    fn announces_each_message_with_one_byte() {
        let kernel = Simulated::new(501);
        let port = ReceivePort::new(&kernel).unwrap();
        let to = Destination::Own(port.name());
        let mut bridge = Bridge::new(&kernel, port).unwrap();
        for number in 0..3 {
            let mut message = [number; 32];
            // SAFETY: it has no memory.
            unsafe { deliver(&kernel, &mut message, |message| message::put_inline(message, to, 4)) }.unwrap();
        }
        kernel.until(|tally, _| tally.received == 3);
        for number in 0..2 {
            assert_eq!(bridge.next().unwrap()[28..32], [number; 4]);
        }
        bridge.stop();
        let mut rest = Vec::new();
        assert_eq!(bridge.pipe.read_to_end(&mut rest).unwrap(), 1, "{rest:?}");
        drop(bridge);
        kernel.assert_clean();
    }
}
