//! An object to pass to another process, and its identity there.

use super::handle::Handle;
use std::io;

/// Creates an object that can be passed: a pipe's reader on Unix, a file mapping on Windows.
pub(crate) use imp::make;

/// A number that is the same for this object in every process, and rarely equal for two objects.
pub(crate) use imp::identity;

#[cfg(unix)]
mod imp {
    //! Unix: a pipe's reader, identified by its file number (fstat(2)).

    use super::*;
    use rustix::fs::fstat;

    pub(crate) fn make() -> io::Result<Handle> {
        io::pipe().map(|(reader, _writer)| reader.into())
    }

    pub(crate) fn identity(handle: &Handle) -> io::Result<u64> {
        Ok(fstat(handle)?.st_ino)
    }
}

#[cfg(windows)]
mod imp {
    //! Windows: a file mapping, identified by a random number in it, because kernel objects have no number.

    use super::*;
    use crate::sys::shared_memory::{self, Mapping};

    const BYTES: usize = 4096;

    pub(crate) fn make() -> io::Result<Handle> {
        let memory = shared_memory::create(BYTES)?;
        let mut mapping = Mapping::new(&memory, BYTES)?;
        mapping.contents_mut()[..size_of::<u64>()].copy_from_slice(&rand::random::<u64>().to_le_bytes());
        Ok(memory)
    }

    pub(crate) fn identity(handle: &Handle) -> io::Result<u64> {
        let mapping = Mapping::new(handle, BYTES)?;
        let mut number = [0; size_of::<u64>()];
        number.copy_from_slice(&mapping.contents()[..size_of::<u64>()]);
        Ok(u64::from_le_bytes(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_distinguishes_objects() {
        let one = make().unwrap();
        assert_eq!(identity(&one).unwrap(), identity(&one.try_clone().unwrap()).unwrap());
        assert_ne!(identity(&one).unwrap(), identity(&make().unwrap()).unwrap());
    }
}
