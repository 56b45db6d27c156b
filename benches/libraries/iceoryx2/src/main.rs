//! iceoryx2: publish-subscribe services through shared memory, one for each direction.

mod in_place;

use iceoryx2::port::listener::Listener;
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::prelude::*;
use iceoryx2::sample::Sample;
use roundtrip_protocol::{Channel, Library, Result};
use std::hint;
use std::ops::Deref;
use std::process::ExitCode;
use std::time::Duration;

/// One process's ends of both services.
struct Ends {
    publisher: Publisher<ipc::Service, [u8], ()>,
    subscriber: Subscriber<ipc::Service, [u8], ()>,
    /// None to poll.
    events: Option<(Notifier<ipc::Service>, Listener<ipc::Service>)>,
    // After the ports, so that it is dropped last.
    node: Node<ipc::Service>,
}

impl Ends {
    fn open(message_bytes: usize, sends: &str, receives: &str, is_polling: bool) -> Result<Self> {
        let node = NodeBuilder::new().create::<ipc::Service>()?;
        let messages = |name: &str| -> Result<_> {
            let service = node.service_builder(&name.try_into()?).publish_subscribe::<[u8]>();
            // A publisher waits for a slow subscriber instead of replacing its oldest message.
            Ok(service.enable_safe_overflow(false).open_or_create()?)
        };
        let events = |name: &str| -> Result<_> {
            Ok(node.service_builder(&name.try_into()?).event().open_or_create()?)
        };
        let publisher = messages(sends)?.publisher_builder().initial_max_slice_len(message_bytes).create()?;
        let subscriber = messages(receives)?.subscriber_builder().create()?;
        let events = if is_polling {
            None
        } else {
            let notifier = events(sends)?.notifier_builder().create()?;
            Some((notifier, events(receives)?.listener_builder().create()?))
        };
        Ok(Self { publisher, subscriber, events, node })
    }
}

impl Channel for Ends {
    fn send(&self, message: &[u8]) -> Result<()> {
        let sample = self.publisher.loan_slice_uninit(message.len())?;
        sample.write_from_slice(message).send()?;
        if let Some((notifier, _)) = &self.events {
            notifier.notify()?;
        }
        Ok(())
    }

    fn receive(&self) -> Result<impl Deref<Target = [u8]>> {
        loop {
            let sample: Option<Sample<ipc::Service, [u8], ()>> = self.subscriber.receive()?;
            match (sample, &self.events) {
                (Some(sample), _) => return Ok(sample),
                (None, Some((_, listener))) => drop(listener.blocking_wait(|_| {})?),
                (None, None) => hint::spin_loop(),
            }
        }
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        // The responder exits without releasing its shared memory.
        self.node.blocking_cleanup_dead_nodes(Duration::from_millis(500));
    }
}

fn main() -> ExitCode {
    if let Some(arguments) = in_place::arguments() {
        return in_place::main(&arguments);
    }
    let is_polling = std::env::args().nth(1).as_deref() == Some("polling");
    let library = Library {
        version: roundtrip_protocol::locked_version(include_str!("../Cargo.lock"), "iceoryx2"),
        settings: if is_polling { "polls the subscriber" } else { "waits for events" },
        // A stream hangs with events once the subscriber's queue is full, and rarely while polling under load (0.10.0).
        can_stream: false,
        max_message_bytes: usize::MAX,
    };
    roundtrip_protocol::run(
        &library,
        |start| {
            let name = format!("roundtrip/{}", std::process::id());
            start.responder(&name)?;
            Ends::open(start.case().message_bytes, &format!("{name}/to"), &format!("{name}/from"), is_polling)
        },
        |responder| {
            let name = responder.address();
            let message_bytes = responder.case().message_bytes;
            let ends = Ends::open(message_bytes, &format!("{name}/from"), &format!("{name}/to"), is_polling)?;
            responder.ready()?;
            responder.serve(&ends)
        },
    )
}
