//! `mach-inline`: a message is copied into a Mach message (`mach_msg`). Chromium's document from 2008 calls this Mach.

use super::family::mach::MachTransport;
use crate::link::mach::{Arrival, Form};

pub(crate) static MACH_INLINE: MachTransport = MachTransport {
    slug: "mach-inline",
    title: "Mach message, inline",
    semantics: "Data inside a Mach message (mach_msg), copied into the message, into the kernel and out of \
     it. The port queue has the default length of 5; a send that times out after 100 ms is retried.",
    form: Form::inline(Arrival::Call),
};
