//! Something to give to another process, and how it is known again there.

use super::handle::Handle;
use std::io;

/// A new thing that can be given: a pipe's reader on Unix, a file mapping on Windows.
pub(crate) use imp::make;

/// A number that the same thing has in every process, and hardly another one.
pub(crate) use imp::identity;

#[cfg(unix)]
mod imp {
    //! Unix: a pipe's reader, known by the number of its file (fstat(2)).

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
    //! Windows: a file mapping, known by a random number in it, because the kernel gives its objects no number of their own.

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
    fn the_same_object_has_the_same_identity_and_another_has_not() {
        let one = make().unwrap();
        assert_eq!(identity(&one).unwrap(), identity(&one.try_clone().unwrap()).unwrap());
        assert_ne!(identity(&one).unwrap(), identity(&make().unwrap()).unwrap());
    }
}
