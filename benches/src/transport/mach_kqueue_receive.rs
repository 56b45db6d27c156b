//! `mach-kqueue-receive`: Mach messages, received inside the call that waits for the kqueue (`EVFILT_MACHPORT` with
//! `MACH_RCV_MSG`).

use super::family::mach::MachTransport;
use crate::link::mach::{Arrival, Form};

pub(crate) static MACH_KQUEUE_RECEIVE: MachTransport = MachTransport {
    slug: "mach-kqueue-receive",
    title: "Mach message, received by kqueue",
    semantics: "Like mach-inline, but kevent64 also receives the message (EVFILT_MACHPORT with \
     MACH_RCV_MSG): one call per message.",
    form: Form::inline(Arrival::ByEvent),
};
