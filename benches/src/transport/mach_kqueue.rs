//! `mach-kqueue`: Mach messages, announced by a kqueue that watches the port (`EVFILT_MACHPORT`), event only.
//! Chromium's document of 2008 says that there is no such thing yet, and needs a thread instead:
//! [`super::mach_kqueue_bridge`].

use super::family::mach::MachTransport;
use crate::link::mach::{Arrival, Form};

pub(crate) static MACH_KQUEUE: MachTransport = MachTransport {
    slug: "mach-kqueue",
    title: "Mach message, kqueue event",
    semantics: "As mach-inline, but a message is awaited by kevent64 (EVFILT_MACHPORT), which says that it is there, \
                and then received by mach_msg: two calls a message. It is copied into the message, into the kernel \
                and out of it.",
    form: Form::inline(Arrival::Event),
};
