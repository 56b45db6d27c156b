//! Bytes through an `io_uring`, which both halves share: loops until all is sent or received.

use super::buffers::Buffers;
use super::{Ask, Link, Receiver, Sender, closed, closed_or};
use crate::memory::Memory;
use crate::payload::ANSWER_BYTES;
use crate::sys::uring::{Stream, Streams};
use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::rc::Rc;

/// The link over any stream.
pub(crate) fn over_stream(stream: impl Stream + 'static, buffers: Buffers) -> Link {
    let stream = Rc::new(RefCell::new(stream));
    Link::new(StreamSender(Rc::clone(&stream)), StreamReceiver { stream, memory: None }, buffers)
}

/// The link over a socket, with a call that sends a question and receives the answer.
pub(crate) fn over_socket(streams: Streams, buffers: Buffers) -> Link {
    let stream = Rc::new(RefCell::new(streams));
    let receiver = || StreamReceiver { stream: Rc::clone(&stream), memory: None };
    let mut link = Link::new(StreamSender(Rc::clone(&stream)), receiver(), buffers);
    link.ask = Some(Box::new(receiver()));
    link
}

/// The same over pipes, for messages of at most this length, which are received in registered memory.
pub(crate) fn over_pipes(mut streams: Streams, buffers: Buffers, message_bytes: usize) -> io::Result<Link> {
    let message_bytes = message_bytes.max(ANSWER_BYTES);
    let [received, answers] =
        [registered(&mut streams, message_bytes)?, registered(&mut streams, message_bytes)?];
    let stream = Rc::new(RefCell::new(streams));
    let receiver = |memory| StreamReceiver { stream: Rc::clone(&stream), memory: Some(memory) };
    let mut link = Link::new(StreamSender(Rc::clone(&stream)), receiver(received), buffers);
    link.ask = Some(Box::new(receiver(answers)));
    Ok(link)
}

fn registered(stream: &mut impl Stream, bytes: usize) -> io::Result<Memory> {
    let mut memory = Memory::heap(bytes);
    stream.register(&mut memory)?;
    Ok(memory)
}

struct StreamSender<S>(Rc<RefCell<S>>);

impl<S: Stream> Sender for StreamSender<S> {
    #[inline]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        send_all(&mut *self.0.borrow_mut(), message)
    }

    fn allocate(&mut self, bytes: usize) -> io::Result<Memory> {
        registered(&mut *self.0.borrow_mut(), bytes)
    }
}

struct StreamReceiver<S> {
    stream: Rc<RefCell<S>>,
    /// Used instead of the caller's buffer, because it is registered.
    memory: Option<Memory>,
}

impl<S> StreamReceiver<S> {
    /// Returns the stream, and the memory to receive a message in.
    #[inline]
    fn parts<'a>(&'a mut self, buffer: &'a mut [u8]) -> (&'a RefCell<S>, &'a mut [u8]) {
        let memory = match &mut self.memory {
            Some(memory) => &mut memory[..buffer.len()],
            None => buffer,
        };
        (&self.stream, memory)
    }
}

impl<S: Stream> Receiver for StreamReceiver<S> {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let (stream, memory) = self.parts(buffer);
        receive_all(&mut *stream.borrow_mut(), memory)?;
        Ok(memory)
    }
}

impl Ask for StreamReceiver<Streams> {
    #[inline]
    fn ask<'a>(&'a mut self, question: &[u8], buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let (stream, memory) = self.parts(buffer);
        let mut stream = stream.borrow_mut();
        let (sent, filled) = stream.exchange(question, memory).map_err(closed_or)?;
        send_all(&mut *stream, &question[sent..])?;
        receive_all(&mut *stream, &mut memory[filled..])?;
        Ok(memory)
    }
}

#[inline]
fn send_all(stream: &mut impl Stream, mut message: &[u8]) -> io::Result<()> {
    while !message.is_empty() {
        match stream.send(message) {
            Ok(sent) => message = &message[sent..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(closed_or(error)),
        }
    }
    Ok(())
}

#[inline]
fn receive_all(stream: &mut impl Stream, buffer: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        match stream.receive(&mut buffer[filled..]) {
            Ok(0) => return Err(closed()),
            Ok(received) => filled += received,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(closed_or(error)),
        }
    }
    Ok(())
}
