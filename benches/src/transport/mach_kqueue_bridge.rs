//! `mach-kqueue-bridge`: Mach messages, received by a thread that tells of each by a byte in a pipe, which a kqueue
//! watches. The design that Chromium's document of 2008 measured, and rejected for its price.

use super::family::mach::MachTransport;
use crate::link::mach::{Arrival, Form};

pub(crate) static MACH_KQUEUE_BRIDGE: MachTransport = MachTransport {
    slug: "mach-kqueue-bridge",
    title: "Mach message, thread and pipe to kqueue",
    semantics: "As mach-inline, but a thread of the receiver's process receives a message (mach_msg), hands it over \
                in memory, at most five at once, and writes one byte into a pipe; the measuring thread waits for the \
                pipe by kevent64, reads the byte and takes the message. It is copied into the message, into the \
                kernel and out of it.",
    form: Form::inline(Arrival::Bridge),
};
