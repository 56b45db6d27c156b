//! Both halves over the kernel of this machine, with rights that are passed.

use super::{MachReceiver, MachSender, Right};
use crate::link::passable::Passable;
use crate::link::{Receiver, Sender};
use crate::memory::Memory;
use crate::sys::mach::System;
use crate::sys::passable;
use std::io;

pub(super) struct PassingSender {
    pub(super) kernel: System,
    pub(super) sender: MachSender<System>,
}

impl Sender for PassingSender {
    #[inline]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.sender.send(message)
    }

    fn allocate(&mut self, bytes: usize) -> io::Result<Memory> {
        self.sender.allocate(bytes)
    }

    fn passable(&mut self) -> io::Result<Passable> {
        Right::for_file(&self.kernel, &passable::make()?).map(Passable::Right)
    }

    fn send_handle(&mut self, passed: &Passable) -> io::Result<()> {
        self.sender.send_right(passed.right()?)
    }
}

pub(super) struct PassingReceiver(pub(super) MachReceiver<System>);

impl Receiver for PassingReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        self.0.receive(buffer)
    }

    fn release(&mut self) {
        self.0.release();
    }

    fn receive_handle(&mut self) -> io::Result<Passable> {
        self.0.receive_right().map(Passable::Right)
    }
}
