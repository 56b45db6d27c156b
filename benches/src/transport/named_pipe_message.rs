//! `named-pipe-message`: a named duplex pipe on Windows, for messages, with blocking calls.

use super::named_pipe::NamedPipeTransport;

pub(crate) static NAMED_PIPE_MESSAGE: NamedPipeTransport = NamedPipeTransport {
    slug: "named-pipe-message",
    title: "Named pipe, messages",
    about: "Message mode: one blocking WriteFile and ReadFile per message.",
    messages: true,
    overlapped: false,
    transacts: false,
};
