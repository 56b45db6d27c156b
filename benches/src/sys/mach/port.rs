//! Rights to ports, released when dropped.

use super::{Code, Kernel, Name, abi};
use std::ffi::CStr;

pub(crate) struct SendRight<K: Kernel> {
    kernel: K,
    name: Name,
}

impl<K: Kernel> SendRight<K> {
    /// Owns a reference that the kernel has given to this process; or none, to a port that had died before.
    pub(crate) fn owning(kernel: &K, name: Name) -> Self {
        Self { kernel: kernel.clone(), name }
    }

    #[inline]
    pub(crate) fn name(&self) -> Name {
        self.name
    }

    pub(crate) fn kernel(&self) -> &K {
        &self.kernel
    }
}

impl<K: Kernel> Drop for SendRight<K> {
    fn drop(&mut self) {
        if self.name.is_right() {
            // It is there, or what is left of it, a dead name.
            let _ = self.kernel.release_send(self.name);
        }
    }
}

pub(crate) struct ReceivePort<K: Kernel> {
    kernel: K,
    name: Name,
}

impl<K: Kernel> ReceivePort<K> {
    /// A new port, which holds as many messages as ports do unless told otherwise, whatever that is on this system. Once
    /// somebody could send to it and nobody can any more, that comes as the last message.
    pub(crate) fn new(kernel: &K) -> Result<Self, Code> {
        let port = Self { kernel: kernel.clone(), name: kernel.allocate_port()? };
        kernel.limit_queue(port.name, abi::QUEUE_LIMIT_DEFAULT)?;
        kernel.tell_when_no_senders(port.name)?;
        Ok(port)
    }

    /// The port behind a name that others look up.
    pub(crate) fn checked_in(kernel: &K, service: &CStr) -> Result<Self, Code> {
        Ok(Self { kernel: kernel.clone(), name: kernel.check_in(service)? })
    }

    #[inline]
    pub(crate) fn name(&self) -> Name {
        self.name
    }
}

impl<K: Kernel> Drop for ReceivePort<K> {
    fn drop(&mut self) {
        // The right is this value's alone.
        let _ = self.kernel.destroy_receive(self.name);
    }
}
