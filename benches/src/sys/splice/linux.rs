//! Linux: vmsplice(2) and splice(2), without `SPLICE_F_GIFT`: the pages stay the sender's.

use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use rustix::pipe::{IoSliceRaw, SpliceFlags, pipe, splice, vmsplice};
use std::io;

#[expect(clippy::unnecessary_wraps, reason = "the contract lets other systems refuse")]
pub(super) fn support() -> Result<(), Unsupported> {
    Ok(())
}

pub(super) fn memory_support() -> Result<(), Unsupported> {
    let put = || {
        let (_reader, writer) = pipe()?;
        memory(&Handle::from(writer), &[1])
    };
    put().map(drop).map_err(|error| {
        Unsupported::because(format!("vmsplice is refused ({error}): a seccomp filter may forbid it"))
    })
}

#[inline]
#[expect(unsafe_code, reason = "the kernel keeps a reference to the pages")]
pub(super) fn memory(pipe: &Handle, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: the kernel only reads the pages, and holds them itself until they are read.
    Ok(unsafe { vmsplice(pipe, &[IoSliceRaw::from_slice(bytes)], SpliceFlags::empty()) }?)
}

#[inline]
pub(super) fn object(pipe: &Handle, object: &Handle, offset: &mut u64, bytes: usize) -> io::Result<usize> {
    Ok(splice(object, Some(offset), pipe, None, bytes, SpliceFlags::empty())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_put_into_pipes_unless_a_filter_refuses_it() {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        if status.contains("Seccomp:\t0") {
            memory_support().unwrap();
        } else {
            println!("not run: a filter of system calls may refuse vmsplice");
        }
    }
}
