//! ZeroMQ over `ipc://`: a request and a reply socket, or for `stream` a push and a pull socket.

use roundtrip_protocol::{Case, Channel, Library, Result};
use std::ops::Deref;
use std::process::ExitCode;
use zmq::{Context, PAIR, PULL, PUSH, REP, REQ, Socket, SocketEvent};

struct ZmqSocket(Socket);

impl Channel for ZmqSocket {
    fn send(&self, message: &[u8]) -> Result<()> {
        Ok(self.0.send(message, 0)?)
    }

    fn receive(&self) -> Result<impl Deref<Target = [u8]>> {
        Ok(self.0.recv_msg(0)?)
    }
}

fn socket(
    context: &Context,
    case: &Case,
    roundtrip: zmq::SocketType,
    stream: zmq::SocketType,
) -> Result<Socket> {
    Ok(context.socket(if case.is_stream() { stream } else { roundtrip })?)
}

/// Connects, and waits until that is done: `connect` returns before.
fn connect(context: &Context, socket: &Socket, address: &str) -> Result<()> {
    const EVENTS: &str = "inproc://events";
    socket.monitor(EVENTS, SocketEvent::CONNECTED as i32)?;
    let events = context.socket(PAIR)?;
    events.connect(EVENTS)?;
    socket.connect(address)?;
    events.recv_multipart(0)?;
    Ok(())
}

fn main() -> ExitCode {
    let crate_version = roundtrip_protocol::locked_version(include_str!("../Cargo.lock"), "zmq");
    let (major, minor, patch) = zmq::version();
    let library = Library {
        version: format!("{crate_version}, libzmq {major}.{minor}.{patch}"),
        settings: "REQ and REP, PUSH and PULL, one I/O thread",
        can_stream: true,
        max_message_bytes: usize::MAX,
    };
    roundtrip_protocol::run(
        &library,
        |start| {
            let address = format!("ipc://{}", start.socket_path()?.display());
            start.responder(&address)?;
            let context = Context::new();
            let socket = socket(&context, start.case(), REQ, PUSH)?;
            connect(&context, &socket, &address)?;
            Ok(ZmqSocket(socket))
        },
        |responder| {
            let socket = socket(&Context::new(), responder.case(), REP, PULL)?;
            socket.bind(responder.address())?;
            responder.ready()?;
            responder.serve(&ZmqSocket(socket))
        },
    )
}
