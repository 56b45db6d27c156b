//! interprocess: a local socket, which is a Unix socket or a named pipe of Windows.

use interprocess::local_socket::{GenericNamespaced, ListenerOptions, Stream, prelude::*};
use roundtrip_protocol::{Channel, Library, Result};
use std::cell::RefCell;
use std::io::{Read, Write};
use std::ops::Deref;
use std::process::ExitCode;

struct Connection {
    stream: Stream,
    /// The received message. A local socket is a stream of bytes, but both ends know the length.
    message: RefCell<Vec<u8>>,
}

impl Channel for Connection {
    fn send(&self, message: &[u8]) -> Result<()> {
        Ok((&self.stream).write_all(message)?)
    }

    fn receive(&self) -> Result<impl Deref<Target = [u8]>> {
        (&self.stream).read_exact(&mut self.message.borrow_mut())?;
        Ok(std::cell::Ref::map(self.message.borrow(), Vec::as_slice))
    }
}

fn main() -> ExitCode {
    let library = Library {
        version: roundtrip_protocol::locked_version(include_str!("../Cargo.lock"), "interprocess"),
        settings: "local_socket::Stream, blocking",
        can_stream: true,
        max_message_bytes: usize::MAX,
    };
    roundtrip_protocol::run(
        &library,
        |start| {
            let name = format!("roundtrip-{}.sock", std::process::id());
            start.responder(&name)?;
            let stream = Stream::connect(name.to_ns_name::<GenericNamespaced>()?)?;
            let message = RefCell::new(vec![0; start.case().message_bytes]);
            Ok(Connection { stream, message })
        },
        |responder| {
            let name = responder.address().to_ns_name::<GenericNamespaced>()?;
            let listener = ListenerOptions::new().name(name).create_sync()?;
            responder.ready()?;
            let stream = listener.accept()?;
            // Removes the name where it is a file.
            drop(listener);
            let message = RefCell::new(vec![0; responder.case().message_bytes]);
            responder.serve(&Connection { stream, message })
        },
    )
}
