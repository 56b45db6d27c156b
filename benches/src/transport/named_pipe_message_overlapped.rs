//! `named-pipe-message-overlapped`: a named duplex pipe on Windows, for messages, with calls that wait for completion
//! at a port.

use super::named_pipe::NamedPipeTransport;

pub(crate) static NAMED_PIPE_MESSAGE_OVERLAPPED: NamedPipeTransport = NamedPipeTransport {
    slug: "named-pipe-message-overlapped",
    title: "Named pipe, messages, overlapped",
    about: "Message mode: one overlapped WriteFile and ReadFile per message, completed at a completion port.",
    messages: true,
    overlapped: true,
    transacts: false,
};
