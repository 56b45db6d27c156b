//! Ports of the simulated kernel: queues, and counts of who may send.

use super::super::{Code, Name, Trailer, abi};
use super::State;
use super::copying::Letter;
use crate::sys::handle::Handle;
use std::collections::VecDeque;

pub(crate) type PortId = u32;

/// A port that lives. One that has died is in no table any more.
#[derive(Debug, Default)]
pub(crate) struct Port {
    pub(super) queue: VecDeque<Letter>,
    pub(super) limit: usize,
    /// Send rights: one for each process that has any, and one for each on its way in a message.
    pub(super) senders: u32,
    /// How often one was made.
    pub(super) rights_made: u32,
    /// There is a send-once right for telling that nobody can send.
    pub(super) tells_no_senders: bool,
    /// Of the kernel's own port that stands for an open file: it dies with its last sender.
    pub(super) file: Option<Handle>,
    received: u32,
}

/// What became of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    /// It is in the queue, or the port had died and the letter with it.
    Done,
    /// It is as it was.
    Full,
}

impl State {
    pub(super) fn port(&mut self, port: PortId) -> &mut Port {
        self.ports.get_mut(&port).expect("dead ports have no ids")
    }

    pub(super) fn allocate(&mut self, task: u32) -> Name {
        let port = self.id();
        let limit = abi::QUEUE_LIMIT_DEFAULT as usize;
        self.ports.insert(port, Port { limit, ..Port::default() });
        self.copy_out_right(task, Some(port), abi::MOVE_RECEIVE)
    }

    /// A port of the kernel that stands for a file, and a send right to it.
    pub(super) fn allocate_file(&mut self, task: u32, file: Handle) -> Name {
        let port = self.id();
        self.ports.insert(port, Port { file: Some(file), senders: 1, ..Port::default() });
        self.copy_out_right(task, Some(port), abi::MOVE_SEND)
    }

    /// Puts a letter into the queue, if there is room. Who may send only once need not wait.
    pub(super) fn deliver(&mut self, port: PortId, letter: &mut Option<Letter>) -> Delivery {
        let Some(found) = self.ports.get_mut(&port) else {
            // As if it had been delivered, and the port had died then.
            if let Some(letter) = letter.take() {
                self.destroy(letter);
            }
            return Delivery::Done;
        };
        let is_once = letter.as_ref().is_some_and(|letter| letter.disposition == abi::MOVE_SEND_ONCE);
        if found.queue.len() >= found.limit && !is_once {
            return Delivery::Full;
        }
        found.queue.extend(letter.take());
        Delivery::Done
    }

    /// Takes the next letter out of a queue and into a buffer; nothing, if there is none.
    pub(super) fn take(
        &mut self,
        task: u32,
        name: Name,
        buffer: &mut [u8],
        trailer: Trailer,
    ) -> Result<Option<()>, Code> {
        let Ok(port) = self.receiver(task, name) else { return Err(Code::RECEIVE_INVALID_NAME) };
        let Some(letter) = self.port(port).queue.front() else { return Ok(None) };
        let bytes = letter.bytes();
        if buffer.len() < bytes + trailer.bytes() {
            if let Some(size) = buffer.get_mut(abi::SIZE) {
                size.copy_from_slice(&u32::try_from(bytes).expect("small").to_ne_bytes());
            }
            self.tally.too_large += 1;
            return Err(Code::RECEIVE_TOO_LARGE);
        }
        let Some(letter) = self.port(port).queue.pop_front() else { return Ok(None) };
        self.tally.received += 1;
        self.port(port).received += 1;
        let number = self.port(port).received;
        let disposition = letter.disposition;
        self.copy_out(task, name, letter, number, buffer, trailer);
        self.release_sent(port, disposition);
        Ok(Some(()))
    }

    /// A right that was on its way is used up.
    pub(super) fn release_sent(&mut self, port: PortId, disposition: u8) {
        if disposition != abi::MOVE_SEND {
            return;
        }
        let Some(found) = self.ports.get_mut(&port) else { return };
        found.senders -= 1;
        if found.senders > 0 {
            return;
        }
        if found.file.is_some() {
            self.kill(port);
        } else if found.tells_no_senders {
            self.tell_no_senders(port);
        }
    }

    /// A letter of the kernel itself, which does not wait.
    pub(super) fn tell_no_senders(&mut self, port: PortId) {
        let port = self.port(port);
        port.tells_no_senders = false;
        port.queue.push_back(Letter::no_senders(port.rights_made));
    }

    /// Ends a port, what waits in it, and every right to it.
    pub(super) fn kill(&mut self, port: PortId) {
        let Some(dead) = self.ports.remove(&port) else { return };
        self.services.retain(|_, service| *service != port);
        for task in self.tasks.values_mut() {
            task.bury(port);
        }
        for letter in dead.queue {
            self.destroy(letter);
        }
    }
}
