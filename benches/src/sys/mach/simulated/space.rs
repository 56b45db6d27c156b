//! Processes of the simulated kernel: the names of their rights, and the memory that came with messages.

use super::super::{Code, Name, abi};
use super::State;
use super::copying::Region;
use super::ports::PortId;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(crate) struct Task {
    pub(super) user: u32,
    pub(super) names: BTreeMap<Name, Entry>,
    pub(super) regions: BTreeMap<u64, Region>,
    last_name: u32,
}

/// The rights behind one name.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// `None`: a dead name.
    pub(super) port: Option<PortId>,
    pub(super) receives: bool,
    /// References to the send right, or to the dead name.
    pub(super) sends: u32,
    pub(super) sends_once: bool,
}

impl Task {
    pub(super) fn new(user: u32) -> Self {
        Self { user, names: BTreeMap::new(), regions: BTreeMap::new(), last_name: 0x103 }
    }

    pub(super) fn references(&self) -> u32 {
        let of = |entry: &Entry| entry.sends + u32::from(entry.receives) + u32::from(entry.sends_once);
        self.names.values().map(of).sum()
    }

    pub(super) fn mark_dead(&mut self, port: PortId) {
        for entry in self.names.values_mut().filter(|entry| entry.port == Some(port)) {
            entry.port = None;
            entry.receives = false;
        }
        self.forget_empty();
    }

    pub(super) fn forget_empty(&mut self) {
        self.names.retain(|_, entry| entry.receives || entry.sends > 0 || entry.sends_once);
    }

    fn new_name(&mut self) -> Name {
        self.last_name += 0x100;
        Name(self.last_name)
    }
}

impl State {
    pub(super) fn task(&mut self, task: u32) -> &mut Task {
        self.tasks.get_mut(&task).expect("a process that is gone makes no calls")
    }

    /// The port that a process receives from under this name.
    pub(super) fn receiver(&self, task: u32, name: Name) -> Result<PortId, Code> {
        let entry = self.tasks.get(&task).and_then(|task| task.names.get(&name)).ok_or(Code::INVALID_NAME)?;
        entry.port.filter(|_| entry.receives).ok_or(Code::INVALID_RIGHT)
    }

    /// Gives a process a right, under its existing name for the port; a send-once right always gets a new name. `None`
    /// if the port has died in the meantime.
    pub(super) fn copy_out_right(&mut self, task: u32, port: Option<PortId>, disposition: u8) -> Name {
        let Some(port) = port.filter(|port| self.ports.contains_key(port)) else { return Name::DEAD };
        let space = self.task(task);
        let known = space.names.iter().find(|(_, entry)| entry.port == Some(port) && !entry.sends_once);
        let name = match known {
            Some((name, _)) if disposition != abi::MOVE_SEND_ONCE => *name,
            _ => space.new_name(),
        };
        let entry = space.names.entry(name).or_default();
        entry.port = Some(port);
        match disposition {
            abi::MOVE_RECEIVE => entry.receives = true,
            abi::MOVE_SEND_ONCE => entry.sends_once = true,
            _ => {
                entry.sends += 1;
                if entry.sends > 1 {
                    // The process had a right already, and now only gets one more reference to it.
                    self.port(port).senders -= 1;
                }
            }
        }
        name
    }

    /// Takes a right out of a process for a message: the port, and the kind of the right in transit.
    pub(super) fn copy_in_right(
        &mut self,
        task: u32,
        name: Name,
        disposition: u8,
    ) -> Result<(PortId, u8), Code> {
        let entry = self.task(task).names.get_mut(&name).ok_or(Code::INVALID_NAME)?;
        let port = entry.port.ok_or(Code::INVALID_RIGHT)?;
        let (has_it, sent) = match disposition {
            abi::MOVE_SEND | abi::COPY_SEND => (entry.sends > 0, abi::MOVE_SEND),
            abi::MAKE_SEND => (entry.receives, abi::MOVE_SEND),
            abi::MAKE_SEND_ONCE => (entry.receives, abi::MOVE_SEND_ONCE),
            abi::MOVE_SEND_ONCE => (entry.sends_once, abi::MOVE_SEND_ONCE),
            _ => (false, 0),
        };
        if !has_it {
            return Err(Code::INVALID_RIGHT);
        }
        // Moving the last reference moves the process's right itself.
        let is_last = disposition == abi::MOVE_SEND && entry.sends == 1;
        match disposition {
            abi::MOVE_SEND => entry.sends -= 1,
            abi::MOVE_SEND_ONCE => entry.sends_once = false,
            _ => {}
        }
        self.task(task).forget_empty();
        if sent == abi::MOVE_SEND {
            let port = self.port(port);
            port.senders += u32::from(!is_last);
            port.rights_made += u32::from(disposition == abi::MAKE_SEND);
        }
        Ok((port, sent))
    }

    pub(super) fn destroy_receive(&mut self, task: u32, name: Name) -> Result<(), Code> {
        let port = self.receiver(task, name)?;
        self.kill(port);
        Ok(())
    }

    pub(super) fn release_send(&mut self, task: u32, name: Name) -> Result<(), Code> {
        let entry = self.task(task).names.get_mut(&name).ok_or(Code::INVALID_NAME)?;
        let port = entry.port;
        let was_last = entry.sends == 1;
        if entry.sends > 0 {
            entry.sends -= 1;
        } else if entry.sends_once {
            entry.sends_once = false;
        } else {
            return Err(Code::INVALID_RIGHT);
        }
        self.task(task).forget_empty();
        if let (Some(port), true) = (port, was_last) {
            self.release_sent(port, abi::MOVE_SEND);
        }
        Ok(())
    }

    /// Ends a process: its ports die, its rights are released, its memory is unmapped.
    pub(super) fn end_task(&mut self, task: u32) {
        let names: Vec<Name> = self.task(task).names.keys().copied().collect();
        for name in names {
            // A name may have been removed with an earlier one's port.
            let _ = self.destroy_receive(task, name);
            while self.release_send(task, name).is_ok() {}
        }
        self.tasks.remove(&task);
    }
}
