//! Ports of the simulated kernel: queues, and counts of senders.

use super::super::{Code, Name, Trailer, abi};
use super::State;
use super::copying::QueuedMessage;
use crate::sys::handle::Handle;
use std::collections::VecDeque;

pub(crate) type PortId = u32;

/// A live port. Dead ports are in no table.
#[derive(Debug, Default)]
pub(crate) struct Port {
    pub(super) queue: VecDeque<QueuedMessage>,
    pub(super) limit: usize,
    /// Send rights: one for each process with any, and one for each in transit.
    pub(super) senders: u32,
    /// The number of rights created.
    pub(super) rights_made: u32,
    /// A send-once right exists for reporting that there are no senders.
    pub(super) notifies_no_senders: bool,
    /// For a kernel port that represents an open file: it dies with its last sender.
    pub(super) file: Option<Handle>,
    received: u32,
}

/// The result of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    /// It is in the queue, or the port had died and the message with it.
    Done,
    /// It is unchanged.
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

    /// Creates a kernel port for a file, and a send right to it.
    pub(super) fn allocate_file(&mut self, task: u32, file: Handle) -> Name {
        let port = self.id();
        self.ports.insert(port, Port { file: Some(file), senders: 1, ..Port::default() });
        self.copy_out_right(task, Some(port), abi::MOVE_SEND)
    }

    /// Puts a message into the queue, if there is room. A send-once right need not wait.
    pub(super) fn deliver(&mut self, port: PortId, queued: &mut Option<QueuedMessage>) -> Delivery {
        let Some(found) = self.ports.get_mut(&port) else {
            // As if it had been delivered, and the port had died then.
            if let Some(queued) = queued.take() {
                self.destroy(queued);
            }
            return Delivery::Done;
        };
        let is_once = queued.as_ref().is_some_and(|queued| queued.disposition == abi::MOVE_SEND_ONCE);
        if found.queue.len() >= found.limit && !is_once {
            return Delivery::Full;
        }
        found.queue.extend(queued.take());
        Delivery::Done
    }

    /// Takes the next message out of a queue and into a buffer; `None` if it is empty.
    pub(super) fn take(
        &mut self,
        task: u32,
        name: Name,
        buffer: &mut [u8],
        trailer: Trailer,
    ) -> Result<Option<()>, Code> {
        let Ok(port) = self.receiver(task, name) else { return Err(Code::RECEIVE_INVALID_NAME) };
        let Some(queued) = self.port(port).queue.front() else { return Ok(None) };
        let bytes = queued.bytes();
        if buffer.len() < bytes + trailer.bytes() {
            if let Some(size) = buffer.get_mut(abi::SIZE) {
                size.copy_from_slice(&u32::try_from(bytes).expect("small").to_ne_bytes());
            }
            self.tally.too_large += 1;
            return Err(Code::RECEIVE_TOO_LARGE);
        }
        let Some(queued) = self.port(port).queue.pop_front() else { return Ok(None) };
        self.tally.received += 1;
        self.port(port).received += 1;
        let number = self.port(port).received;
        let disposition = queued.disposition;
        self.copy_out(task, name, queued, number, buffer, trailer);
        self.release_sent(port, disposition);
        Ok(Some(()))
    }

    /// Consumes a right in transit.
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
        } else if found.notifies_no_senders {
            self.send_no_senders(port);
        }
    }

    /// Sends a message from the kernel itself, which does not wait.
    pub(super) fn send_no_senders(&mut self, port: PortId) {
        let port = self.port(port);
        port.notifies_no_senders = false;
        port.queue.push_back(QueuedMessage::no_senders(port.rights_made));
    }

    /// Destroys a port, its waiting messages, and every right to it.
    pub(super) fn kill(&mut self, port: PortId) {
        let Some(dead) = self.ports.remove(&port) else { return };
        self.services.retain(|_, service| *service != port);
        for task in self.tasks.values_mut() {
            task.mark_dead(port);
        }
        for queued in dead.queue {
            self.destroy(queued);
        }
    }
}
