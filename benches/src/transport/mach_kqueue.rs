//! `mach-kqueue`: Mach messages, announced by a kqueue that watches the port (`EVFILT_MACHPORT`), event only. This did
//! not exist yet for Chromium's document from 2008, which needs a thread instead: [`super::mach_kqueue_bridge`].

use super::family::mach::MachTransport;
use crate::link::mach::{Arrival, Form};

pub(crate) static MACH_KQUEUE: MachTransport = MachTransport {
    slug: "mach-kqueue",
    title: "Mach message, kqueue event",
    semantics: "Like mach-inline, but the receiver waits in kevent64 (EVFILT_MACHPORT), then calls \
     mach_msg: two calls per message.",
    form: Form::inline(Arrival::Event),
};
