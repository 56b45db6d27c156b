//! `io-uring-msg-ring`: messages in shared memory, announced by a completion in the other end's ring (`io_uring(7)`).

use super::family::slots::{self, Incoming, Outgoing};
use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::Buffers;
use crate::link::stream::{StreamReceiver, StreamSender};
use crate::link::{Ask, Link, Receiver, Sender};
use crate::sys::handle::Handle;
use crate::sys::socket::{self, Kind};
use crate::sys::uring::{self, Messages};
use crate::sys::{Unsupported, remote_descriptor, remote_memory};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

#[derive(Debug)]
pub(crate) struct IoUringMsgRing;

impl Transport for IoUringMsgRing {
    fn about(&self) -> About {
        control(
            "io-uring-msg-ring",
            "Shared memory, io_uring message",
            "shared-memory",
            uring::SYSTEMS,
            "Like eventfd, but IORING_OP_MSG_RING announces a message: it puts a completion into the io_uring of the \
             other process, which waits for it. One call to announce and one to wait, or one for both if the sender \
             waits for an answer.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        uring::support()?;
        remote_descriptor::support()?;
        slots::support(channel)
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let memory = slots::create(channel)?;
        let (initiator, responder) = socket::pair(Kind::Stream)?;
        Ok(Channel::from_handles([memory.try_clone()?, initiator], [memory, responder]))
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let [memory, socket] = parts.take()?;
        let (outgoing, incoming) = slots::connect(end, &memory, channel)?;
        let (to_other, from_other) = (StreamSender(socket.try_clone()?), StreamReceiver(socket.try_clone()?));
        let swap = |own: &Handle| swap(own, to_other, from_other);
        let ring = Rc::new(RefCell::new(Messages::connect(slots::count(channel), socket, swap)?));
        let (outgoing, incoming) = (Rc::new(outgoing), Rc::new(incoming));
        let sender = SlotSender { slots: Rc::clone(&outgoing), ring: Rc::clone(&ring) };
        let receiver = SlotReceiver { slots: Rc::clone(&incoming), ring: Rc::clone(&ring) };
        let mut link = Link::new(sender, receiver, Buffers::default());
        link.ask = Some(Box::new(SlotAsk { outgoing, incoming, ring }));
        Ok(link)
    }
}

/// Gives the other end the number of this descriptor, and takes a copy of the other end's.
fn swap(own: &Handle, mut sender: StreamSender, mut receiver: StreamReceiver) -> io::Result<Handle> {
    let (mut process, mut number) = ([0; 4], [0; 4]);
    remote_memory::permit();
    sender.send(&std::process::id().to_le_bytes())?;
    sender.send(&remote_descriptor::number(own).to_le_bytes())?;
    receiver.receive(&mut process)?;
    receiver.receive(&mut number)?;
    let process = remote_descriptor::open(u32::from_le_bytes(process))?;
    let other = remote_descriptor::copy(&process, i32::from_le_bytes(number))?;
    // The descriptor stays open until the other end has its copy.
    sender.send(&[0])?;
    receiver.receive(&mut [0])?;
    Ok(other)
}

struct SlotSender {
    slots: Rc<Outgoing>,
    ring: Rc<RefCell<Messages>>,
}

impl Sender for SlotSender {
    #[inline]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.slots.put(message)?;
        self.ring.borrow_mut().announce()
    }
}

impl Drop for SlotSender {
    fn drop(&mut self) {
        self.slots.leave();
    }
}

struct SlotReceiver {
    slots: Rc<Incoming>,
    ring: Rc<RefCell<Messages>>,
}

impl Receiver for SlotReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        self.ring.borrow_mut().wait()?;
        self.slots.take(buffer)?;
        Ok(buffer)
    }
}

struct SlotAsk {
    outgoing: Rc<Outgoing>,
    incoming: Rc<Incoming>,
    ring: Rc<RefCell<Messages>>,
}

impl Ask for SlotAsk {
    #[inline]
    fn ask<'a>(&'a mut self, question: &[u8], buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        self.outgoing.put(question)?;
        let mut ring = self.ring.borrow_mut();
        ring.queue()?;
        ring.wait()?;
        self.incoming.take(buffer)?;
        Ok(buffer)
    }
}
