//! `mach-inline`: a message is copied into a Mach message (`mach_msg`). What Chromium's document of 2008 calls Mach.

use super::family::mach::MachTransport;
use crate::link::mach::{Arrival, Form};

pub(crate) static MACH_INLINE: MachTransport = MachTransport {
    slug: "mach-inline",
    title: "Mach message, inline",
    semantics: "A message lies in a Mach message (mach_msg): it is copied into the message, into the kernel and out \
                of it, and looked at where it arrived. A port holds five messages, the default; a send that finds no \
                room for 100 ms gets the message back and is tried again.",
    form: Form::inline(Arrival::Call),
};
