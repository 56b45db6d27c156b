//! zbus: D-Bus method calls, through a private bus or with the argument `peer` without one.

use roundtrip_protocol::{Initiator, Library, Responder, Result, Start};
use serde_bytes::{ByteBuf, Bytes};
use std::future;
use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Command, ExitCode, Stdio};
use zbus::connection::Builder;
use zbus::{Guid, block_on, fdo};

const NAME: &str = "com.example.Roundtrip";
const PATH: &str = "/com/example/Roundtrip";

#[zbus::proxy(
    interface = "com.example.Roundtrip",
    default_service = "com.example.Roundtrip",
    default_path = "/com/example/Roundtrip"
)]
trait Roundtrip {
    async fn echo(&self, message: &Bytes) -> zbus::Result<ByteBuf>;

    #[zbus(no_reply)]
    async fn consume(&self, message: &Bytes) -> zbus::Result<()>;
}

/// The object that the initiator calls.
struct Object(Responder);

impl Object {
    fn count(&self, message: &[u8]) -> fdo::Result<()> {
        self.0.count(message).map_err(|error| fdo::Error::Failed(error.to_string()))
    }
}

#[zbus::interface(name = "com.example.Roundtrip")]
impl Object {
    async fn echo(&self, message: ByteBuf) -> fdo::Result<ByteBuf> {
        self.count(&message)?;
        Ok(message)
    }

    async fn consume(&self, message: ByteBuf) -> fdo::Result<()> {
        self.count(&message)
    }
}

/// A private session bus.
struct Bus(Child);

impl Bus {
    fn start(address: &str) -> Result<Self> {
        let mut command = Command::new("dbus-daemon");
        command.args(["--session", "--nofork", "--print-address", "--address", address]);
        let mut bus = Self(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
        let output = bus.0.stdout.take().ok_or("dbus-daemon has no standard output")?;
        // It prints its address when it listens.
        match BufReader::new(output).read_line(&mut String::new())? {
            0 => Err("dbus-daemon exited".into()),
            _ => Ok(bus),
        }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Client {
    proxy: RoundtripProxy<'static>,
    /// None from peer to peer.
    _bus: Option<Bus>,
}

impl Client {
    fn open(builder: Builder<'_>, bus: Option<Bus>) -> Result<Self> {
        let proxy = block_on(async { RoundtripProxy::new(&builder.build().await?).await })?;
        Ok(Self { proxy, _bus: bus })
    }
}

impl Initiator for Client {
    fn call(&mut self, message: &[u8]) -> Result<impl Deref<Target = [u8]>> {
        Ok(block_on(self.proxy.echo(Bytes::new(message)))?.into_vec())
    }

    fn send(&mut self, message: &[u8]) -> Result<()> {
        Ok(block_on(self.proxy.consume(Bytes::new(message)))?)
    }
}

fn through_bus(start: &mut Start) -> Result<Client> {
    let address = format!("unix:path={}", start.socket_path()?.display());
    let bus = Bus::start(&address)?;
    start.responder(&address)?;
    Client::open(Builder::address(address.as_str()), Some(bus))
}

fn peer_to_peer(start: &mut Start) -> Result<Client> {
    let path = start.socket_path()?;
    start.responder(&path)?;
    Client::open(Builder::unix_stream(UnixStream::connect(&path)?).p2p(), None)
}

fn respond(responder: &Responder, is_peer: bool) -> Result<()> {
    let builder = if is_peer {
        let listener = UnixListener::bind(responder.address())?;
        responder.ready()?;
        let (socket, _) = listener.accept()?;
        Builder::unix_stream(socket).server(Guid::generate()).p2p()
    } else {
        Builder::address(responder.address()).name(NAME)
    };
    block_on(async {
        let _connection = builder.serve_at(PATH, Object(responder.clone())).build().await?;
        if !is_peer {
            responder.ready()?;
        }
        future::pending().await
    })
}

fn main() -> ExitCode {
    let is_peer = std::env::args().nth(1).as_deref() == Some("peer");
    let library = Library {
        version: roundtrip_protocol::locked_version(include_str!("../Cargo.lock"), "zbus"),
        settings: if is_peer { "peer to peer" } else { "through dbus-daemon" },
        can_stream: true,
        // The specification of D-Bus limits an array.
        max_message_bytes: 64 * 1024 * 1024,
    };
    roundtrip_protocol::run(&library, if is_peer { peer_to_peer } else { through_bus }, |responder| {
        respond(responder, is_peer)
    })
}
