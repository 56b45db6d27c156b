//! `mach-ool-physical-read`: like [`super::mach_ool_physical`], with one byte of every page read.

use super::family::mach::MachTransport;
use crate::link::mach::{Copying, Form};

pub(crate) static MACH_OOL_PHYSICAL_READ: MachTransport = MachTransport {
    slug: "mach-ool-physical-read",
    title: "Mach out-of-line memory, copied, every page read",
    semantics: "Like mach-ool-physical, but the receiver reads one byte of each page.",
    form: Form::out_of_line(Copying::Physical, true),
};
