//! `mach-kqueue-bridge`: Mach messages, received by a thread that writes a byte for each to a pipe, which a kqueue
//! watches. The design that Chromium's document from 2008 measured, and rejected for its cost.

use super::family::mach::MachTransport;
use crate::link::mach::{Arrival, Form};

pub(crate) static MACH_KQUEUE_BRIDGE: MachTransport = MachTransport {
    slug: "mach-kqueue-bridge",
    title: "Mach message, thread and pipe to kqueue",
    semantics: "Like mach-inline, but a helper thread receives messages, queues up to five in memory and \
     writes a byte to a pipe. The measured thread waits on the pipe with kevent64.",
    form: Form::inline(Arrival::Bridge),
};
