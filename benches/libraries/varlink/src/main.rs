//! varlink over a Unix socket: a method call for each message.

use crate::org_example_echo::{Call_Echo, VarlinkClient, VarlinkClientInterface, VarlinkInterface};
use roundtrip_protocol::{Initiator, Library, Responder, Result};
use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::process::ExitCode;
use varlink::{Connection, ConnectionHandler, ErrorKind, Listener, VarlinkService};

// Generated from org.example.echo.varlink by varlink_generator.
mod org_example_echo;

impl VarlinkInterface for Responder {
    fn echo(&self, call: &mut dyn Call_Echo, payload: String) -> varlink::Result<()> {
        self.count(payload.as_bytes()).map_err(|error| ErrorKind::InvalidParameter(error.to_string()))?;
        if call.is_oneway() { Ok(()) } else { call.reply(payload) }
    }
}

struct Client(VarlinkClient);

impl Initiator for Client {
    fn call(&mut self, message: &[u8]) -> Result<impl Deref<Target = [u8]>> {
        Ok(self.0.echo(String::from_utf8(message.to_vec())?).call()?.payload.into_bytes())
    }

    fn send(&mut self, message: &[u8]) -> Result<()> {
        Ok(self.0.echo(String::from_utf8(message.to_vec())?).oneway()?)
    }
}

fn main() -> ExitCode {
    let library = Library {
        version: roundtrip_protocol::locked_version(include_str!("../Cargo.lock"), "varlink"),
        settings: "payload as a string, without base64",
        can_stream: true,
        max_message_bytes: usize::MAX,
    };
    roundtrip_protocol::run(
        &library,
        |start| {
            let address = format!("unix:{}", start.socket_path()?.display());
            start.responder(&address)?;
            Ok(Client(VarlinkClient::new(Connection::with_address(&address)?)))
        },
        |responder| {
            let interface = org_example_echo::new(Box::new(responder.clone()));
            let service = VarlinkService::new("Roundtrip", "echo", "1", "", vec![Box::new(interface)]);
            let listener = Listener::new(responder.address())?;
            responder.ready()?;
            let (reader, mut writer) = listener.accept(0)?.split()?;
            let mut reader = BufReader::new(reader);
            while !reader.fill_buf()?.is_empty() {
                service.handle(&mut reader, &mut writer, None)?;
            }
            Ok(())
        },
    )
}
