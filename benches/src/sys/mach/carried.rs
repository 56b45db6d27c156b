//! Finds and releases the rights and memory in a message.
//!
//! The library's `mach_msg_destroy` does this too, but it does not release physically copied memory.

use super::message::{self, Header};
use super::{Kernel, Name, abi};
use std::ops::Deref;
use std::ptr;

/// A right or memory in a message. It belongs to the receiver, or to the sender if the message was returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carried {
    /// A right; `disposition` is its kind.
    Right {
        name: Name,
        disposition: u8,
    },
    Memory {
        address: u64,
        bytes: usize,
    },
    /// Memory with the names of rights.
    Rights {
        address: u64,
        count: usize,
        disposition: u8,
    },
}

/// Lists all rights and memory in a message. It stops where the message does not have the kernel's form.
pub(crate) fn carried(buffer: &[u8]) -> Vec<Carried> {
    let Ok(header) = Header::read(buffer) else { return Vec::new() };
    let mut found = vec![Carried::Right { name: header.answer_to, disposition: header.answer_right }];
    let mut rest =
        buffer.get(abi::DESCRIPTORS..header.bytes).filter(|_| header.is_complex).unwrap_or_default();
    for _ in 0..message::word(buffer, abi::COUNT).unwrap_or(0) {
        let Some((item, after)) = read(rest) else { break };
        found.push(item);
        rest = after;
    }
    found
}

fn read(descriptors: &[u8]) -> Option<(Carried, &[u8])> {
    let disposition = *descriptors.get(abi::DISPOSITION)?;
    let length = || message::word(descriptors, abi::LENGTH).map(|length| length as usize);
    let address = || message::address(descriptors);
    let (item, bytes) = match *descriptors.get(abi::TYPE)? {
        abi::RIGHT => {
            let name = Name(message::word(descriptors, abi::RIGHT_NAME)?);
            (Carried::Right { name, disposition }, abi::RIGHT_BYTES)
        }
        abi::MEMORY | abi::VOLATILE_MEMORY => {
            (Carried::Memory { address: address()?, bytes: length()? }, abi::MEMORY_BYTES)
        }
        abi::RIGHTS => {
            (Carried::Rights { address: address()?, count: length()?, disposition }, abi::MEMORY_BYTES)
        }
        // It has no name, because no one here requests guards (`ipc_kmsg_copyout_guarded_port_descriptor`).
        abi::GUARDED_RIGHT => {
            let name = Name(message::word(descriptors, abi::GUARDED_RIGHT_NAME)?);
            (Carried::Right { name, disposition }, abi::GUARDED_RIGHT_BYTES)
        }
        _ => return None,
    };
    Some((item, descriptors.get(bytes..)?))
}

/// Releases all rights and memory in a message.
///
/// # Safety
/// The kernel has put the message into the buffer, received or returned, and nothing in it is used any more.
#[expect(unsafe_code, reason = "memory by its address")]
pub(crate) unsafe fn release<K: Kernel>(kernel: &K, buffer: &[u8]) {
    for item in carried(buffer) {
        match item {
            Carried::Right { name, disposition } => release_right(kernel, name, disposition),
            Carried::Memory { address, bytes } => {
                // SAFETY: the kernel has mapped it for this message, whose contents are no longer used.
                drop(unsafe { Region::new(kernel, address, bytes) });
            }
            Carried::Rights { address, count, disposition } => {
                // SAFETY: as above.
                let names = unsafe { Region::new(kernel, address, count * size_of::<u32>()) };
                for name in names.chunks_exact(size_of::<u32>()) {
                    release_right(kernel, Name(message::word(name, 0..4).unwrap_or(0)), disposition);
                }
            }
        }
    }
}

fn release_right<K: Kernel>(kernel: &K, name: Name, disposition: u8) {
    if name.is_right() {
        // It came with the message, so it exists.
        let _ = match disposition {
            abi::MOVE_RECEIVE => kernel.destroy_receive(name),
            _ => kernel.release_send(name),
        };
    }
}

/// Memory that came with a message. Unmapped when dropped.
pub(crate) struct Region<K: Kernel> {
    kernel: K,
    address: u64,
    bytes: usize,
}

#[expect(unsafe_code, reason = "memory by its address")]
impl<K: Kernel> Region<K> {
    /// Takes over memory that the kernel has mapped.
    ///
    /// # Safety
    /// The kernel has mapped it at this address with this length, and no one else takes it over.
    pub(crate) unsafe fn new(kernel: &K, address: u64, bytes: usize) -> Self {
        Self { kernel: kernel.clone(), address, bytes }
    }
}

impl<K: Kernel> Deref for Region<K> {
    type Target = [u8];

    #[inline]
    #[expect(unsafe_code, reason = "memory by its address")]
    fn deref(&self) -> &[u8] {
        match usize::try_from(self.address) {
            // SAFETY: the kernel has mapped it only for this process, and it stays until this value is dropped.
            Ok(address) if self.bytes > 0 => unsafe {
                std::slice::from_raw_parts(ptr::with_exposed_provenance(address), self.bytes)
            },
            _ => &[],
        }
    }
}

impl<K: Kernel> Drop for Region<K> {
    #[expect(unsafe_code, reason = "memory by its address")]
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: the region owns it, and nothing borrows from it any more. Failure would leave it mapped.
            let _ = unsafe { self.kernel.unmap(self.address, self.bytes) };
        }
    }
}
