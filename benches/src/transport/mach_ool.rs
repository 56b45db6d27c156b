//! `mach-ool`: a message is out-of-line memory of a Mach message, mapped but not looked at (`MACH_MSG_VIRTUAL_COPY`).
//! What Chromium's document of 2008 calls Mach OOL. What it costs to read it is in [`super::mach_ool_read`].

use super::family::mach::MachTransport;
use crate::link::mach::{Copying, Form};

pub(crate) static MACH_OOL: MachTransport = MachTransport {
    slug: "mach-ool",
    title: "Mach out-of-line memory, mapped only",
    semantics: "A message is memory that a Mach message describes (MACH_MSG_VIRTUAL_COPY): the kernel maps its pages \
                into the receiver, copy-on-write, and the receiver unmaps them when done. No page is touched while \
                the clock runs; who writes there after sending pays for the copy of each page. What is small, and \
                the rest of a last page, the kernel copies instead.",
    form: Form::out_of_line(Copying::Virtual, false),
};
