//! Memory for a ring, and views of it for the threads of a model.

use crate::ring::block::View;
use crate::ring::geometry::Geometry;
use crate::ring::{Receiver, Ring, Sender, Settings, Waiting, WakeRule};
use crate::sys::liveness;
use crate::sys::wake::{Address, Mechanism, Token};
use std::sync::{Mutex, PoisonError};

pub(crate) const MESSAGE_BYTES: usize = 8;
const LONG_BYTES: usize = 2_000;

#[derive(Clone)]
pub(crate) struct Place {
    memory: View,
    geometry: Geometry,
    settings: Settings,
}

impl Place {
    pub(crate) fn new(slots: u64, settings: Settings) -> Self {
        Self::with_geometry(Geometry::with_slots(slots, MESSAGE_BYTES), settings)
    }

    /// A ring for long messages, whose single sender reuses buffers.
    pub(crate) fn for_long_messages(slots: u64, settings: Settings) -> Self {
        Self::with_geometry(Geometry::with_slots(slots, LONG_BYTES), settings)
    }

    fn with_geometry(geometry: Geometry, settings: Settings) -> Self {
        liveness::reset();
        let memory = View::zeroed(geometry.bytes());
        Ring::format(Box::new(memory.clone()), geometry).unwrap();
        Self { memory, geometry, settings }
    }

    pub(crate) fn view(&self) -> Ring {
        Ring::new(Box::new(self.memory.clone()), self.geometry, self.settings).unwrap()
    }
}

/// Every mechanism for sleeping.
pub(crate) const MECHANISMS: [&dyn Mechanism; 2] = [&Address, &Token];

pub(crate) fn settings(many_senders: bool, waiting: Waiting, mechanism: &'static dyn Mechanism) -> Settings {
    Settings { many_senders, waiting, wake_rule: WakeRule::IfAsleep, mechanism: Some(mechanism) }
}

/// Tries all interleavings with up to this many preemptions.
pub(crate) fn check(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    // The set of dead members is global, so models run one at a time.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}

pub(crate) fn message(number: u64) -> [u8; MESSAGE_BYTES] {
    number.to_le_bytes()
}

pub(crate) fn number(message: &[u8]) -> u64 {
    u64::from_le_bytes(message.try_into().unwrap())
}

pub(crate) fn send_all(sender: &mut Sender, numbers: impl IntoIterator<Item = u64>) {
    numbers.into_iter().for_each(|number| sender.send(&message(number)).unwrap());
}

/// Receives until all senders have left.
pub(crate) fn receive_all(receiver: &mut Receiver) -> Vec<u64> {
    let mut received = Vec::new();
    while let Ok(found) = receiver.receive() {
        received.push(number(found));
    }
    received
}
