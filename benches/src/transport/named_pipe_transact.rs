//! `named-pipe-transact`: a duplex pipe of Windows with a name, whose initiator asks and is answered in one call (`TransactNamedPipe`).

use super::named_pipe::NamedPipeTransport;

pub(crate) static NAMED_PIPE_TRANSACT: NamedPipeTransport = NamedPipeTransport {
    slug: "named-pipe-transact",
    title: "Named pipe, transaction",
    about: "It carries messages: the initiator sends one and awaits its answer in one TransactNamedPipe, the responder answers with \
            ReadFile and WriteFile, which wait. A message is copied into the kernel and out of it.",
    messages: true,
    overlapped: false,
    transacts: true,
};
