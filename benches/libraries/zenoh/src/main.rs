//! Zenoh: publishers and subscribers of two peers that are connected over a Unix socket. Messages are in shared memory, and the
//! socket carries references to them, except with the argument `socket`. `latency` uses the low-latency transport.

use roundtrip_protocol::{Channel, Library, Result};
use std::error::Error;
use std::ops::Deref;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;
use zenoh::handlers::FifoChannelHandler;
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::CongestionControl;
use zenoh::sample::Sample;
use zenoh::shm::{BlockOn, GarbageCollect, PosixShmProviderBackend, ShmProvider, ShmProviderBuilder};
use zenoh::{Config, Session, Wait};

/// Shared memory of a publisher. It is also the default size of Zenoh's own pool.
const POOL_BYTES: usize = 16 * 1024 * 1024;

/// Values for `transport` in Zenoh's configuration.
const DEFAULT: &str = "";
const SOCKET: &str = "shared_memory: { enabled: false }";
const LATENCY: &str = "unicast: { lowlatency: true, qos: { enabled: false } }";

/// One process's ends of both keys.
struct Ends {
    publisher: Publisher<'static>,
    subscriber: Subscriber<FifoChannelHandler<Sample>>,
    _session: Session,
}

impl Ends {
    /// The endpoints are locators like `["unixsock-stream//tmp/socket"]`.
    fn open(
        listen: &[String],
        connect: &[String],
        sends: &'static str,
        receives: &str,
        transport: &str,
    ) -> zenoh::Result<Self> {
        let session = zenoh::open(Config::from_json5(&format!(
            "{{
                mode: 'peer',
                scouting: {{ multicast: {{ enabled: false }} }},
                listen: {{ endpoints: {listen:?} }},
                connect: {{ endpoints: {connect:?} }},
                transport: {{ {transport} }},
            }}"
        ))?)
        .wait()?;
        let subscriber = session.declare_subscriber(receives).wait()?;
        let publisher = session
            .declare_publisher(sends)
            .congestion_control(CongestionControl::Block)
            .express(transport == LATENCY)
            .wait()?;
        Ok(Self { publisher, subscriber, _session: session })
    }

    /// Waits until the other process subscribes.
    fn wait_for_subscriber(&self) -> zenoh::Result<()> {
        while !self.publisher.matching_status().wait()?.matching() {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

/// Zenoh's errors are `Send` and `Sync`, and `?` cannot convert them.
fn boxed(error: zenoh::Error) -> Box<dyn Error> {
    error
}

struct Socket(Ends);

impl Channel for Socket {
    fn send(&self, message: &[u8]) -> Result<()> {
        self.0.publisher.put(message).wait().map_err(boxed)
    }

    fn receive(&self) -> Result<impl Deref<Target = [u8]>> {
        Ok(self.0.subscriber.recv().map_err(boxed)?.payload().to_bytes().into_owned())
    }
}

struct SharedMemory {
    ends: Ends,
    provider: ShmProvider<PosixShmProviderBackend>,
}

impl SharedMemory {
    fn new(ends: Ends) -> Result<Self> {
        let backend = PosixShmProviderBackend::builder(POOL_BYTES).wait().map_err(boxed)?;
        Ok(Self { ends, provider: ShmProviderBuilder::backend(backend).wait() })
    }
}

impl Channel for SharedMemory {
    fn send(&self, message: &[u8]) -> Result<()> {
        let mut buffer =
            self.provider.alloc(message.len()).with_policy::<BlockOn<GarbageCollect>>().wait()?;
        buffer.copy_from_slice(message);
        self.ends.publisher.put(buffer).wait().map_err(boxed)
    }

    fn receive(&self) -> Result<impl Deref<Target = [u8]>> {
        let sample = self.ends.subscriber.recv().map_err(boxed)?;
        let buffer = sample.payload().as_shm().ok_or("the message is not in shared memory")?;
        Ok(buffer.to_owned())
    }
}

fn run<C: Channel>(transport: &'static str, channel: fn(Ends) -> Result<C>) -> ExitCode {
    let library = Library {
        version: roundtrip_protocol::locked_version(include_str!("../Cargo.lock"), "zenoh"),
        settings: if transport == DEFAULT { "default transport" } else { transport },
        can_stream: true,
        max_message_bytes: POOL_BYTES / 4,
    };
    roundtrip_protocol::run(
        &library,
        |start| {
            let endpoint = format!("unixsock-stream/{}", start.socket_path()?.display());
            start.responder(&endpoint)?;
            let ends = Ends::open(&[], &[endpoint], "to", "from", transport).map_err(boxed)?;
            ends.wait_for_subscriber().map_err(boxed)?;
            channel(ends)
        },
        |responder| {
            let ends =
                Ends::open(&[responder.address().to_owned()], &[], "from", "to", transport).map_err(boxed)?;
            responder.ready()?;
            responder.serve(&channel(ends)?)
        },
    )
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("socket") => run(SOCKET, |ends| Ok(Socket(ends))),
        Some("latency") => run(LATENCY, SharedMemory::new),
        _ => run(DEFAULT, SharedMemory::new),
    }
}
