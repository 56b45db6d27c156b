//! `mach-ool-physical-read`: as [`super::mach_ool_physical`], and one byte of every page read.

use super::family::mach::MachTransport;
use crate::link::mach::{Arrival, Carriage, Copying, Form};

/// See the module.
pub static MACH_OOL_PHYSICAL_READ: MachTransport = MachTransport {
    slug: "mach-ool-physical-read",
    title: "Mach out-of-line memory, copied, every page read",
    semantics: "A message is memory that a Mach message describes (MACH_MSG_PHYSICAL_COPY): the kernel copies it \
                once, to pages that it maps into the receiver, which reads one byte of every page, and unmaps them \
                when done. At most 7 MiB.",
    form: Form {
        carriage: Carriage::OutOfLine(Copying::Physical),
        arrival: Arrival::Call,
        reads_every_page: true,
    },
};
