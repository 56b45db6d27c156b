//! `named-pipe-overlapped`: a duplex pipe of Windows with a name, for bytes, with calls whose completions are awaited at a port.

use super::named_pipe::NamedPipeTransport;

pub(crate) static NAMED_PIPE_OVERLAPPED: NamedPipeTransport = NamedPipeTransport {
    slug: "named-pipe-overlapped",
    title: "Named pipe, overlapped",
    about: "It carries bytes: a message is copied into the kernel by an overlapped WriteFile and out of it by an overlapped \
            ReadFile, whose completions are awaited at a completion port.",
    messages: false,
    overlapped: true,
    transacts: false,
};
