//! NNG over `ipc://`: a pair of sockets.

use nng::{Protocol, Socket};
use roundtrip_protocol::{Channel, Library, Result};
use std::ops::Deref;
use std::process::ExitCode;

struct NngSocket(Socket);

impl Channel for NngSocket {
    fn send(&self, message: &[u8]) -> Result<()> {
        self.0.send(message).map_err(|(_, error)| error.into())
    }

    fn receive(&self) -> Result<impl Deref<Target = [u8]>> {
        Ok(self.0.recv()?)
    }
}

fn main() -> ExitCode {
    let lock = include_str!("../Cargo.lock");
    let version = |package| roundtrip_protocol::locked_version(lock, package);
    let library = Library {
        version: format!("{}, nng-sys {}", version("nng"), version("nng-sys")),
        settings: "pair version 0",
        can_stream: true,
        max_message_bytes: usize::MAX,
    };
    roundtrip_protocol::run(
        &library,
        |start| {
            let address = format!("ipc://{}", start.socket_path()?.display());
            start.responder(&address)?;
            let socket = Socket::new(Protocol::Pair0)?;
            socket.dial(&address)?;
            Ok(NngSocket(socket))
        },
        |responder| {
            let socket = Socket::new(Protocol::Pair0)?;
            socket.listen(responder.address())?;
            responder.ready()?;
            responder.serve(&NngSocket(socket))
        },
    )
}
