//! `mach-ool-read`: as [`super::mach_ool`], and one byte of every page read.

use super::family::mach::MachTransport;
use crate::link::mach::{Copying, Form};

pub(crate) static MACH_OOL_READ: MachTransport = MachTransport {
    slug: "mach-ool-read",
    title: "Mach out-of-line memory, every page read",
    semantics: "A message is memory that a Mach message describes (MACH_MSG_VIRTUAL_COPY): the kernel maps its pages \
                into the receiver, copy-on-write, which reads one byte of every page, and unmaps them when done. Who \
                writes there after sending pays for the copy of each page. What is small, and the rest of a last \
                page, the kernel copies instead.",
    form: Form::out_of_line(Copying::Virtual, true),
};
