//! Puts memory into a pipe by reference instead of by copy: the pipe then holds the same pages.

use super::Unsupported;
use super::handle::Handle;
use std::io;

pub(crate) use imp::support;

/// Checks that [`memory`] is permitted: system-call filters in containers reject it and permit [`object`].
pub(crate) use imp::memory_support;

/// Puts pages of this process into the pipe, waiting while it is full; returns how many bytes. Until the other end has
/// read them, writing to this memory changes the data that it will read.
pub(crate) use imp::memory;

/// Puts pages of a memory object into the pipe from an offset, which advances; returns how many bytes.
pub(crate) use imp::object;

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: vmsplice(2) and splice(2), without `SPLICE_F_GIFT`: the sender keeps the pages.

    use super::*;
    use rustix::pipe::{IoSliceRaw, SpliceFlags, pipe, splice, vmsplice};

    pub(crate) fn support() -> Result<(), Unsupported> {
        Ok(())
    }

    pub(crate) fn memory_support() -> Result<(), Unsupported> {
        let put = || {
            let (_reader, writer) = pipe()?;
            memory(&Handle::from(writer), &[1])
        };
        put().map(drop).map_err(|error| {
            Unsupported::because(format!("vmsplice failed ({error}): possibly blocked by a seccomp filter"))
        })
    }

    #[inline]
    #[expect(unsafe_code, reason = "the kernel keeps a reference to the pages")]
    pub(crate) fn memory(pipe: &Handle, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: the kernel only reads the pages, and holds them itself until they are read.
        Ok(unsafe { vmsplice(pipe, &[IoSliceRaw::from_slice(bytes)], SpliceFlags::empty()) }?)
    }

    #[inline]
    pub(crate) fn object(
        pipe: &Handle,
        object: &Handle,
        offset: &mut u64,
        bytes: usize,
    ) -> io::Result<usize> {
        Ok(splice(object, Some(offset), pipe, None, bytes, SpliceFlags::empty())?)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn vmsplice_works_unless_filtered() {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            if status.contains("Seccomp:\t0") {
                memory_support().unwrap();
            } else {
                println!("not run: a filter of system calls may refuse vmsplice");
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    //! Systems without this call.

    use super::*;
    pub(crate) fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("splice and vmsplice exist only on Linux"))
    }

    pub(crate) fn memory_support() -> Result<(), Unsupported> {
        support()
    }

    missing! {
        pub(crate) fn memory(&Handle, &[u8]) -> usize;
        pub(crate) fn object(&Handle, &Handle, &mut u64, usize) -> usize;
    }
}
