//! The shared-memory ring ([`crate::ring`]) as a transport: two rings, one per direction, for a pair; one for several
//! senders or receivers.

use crate::link::buffers::Buffers;
use crate::link::{self, Link, Receiver, Sender, closed};
use crate::ring::geometry::Geometry;
use crate::ring::{self, Ring, Settings, Waiting, WakeRule};
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use crate::sys::shared_memory::{self, Mapping};
use crate::sys::sysv::Objects;
use crate::sys::wake::{self, Mechanism, Spot};
use crate::system::SupportedSystem;
use crate::transport::{About, Channel, ChannelSpec, End, Manner, Parts, Storage, Transport, control};
use std::io;

/// The ring with one mechanism for sleeping.
#[derive(Debug)]
pub struct RingTransport {
    slug: &'static str,
    title: &'static str,
    /// The members' mechanism for sleeping ([`wake::find`]); with `None` they spin.
    mechanism: Option<&'static str>,
    systems: &'static [SupportedSystem],
    /// The number of slots, if it does not depend on the messages.
    slots: Option<u64>,
}

impl Transport for RingTransport {
    fn about(&self) -> About {
        let waits = match self.mechanism {
            Some(_) => {
                "A waiting thread sleeps and is woken only if asleep, unless the methodology says \
                 otherwise. It can also spin, or spin before sleeping"
            }
            None => "A waiting thread spins and sometimes yields the CPU; it never sleeps",
        };
        let semantics = format!(
            "A ring of shared-memory slots each way: up to 4,096 slots for messages up to 1 KiB, 64 KiB for \
             longer ones, at least 4 slots. Messages are copied in and out. {waits}."
        );
        let mut about = control(self.slug, self.title, "shared-memory", self.systems, &semantics);
        about.info.control = false;
        about
    }

    fn manner(&self) -> Manner {
        let waiting = if self.mechanism.is_some() { Waiting::Block } else { Waiting::Spin };
        Manner { waiting, ..Manner::default() }
    }

    fn ring(&self) -> Option<&RingTransport> {
        Some(self)
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.default_buffer()?;
        if channel.message_bytes > ring::geometry::MESSAGE_BYTES_MAX {
            return Err(Unsupported::because(format!(
                "message of {} B exceeds the ring's limit: expected at most {} B",
                channel.message_bytes,
                ring::geometry::MESSAGE_BYTES_MAX
            )));
        }
        let Manner { waiting, wake_rule, .. } = channel.manner;
        match (self.find()?, waiting, wake_rule) {
            (_, Waiting::Spin, WakeRule::Always) => Err(Unsupported::because(
                "a spinning receiver needs no wake-up: expected the wake rule if-asleep",
            )),
            (_, Waiting::Spin, WakeRule::IfAsleep) => Ok(()),
            (None, ..) => Err(Unsupported::because("this ring only spins: expected receive = spin")),
            (Some(mechanism), _, rule) => {
                mechanism.support()?;
                if rule == WakeRule::Always { mechanism.unconditional_wake() } else { Ok(()) }
            }
        }
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        let memory = shared_memory::create(2 * self.geometry(channel).bytes())?;
        let offsets = [0, self.geometry(channel).bytes()];
        let objects = self.create_objects(&memory, &offsets, channel)?;
        for offset in offsets {
            self.prepare(&memory, offset, channel, false)?;
        }
        Ok(Channel { objects, ..Channel::from_handles([memory.try_clone()?], [memory]) })
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let (sender, receiver) = self.join(end, parts, channel)?;
        Ok(Link::new(RingSender(sender), RingReceiver(receiver), Buffers::default()))
    }
}

impl RingTransport {
    pub(in crate::transport) const fn new(
        slug: &'static str,
        title: &'static str,
        mechanism: Option<&'static str>,
        systems: &'static [SupportedSystem],
    ) -> Self {
        Self { slug, title, mechanism, systems, slots: None }
    }

    /// With this number of slots, a power of two, instead of as many as fit the capacity for messages.
    pub(in crate::transport) const fn with_slots(self, slots: u64) -> Self {
        Self { slots: Some(slots), ..self }
    }

    fn geometry(&self, channel: &ChannelSpec) -> Geometry {
        match self.slots {
            Some(slots) => Geometry::with_slots(slots, channel.message_bytes),
            None => Geometry::for_messages(channel.message_bytes),
        }
    }

    /// Joins both rings of a pair.
    pub(super) fn join(
        &self,
        end: End,
        parts: Parts,
        channel: &ChannelSpec,
    ) -> io::Result<(ring::Sender, ring::Receiver)> {
        let [memory] = parts.take()?;
        let there = || self.view(&memory, 0, channel, false);
        let back = || self.view(&memory, self.geometry(channel).bytes(), channel, false);
        let (outgoing, incoming) = match end {
            End::Initiator => (there()?, back()?),
            End::Responder => (back()?, there()?),
        };
        let receiver = ring::Receiver::join(incoming).map_err(io::Error::other)?;
        let sender = ring::Sender::join(outgoing).map_err(io::Error::other)?;
        sender.wait_for_a_receiver();
        Ok((sender, receiver))
    }

    /// Creates one ring for any number of ends. Keep the objects until all have ended.
    pub fn open_many(
        &self,
        channel: &ChannelSpec,
        many_senders: bool,
    ) -> io::Result<(Handle, Option<Objects>)> {
        let memory = shared_memory::create(self.geometry(channel).bytes())?;
        let objects = self.create_objects(&memory, &[0], channel)?;
        self.prepare(&memory, 0, channel, many_senders)?;
        Ok((memory, objects))
    }

    /// Creates the objects of the rings at these offsets, if the mechanism has any.
    fn create_objects(
        &self,
        memory: &Handle,
        offsets: &[usize],
        channel: &ChannelSpec,
    ) -> io::Result<Option<Objects>> {
        let mechanism = self.find().map_err(io::Error::other)?;
        let Some(create) = mechanism.and_then(Mechanism::creator) else { return Ok(None) };
        let rings = offsets.iter().map(|&offset| self.view(memory, offset, channel, false));
        let rings: Vec<Ring> = rings.collect::<io::Result<_>>()?;
        let spots: Vec<&Spot> = rings.iter().flat_map(Ring::spots).collect();
        create(&spots).map(Some)
    }

    /// Connects to that ring.
    pub fn connect_many(&self, parts: Parts, channel: &ChannelSpec, many_senders: bool) -> io::Result<Ring> {
        let [memory] = parts.take()?;
        self.view(&memory, 0, channel, many_senders)
    }

    fn prepare(
        &self,
        memory: &Handle,
        offset: usize,
        channel: &ChannelSpec,
        many_senders: bool,
    ) -> io::Result<()> {
        match channel.manner.storage {
            // Zeroed memory is an empty ring.
            Storage::Cleared => Ok(()),
            Storage::Warm => {
                let ring = self.view(memory, offset, channel, many_senders)?;
                ring.use_and_die().map_err(io::Error::other)
            }
        }
    }

    fn view(
        &self,
        memory: &Handle,
        offset: usize,
        channel: &ChannelSpec,
        many_senders: bool,
    ) -> io::Result<Ring> {
        let settings = Settings {
            many_senders,
            waiting: channel.manner.waiting,
            wake_rule: channel.manner.wake_rule,
            mechanism: self.find().map_err(io::Error::other)?,
        };
        let mapping = Mapping::part(memory, offset, self.geometry(channel).bytes())?;
        Ring::new(Box::new(mapping), self.geometry(channel), settings).map_err(io::Error::other)
    }

    fn find(&self) -> Result<Option<&'static dyn Mechanism>, Unsupported> {
        self.mechanism.map(wake::find).transpose()
    }
}

struct RingSender(ring::Sender);

impl Sender for RingSender {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.0.send(message).map_err(|_| closed())
    }
}

struct RingReceiver(ring::Receiver);

impl Receiver for RingReceiver {
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let found = self.0.receive().map_err(|_| closed())?;
        if found.len() != buffer.len() {
            return Err(link::unexpected_length(found.len(), buffer.len()));
        }
        buffer.copy_from_slice(found);
        self.0.release();
        Ok(buffer)
    }
}
