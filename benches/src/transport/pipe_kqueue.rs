//! `pipe-kqueue`: two anonymous pipes, one per direction, whose receivers wait in kevent(2) first: macOS and FreeBSD.

use super::family::pipe::ReadyPipe;
use crate::system::System;

pub(crate) static PIPE_KQUEUE: ReadyPipe = ReadyPipe {
    slug: "pipe-kqueue",
    title: "Pipe, kqueue",
    mechanism: "kqueue",
    call: "kevent",
    systems: &[System::FreeBsd.always(), System::MacOs.always()],
};
