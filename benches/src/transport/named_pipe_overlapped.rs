//! `named-pipe-overlapped`: a named duplex pipe on Windows, for bytes, with calls that wait for completion at a port.

use super::named_pipe::NamedPipeTransport;

pub(crate) static NAMED_PIPE_OVERLAPPED: NamedPipeTransport = NamedPipeTransport {
    slug: "named-pipe-overlapped",
    title: "Named pipe, overlapped",
    about: "Byte mode: overlapped WriteFile and ReadFile, completed at a completion port.",
    messages: false,
    overlapped: true,
    transacts: false,
};
