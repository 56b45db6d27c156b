//! Windows pipes with one handle for both directions. A passed handle is duplicated into the other process, and its
//! number sent as a message (`DuplicateHandle`).

use super::buffers::Buffers;
use super::passable::Passable;
use super::{Ask, Link, Receiver, Sender, closed_or, unexpected_length};
use crate::sys::named_pipe::{self, Pipe, Process};
use std::io;
use std::rc::Rc;

/// The link over a connected end, after both ends have exchanged their process ids. `asks`: whether this end sends a
/// question and awaits its answer in one call.
pub(crate) fn link(pipe: Pipe, asks: bool) -> io::Result<Link> {
    let pipe = Rc::new(pipe);
    let mut receiver = PipeReceiver(Rc::clone(&pipe));
    write_all(&pipe, &std::process::id().to_le_bytes())?;
    let mut id = [0; size_of::<u32>()];
    receiver.receive(&mut id)?;
    let [send_bytes, receive_bytes] = pipe.buffer_bytes();
    let sender = PipeSender { pipe: Rc::clone(&pipe), other: Process::open(u32::from_le_bytes(id))? };
    let mut link = Link::new(sender, receiver, Buffers { send_bytes, receive_bytes });
    link.ask = if asks { Some(Box::new(Transaction(pipe))) } else { None };
    Ok(link)
}

#[inline]
fn write_all(pipe: &Pipe, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = pipe.write(bytes).map_err(closed_or)?;
        bytes = &bytes[written..];
    }
    Ok(())
}

struct PipeSender {
    pipe: Rc<Pipe>,
    /// The process that receives handles.
    other: Process,
}

impl Sender for PipeSender {
    #[inline]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        write_all(&self.pipe, message)
    }

    fn send_handle(&mut self, passed: &Passable) -> io::Result<()> {
        let number = self.other.give(passed.handle()?)?;
        write_all(&self.pipe, &number.to_le_bytes())
    }
}

struct PipeReceiver(Rc<Pipe>);

impl Receiver for PipeReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let mut filled = 0;
        while filled < buffer.len() {
            let read = self.0.read(&mut buffer[filled..]).map_err(closed_or)?;
            filled += read;
            if read == 0 || filled > buffer.len() {
                return Err(unexpected_length(filled, buffer.len()));
            }
        }
        Ok(buffer)
    }

    fn receive_handle(&mut self) -> io::Result<Passable> {
        let mut number = [0; size_of::<u64>()];
        self.receive(&mut number)?;
        named_pipe::take(u64::from_le_bytes(number)).map(Passable::Handle)
    }
}

struct Transaction(Rc<Pipe>);

impl Ask for Transaction {
    #[inline]
    fn ask<'a>(&'a mut self, question: &[u8], buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let length = self.0.transact(question, buffer).map_err(closed_or)?;
        if length == buffer.len() { Ok(buffer) } else { Err(unexpected_length(length, buffer.len())) }
    }
}
