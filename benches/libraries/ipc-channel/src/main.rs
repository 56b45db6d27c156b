//! ipc-channel: a channel for each direction, opened with a one-shot server.

use ipc_channel::ipc::{
    self, IpcBytesReceiver, IpcBytesSender, IpcOneShotServer, IpcReceiver, IpcSender, IpcSharedMemory,
};
use roundtrip_protocol::{Channel, Library, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::ops::Deref;
use std::process::ExitCode;

/// One process's ends of both channels.
#[derive(Serialize, Deserialize)]
struct Ends<S, R> {
    sender: S,
    receiver: R,
}

impl Channel for Ends<IpcBytesSender, IpcBytesReceiver> {
    fn send(&self, message: &[u8]) -> Result<()> {
        Ok(self.sender.send(message)?)
    }

    fn receive(&self) -> Result<impl Deref<Target = [u8]>> {
        Ok(self.receiver.recv()?)
    }
}

impl Channel for Ends<IpcSender<Vec<u8>>, IpcReceiver<Vec<u8>>> {
    fn send(&self, message: &[u8]) -> Result<()> {
        Ok(self.sender.send(message.to_vec())?)
    }

    fn receive(&self) -> Result<impl Deref<Target = [u8]>> {
        Ok(self.receiver.recv()?)
    }
}

impl Channel for Ends<IpcSender<IpcSharedMemory>, IpcReceiver<IpcSharedMemory>> {
    fn send(&self, message: &[u8]) -> Result<()> {
        Ok(self.sender.send(IpcSharedMemory::from_bytes(message))?)
    }

    fn receive(&self) -> Result<impl Deref<Target = [u8]>> {
        Ok(self.receiver.recv()?)
    }
}

fn run<S, R>(settings: &'static str, open: fn() -> io::Result<(S, R)>) -> ExitCode
where
    Ends<S, R>: Channel + Serialize + DeserializeOwned,
{
    let library = Library {
        version: roundtrip_protocol::locked_version(include_str!("../Cargo.lock"), "ipc-channel"),
        settings,
        can_stream: true,
        max_message_bytes: usize::MAX,
    };
    roundtrip_protocol::run(
        &library,
        |start| {
            let (server, name) = IpcOneShotServer::<Ends<S, R>>::new()?;
            start.responder(name)?;
            let (_, ends) = server.accept()?;
            Ok(ends)
        },
        |responder| {
            responder.ready()?;
            let (to_responder, from_initiator) = open()?;
            let (to_initiator, from_responder) = open()?;
            let server = IpcSender::connect(responder.address().to_owned())?;
            server.send(Ends { sender: to_responder, receiver: from_responder })?;
            responder.serve(&Ends { sender: to_initiator, receiver: from_initiator })
        },
    )
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("bytes") => run("bytes_channel, without serialization", ipc::bytes_channel),
        Some("shared-memory") => run("IpcSharedMemory for each message", ipc::channel::<IpcSharedMemory>),
        _ => run("messages of type Vec<u8>", ipc::channel::<Vec<u8>>),
    }
}
