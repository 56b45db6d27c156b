//! `mach-ool-read`: like [`super::mach_ool`], with one byte of every page read.

use super::family::mach::MachTransport;
use crate::link::mach::{Copying, Form};

pub(crate) static MACH_OOL_READ: MachTransport = MachTransport {
    slug: "mach-ool-read",
    title: "Mach out-of-line memory, every page read",
    semantics: "Like mach-ool, but the receiver reads one byte of each page.",
    form: Form::out_of_line(Copying::Virtual, true),
};
