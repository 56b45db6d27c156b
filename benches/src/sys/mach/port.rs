//! Rights to ports, released when dropped.

use super::{Code, Kernel, Name, abi};
use std::ffi::CStr;

pub(crate) struct SendRight<K: Kernel> {
    kernel: K,
    name: Name,
}

impl<K: Kernel> SendRight<K> {
    /// Owns a reference from the kernel, or none if the port had died before.
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
            // It exists, or a dead name remains.
            let _ = self.kernel.release_send(self.name);
        }
    }
}

pub(crate) struct ReceivePort<K: Kernel> {
    kernel: K,
    name: Name,
}

impl<K: Kernel> ReceivePort<K> {
    /// Creates a port with the system's default queue limit. Once it has had a sender and has none left, a last message
    /// reports that.
    pub(crate) fn new(kernel: &K) -> Result<Self, Code> {
        let port = Self { kernel: kernel.clone(), name: kernel.allocate_port()? };
        kernel.limit_queue(port.name, abi::QUEUE_LIMIT_DEFAULT)?;
        kernel.notify_when_no_senders(port.name)?;
        Ok(port)
    }

    /// The port behind a public name.
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
        // Only this value has the right.
        let _ = self.kernel.destroy_receive(self.name);
    }
}
