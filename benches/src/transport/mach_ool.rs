//! `mach-ool`: a message is out-of-line memory of a Mach message, mapped but not read (`MACH_MSG_VIRTUAL_COPY`).
//! Chromium's document from 2008 calls this Mach OOL. [`super::mach_ool_read`] includes the cost of reading it.

use super::family::mach::MachTransport;
use crate::link::mach::{Copying, Form};

pub(crate) static MACH_OOL: MachTransport = MachTransport {
    slug: "mach-ool",
    title: "Mach out-of-line memory, mapped only",
    semantics: "Out-of-line memory of a Mach message (MACH_MSG_VIRTUAL_COPY), mapped copy-on-write into the \
     receiver, which unmaps it. No page is touched while timed; a later write copies its page. The kernel \
     copies small messages and partial last pages instead.",
    form: Form::out_of_line(Copying::Virtual, false),
};
