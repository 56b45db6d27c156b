//! gRPC with tonic over a Unix socket: a unary call for each message, or with the argument `stream` one call for all.

use crate::echo::Message;
use crate::echo::echo_client::EchoClient;
use crate::echo::echo_server::{Echo, EchoServer};
use roundtrip_protocol::{Initiator, Library, Responder, Result};
use std::ops::Deref;
use std::process::ExitCode;
use tokio::net::UnixListener;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::{ReceiverStream, UnixListenerStream};
use tonic::codegen::BoxStream;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status, Streaming};

// Generated from echo.proto by tonic-prost-build.
mod echo;

/// The default limit for decoding, 4 MiB, less the tag and the length of the payload.
const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024 - 5;

/// Larger than any message of the preset, so that none waits for a window update.
const WINDOW_BYTES: u32 = 4 * 1024 * 1024;

fn received(responder: &Responder, message: Message) -> tonic::Result<Message> {
    responder.count(&message.payload).map_err(|error| Status::invalid_argument(error.to_string()))?;
    Ok(message)
}

#[tonic::async_trait]
impl Echo for Responder {
    async fn call(&self, request: Request<Message>) -> tonic::Result<Response<Message>> {
        Ok(Response::new(received(self, request.into_inner())?))
    }

    type StreamStream = BoxStream<Message>;

    async fn stream(
        &self,
        request: Request<Streaming<Message>>,
    ) -> tonic::Result<Response<Self::StreamStream>> {
        let responder = self.clone();
        let answers = request.into_inner().filter_map(move |message| {
            match message.and_then(|message| received(&responder, message)) {
                Ok(_) if responder.case().is_stream() => None,
                answer => Some(answer),
            }
        });
        Ok(Response::new(Box::pin(answers)))
    }
}

struct Caller {
    runtime: Runtime,
    client: EchoClient<Channel>,
}

impl Initiator for Caller {
    fn call(&mut self, message: &[u8]) -> Result<impl Deref<Target = [u8]>> {
        let request = Message { payload: message.to_vec() };
        Ok(self.runtime.block_on(self.client.call(request))?.into_inner().payload)
    }
}

struct Streamer {
    runtime: Runtime,
    requests: mpsc::Sender<Message>,
    answers: Streaming<Message>,
}

impl Streamer {
    fn open(runtime: Runtime, mut client: EchoClient<Channel>) -> Result<Self> {
        let (requests, receiver) = mpsc::channel(128);
        let answers = runtime.block_on(client.stream(ReceiverStream::new(receiver)))?.into_inner();
        Ok(Self { runtime, requests, answers })
    }
}

impl Initiator for Streamer {
    fn call(&mut self, message: &[u8]) -> Result<impl Deref<Target = [u8]>> {
        self.send(message)?;
        let answer = self.runtime.block_on(self.answers.message())?;
        Ok(answer.ok_or("the server ended the stream")?.payload)
    }

    fn send(&mut self, message: &[u8]) -> Result<()> {
        Ok(self.requests.blocking_send(Message { payload: message.to_vec() })?)
    }
}

fn run<I: Initiator>(
    library: &Library,
    window_bytes: Option<u32>,
    open: fn(Runtime, EchoClient<Channel>) -> Result<I>,
) -> ExitCode {
    roundtrip_protocol::run(
        library,
        |start| {
            let path = start.socket_path()?;
            start.responder(&path)?;
            let endpoint = Endpoint::from_shared(format!("unix://{}", path.display()))?
                .initial_stream_window_size(window_bytes)
                .initial_connection_window_size(window_bytes);
            let runtime = Runtime::new()?;
            let channel = runtime.block_on(endpoint.connect())?;
            open(runtime, EchoClient::new(channel))
        },
        |responder| {
            Runtime::new()?.block_on(async {
                let listener = UnixListener::bind(responder.address())?;
                responder.ready()?;
                let server = Server::builder()
                    .initial_stream_window_size(window_bytes)
                    .initial_connection_window_size(window_bytes)
                    .add_service(EchoServer::new(responder.clone()));
                Ok(server.serve_with_incoming(UnixListenerStream::new(listener)).await?)
            })
        },
    )
}

fn main() -> ExitCode {
    let is_stream = std::env::args().nth(1).as_deref() == Some("stream");
    let library = Library {
        version: roundtrip_protocol::locked_version(include_str!("../Cargo.lock"), "tonic"),
        settings: if is_stream { "one stream, windows of 4 MiB" } else { "defaults, unary calls" },
        can_stream: is_stream,
        max_message_bytes: MAX_MESSAGE_BYTES,
    };
    if is_stream {
        run(&library, Some(WINDOW_BYTES), Streamer::open)
    } else {
        run(&library, None, |runtime, client| Ok(Caller { runtime, client }))
    }
}
