//! `named-pipe-message-overlapped`: a duplex pipe of Windows with a name, for messages, with calls whose completions are awaited at a port.

use super::named_pipe::NamedPipeTransport;

pub(crate) static NAMED_PIPE_MESSAGE_OVERLAPPED: NamedPipeTransport = NamedPipeTransport {
    slug: "named-pipe-message-overlapped",
    title: "Named pipe, messages, overlapped",
    about: "It carries messages: each is one overlapped WriteFile and one overlapped ReadFile, whose completions are awaited at a \
            completion port, and is copied into the kernel and out of it.",
    messages: true,
    overlapped: true,
    transacts: false,
};
