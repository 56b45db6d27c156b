//! `pipe-epoll`: two anonymous pipes, one per direction, whose receivers wait in `epoll_wait(2)` first: Linux.

use super::family::pipe::ReadyPipe;
use crate::system;

pub(crate) static PIPE_EPOLL: ReadyPipe = ReadyPipe {
    slug: "pipe-epoll",
    title: "Pipe, epoll",
    mechanism: "epoll",
    call: "epoll_wait",
    systems: system::LINUX,
};
