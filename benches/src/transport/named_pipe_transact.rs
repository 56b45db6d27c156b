//! `named-pipe-transact`: a named duplex pipe on Windows, whose initiator sends a question and receives the answer in
//! one call (`TransactNamedPipe`).

use super::named_pipe::NamedPipeTransport;

pub(crate) static NAMED_PIPE_TRANSACT: NamedPipeTransport = NamedPipeTransport {
    slug: "named-pipe-transact",
    title: "Named pipe, transaction",
    about: "Message mode: the initiator calls TransactNamedPipe for request and reply, the responder \
     blocking ReadFile and WriteFile.",
    messages: true,
    overlapped: false,
    transacts: true,
};
