//! Windows: a file mapping, known by a random number in it, because the kernel gives its objects no number of their own.

use crate::sys::handle::Handle;
use crate::sys::shared_memory::{self, Mapping};
use std::io;

const BYTES: usize = 4096;

pub(super) fn make() -> io::Result<Handle> {
    let memory = shared_memory::create(BYTES)?;
    let mut mapping = Mapping::new(&memory, BYTES)?;
    mapping.contents_mut()[..size_of::<u64>()].copy_from_slice(&rand::random::<u64>().to_le_bytes());
    Ok(memory)
}

pub(super) fn identity(handle: &Handle) -> io::Result<u64> {
    let mapping = Mapping::new(handle, BYTES)?;
    let mut number = [0; size_of::<u64>()];
    number.copy_from_slice(&mapping.contents()[..size_of::<u64>()]);
    Ok(u64::from_le_bytes(number))
}
