//! `mach-ool-physical`: a message is out-of-line memory of a Mach message, copied by the kernel
//! (`MACH_MSG_PHYSICAL_COPY`), and not looked at. What it costs to read it is in [`super::mach_ool_physical_read`].

use super::family::mach::MachTransport;
use crate::link::mach::{Copying, Form};

pub(crate) static MACH_OOL_PHYSICAL: MachTransport = MachTransport {
    slug: "mach-ool-physical",
    title: "Mach out-of-line memory, copied",
    semantics: "A message is memory that a Mach message describes (MACH_MSG_PHYSICAL_COPY): the kernel copies it \
                once, to pages that it maps into the receiver, which unmaps them when done. The receiver touches no \
                page while the clock runs. At most 7 MiB.",
    form: Form::out_of_line(Copying::Physical, false),
};
