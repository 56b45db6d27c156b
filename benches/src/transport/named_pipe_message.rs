//! `named-pipe-message`: a duplex pipe of Windows with a name, for messages, with calls that wait.

use super::named_pipe::NamedPipeTransport;

pub(crate) static NAMED_PIPE_MESSAGE: NamedPipeTransport = NamedPipeTransport {
    slug: "named-pipe-message",
    title: "Named pipe, messages",
    about: "It carries messages: each is one WriteFile and one ReadFile, both of which wait, and is copied into the kernel and out \
            of it.",
    messages: true,
    overlapped: false,
    transacts: false,
};
