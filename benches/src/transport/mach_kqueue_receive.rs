//! `mach-kqueue-receive`: Mach messages, received inside the call that waits for the kqueue (`EVFILT_MACHPORT` with
//! `MACH_RCV_MSG`).

use super::family::mach::MachTransport;
use crate::link::mach::{Arrival, Form};

pub(crate) static MACH_KQUEUE_RECEIVE: MachTransport = MachTransport {
    slug: "mach-kqueue-receive",
    title: "Mach message, received by kqueue",
    semantics: "As mach-inline, but kevent64 waits for a message and receives it (EVFILT_MACHPORT with \
                MACH_RCV_MSG): one call a message. It is copied into the message, into the kernel and out of it.",
    form: Form::inline(Arrival::ByEvent),
};
