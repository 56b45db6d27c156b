//! [`MachReceiver`]: receives messages, and returns them where they arrived.

use super::bridge::Bridge;
use super::inbox::{Inbox, ReceiveMethod};
use super::right::Right;
use super::sender::Carriage;
use super::{Arrival, Form};
use crate::link::{Receiver, closed, unexpected_length};
use crate::sys::mach::Kernel;
use crate::sys::mach::carried::{self, Region};
use crate::sys::mach::frame::Frame;
use crate::sys::mach::message::{self, Content};
use crate::sys::mach::port::{ReceivePort, SendRight};
use std::hint::black_box;
use std::io;
use std::ops::Range;

pub(crate) struct MachReceiver<K: Kernel> {
    kernel: K,
    source: Source<K>,
    carriage: Carriage,
    reads_every_page: bool,
    region: Option<Region<K>>,
    /// The kernel reports only once that no senders are left.
    is_closed: bool,
}

enum Source<K: Kernel> {
    Inbox(Inbox<K>),
    Bridge(Bridge<K>),
}

impl<K: Kernel> Source<K> {
    #[inline]
    fn next(&mut self) -> io::Result<&Frame> {
        match self {
            Self::Inbox(inbox) => inbox.next(),
            Self::Bridge(bridge) => bridge.next(),
        }
    }

    #[inline]
    fn part(&self, range: Range<usize>) -> &[u8] {
        match self {
            Self::Inbox(inbox) => &inbox.frame()[range],
            Self::Bridge(bridge) => bridge.frame().map_or(&[], |frame| &frame[range]),
        }
    }
}

impl<K: Kernel> MachReceiver<K> {
    pub(super) fn new(
        kernel: &K,
        port: ReceivePort<K>,
        Form { carriage, arrival, reads_every_page }: Form,
    ) -> io::Result<Self> {
        let inbox = |port, method| Source::Inbox(Inbox::new(kernel, port, method));
        let source = match arrival {
            Arrival::Call => inbox(port, ReceiveMethod::Call),
            Arrival::Event => {
                let method = ReceiveMethod::event(kernel, &port)?;
                inbox(port, method)
            }
            Arrival::ByEvent => inbox(port, ReceiveMethod::ByEvent(kernel.queue()?)),
            Arrival::Bridge => Source::Bridge(Bridge::new(kernel, port)?),
        };
        Ok(Self {
            kernel: kernel.clone(),
            source,
            carriage,
            reads_every_page,
            region: None,
            is_closed: false,
        })
    }

    #[inline]
    pub(crate) fn receive_right(&mut self) -> io::Result<Right<K>> {
        self.release();
        match self.next()? {
            Content::Right(name) => Ok(Right::owning(SendRight::owning(&self.kernel, name))),
            other => Err(self.refuse(other)),
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "what a message holds is memory by its address")]
    fn next(&mut self) -> io::Result<Content> {
        if self.is_closed {
            return Err(closed());
        }
        let frame = self.source.next()?;
        match message::read(frame) {
            Ok(Content::NoSenders) => {
                self.is_closed = true;
                Err(closed())
            }
            Ok(content) => Ok(content),
            Err(reason) => {
                // SAFETY: it has just been received, and is not used.
                unsafe { carried::release(&self.kernel, frame) };
                Err(refused(reason))
            }
        }
    }

    /// Releases a valid message that is not expected now.
    #[cold]
    #[expect(unsafe_code, reason = "memory by its address")]
    fn refuse(&self, content: Content) -> io::Error {
        match content {
            Content::OutOfLine { address, bytes } => {
                // SAFETY: it came with the message, and is taken over only here.
                drop(unsafe { Region::new(&self.kernel, address, bytes) });
            }
            Content::Right(name) | Content::Introduction { port: name, .. } => {
                drop(SendRight::owning(&self.kernel, name));
            }
            Content::Inline(_) | Content::NoSenders | Content::Stop => {}
        }
        refused("unexpected message kind")
    }

    /// Keeps the received memory, and reads each page if required.
    #[inline]
    #[expect(unsafe_code, reason = "memory by its address")]
    fn keep(&mut self, address: u64, bytes: usize) -> &[u8] {
        // SAFETY: it came with the message, and is taken over only here.
        let region = self.region.insert(unsafe { Region::new(&self.kernel, address, bytes) });
        if self.reads_every_page {
            // Including the last byte: memory that does not begin at a page boundary ends in one more page.
            let bytes = region.iter().step_by(self.kernel.page_bytes()).chain(region.last());
            black_box(bytes.fold(0, |sum: u8, &byte| sum.wrapping_add(byte)));
        }
        region
    }
}

fn refused(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("rejected a Mach message: {reason}"))
}

impl<K: Kernel> Receiver for MachReceiver<K> {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        self.release();
        let expected = buffer.len();
        match (self.next()?, self.carriage) {
            (Content::Inline(range), Carriage::Inline) if range.len() == expected => {
                Ok(self.source.part(range))
            }
            (Content::Inline(range), Carriage::Inline) => Err(unexpected_length(range.len(), expected)),
            (Content::OutOfLine { address, bytes }, Carriage::OutOfLine(_)) if bytes == expected => {
                Ok(self.keep(address, bytes))
            }
            (content @ Content::OutOfLine { bytes, .. }, Carriage::OutOfLine(_)) => {
                let _ = self.refuse(content);
                Err(unexpected_length(bytes, expected))
            }
            (content, _) => Err(self.refuse(content)),
        }
    }

    #[inline]
    fn release(&mut self) {
        self.region = None;
        if let Source::Bridge(bridge) = &mut self.source {
            bridge.release();
        }
    }
}
