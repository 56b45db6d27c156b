//! `mach-ool-physical-read`: as [`super::mach_ool_physical`], and one byte of every page read.

use super::family::mach::MachTransport;
use crate::link::mach::{Copying, Form};

pub(crate) static MACH_OOL_PHYSICAL_READ: MachTransport = MachTransport {
    slug: "mach-ool-physical-read",
    title: "Mach out-of-line memory, copied, every page read",
    semantics: "A message is memory that a Mach message describes (MACH_MSG_PHYSICAL_COPY): the kernel copies it \
                once, to pages that it maps into the receiver, which reads one byte of every page, and unmaps them \
                when done. At most 7 MiB.",
    form: Form::out_of_line(Copying::Physical, true),
};
