//! `mach-ool-physical`: a message is out-of-line memory of a Mach message, copied by the kernel
//! (`MACH_MSG_PHYSICAL_COPY`), and not read. [`super::mach_ool_physical_read`] includes the cost of reading it.

use super::family::mach::MachTransport;
use crate::link::mach::{Copying, Form};

pub(crate) static MACH_OOL_PHYSICAL: MachTransport = MachTransport {
    slug: "mach-ool-physical",
    title: "Mach out-of-line memory, copied",
    semantics: "Out-of-line memory of a Mach message (MACH_MSG_PHYSICAL_COPY), copied once by the kernel \
     and mapped into the receiver, which unmaps it without touching a page. At most 7 MiB.",
    form: Form::out_of_line(Copying::Physical, false),
};
