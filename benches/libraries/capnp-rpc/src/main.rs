//! Cap'n Proto RPC over a Unix socket: a call for each message.

use crate::echo_capnp::echo;
use capnp::capability::Response;
use capnp_rpc::rpc_twoparty_capnp::Side;
use capnp_rpc::{RpcSystem, twoparty};
use futures::AsyncReadExt;
use futures::io::{BufReader, BufWriter};
use roundtrip_protocol::{Initiator, Library, Responder, Result};
use std::ops::Deref;
use std::process::ExitCode;
use std::rc::Rc;
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;
use tokio_util::compat::TokioAsyncReadCompatExt;

// Generated from echo.capnp by capnpc.
mod echo_capnp;

impl echo::Server for Responder {
    async fn call(
        self: Rc<Self>,
        params: echo::CallParams,
        mut results: echo::CallResults,
    ) -> capnp::Result<()> {
        let payload = params.get()?.get_payload()?;
        self.count(payload).map_err(|error| capnp::Error::failed(error.to_string()))?;
        results.get().set_payload(payload);
        Ok(())
    }
}

/// Read in place. It is empty if it cannot be read, which fails the check of its length.
struct Answer(Response<echo::call_results::Owned>);

impl Deref for Answer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.get().and_then(|results| results.get_payload()).unwrap_or_default()
    }
}

struct Client {
    runtime: Runtime,
    tasks: LocalSet,
    echo: echo::Client,
}

impl Initiator for Client {
    fn call(&mut self, message: &[u8]) -> Result<impl Deref<Target = [u8]>> {
        let mut request = self.echo.call_request();
        request.get().set_payload(message);
        Ok(Answer(self.tasks.block_on(&self.runtime, request.send().promise)?))
    }
}

fn network(stream: UnixStream, side: Side) -> Box<twoparty::VatNetwork<impl futures::AsyncRead + Unpin>> {
    let (reader, writer) = stream.compat().split();
    let options = Default::default();
    Box::new(twoparty::VatNetwork::new(BufReader::new(reader), BufWriter::new(writer), side, options))
}

fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_io().build()?)
}

fn main() -> ExitCode {
    let library = Library {
        version: roundtrip_protocol::locked_version(include_str!("../Cargo.lock"), "capnp-rpc"),
        settings: "two parties, one thread each",
        // The client only writes while it waits for an answer, so the last messages of a stream could stay in its queue.
        can_stream: false,
        // By default, 64 MiB of a message can be read, and an answer is read twice.
        max_message_bytes: 16 * 1024 * 1024,
    };
    roundtrip_protocol::run(
        &library,
        |start| {
            let path = start.socket_path()?;
            start.responder(&path)?;
            let (runtime, tasks) = (runtime()?, LocalSet::new());
            let stream = runtime.block_on(UnixStream::connect(path))?;
            let mut system = RpcSystem::new(network(stream, Side::Client), None);
            let echo = system.bootstrap(Side::Server);
            tasks.spawn_local(system);
            Ok(Client { runtime, tasks, echo })
        },
        |responder| {
            LocalSet::new().block_on(&runtime()?, async {
                let listener = UnixListener::bind(responder.address())?;
                responder.ready()?;
                let (stream, _) = listener.accept().await?;
                let echo: echo::Client = capnp_rpc::new_client(responder.clone());
                Ok(RpcSystem::new(network(stream, Side::Server), Some(echo.client)).await?)
            })
        },
    )
}
