//! Memory for a ring, and views of it for the threads of a model.

use crate::ring::geometry::Geometry;
use crate::ring::{Keeper, Ring, Settings, Waiting, WakeRule};
use crate::sys::liveness;
use crate::sys::wake::{Address, Mechanism, Token};
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a message: a number.
pub(crate) const MESSAGE_BYTES: usize = 8;

/// A ring of this many slots.
#[derive(Clone)]
pub(crate) struct Place {
    block: Arc<Block>,
    geometry: Geometry,
    settings: Settings,
}

struct Block {
    address: NonNull<u8>,
    layout: Layout,
}

// SAFETY: what is in it is atomics and what they guard.
#[expect(unsafe_code, reason = "memory that threads share")]
unsafe impl Send for Block {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "memory that threads share")]
unsafe impl Sync for Block {}

impl Drop for Block {
    #[expect(unsafe_code, reason = "memory that threads share")]
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and the last view of it is gone.
        unsafe { dealloc(self.address.as_ptr(), self.layout) };
    }
}

struct View(Arc<Block>);

impl Keeper for View {
    fn address(&self) -> NonNull<u8> {
        self.0.address
    }

    fn bytes(&self) -> usize {
        self.0.layout.size()
    }
}

impl Place {
    pub(crate) fn new(slots: u64, settings: Settings) -> Self {
        liveness::reset();
        let geometry = Geometry::with_slots(slots, MESSAGE_BYTES);
        let layout = Layout::from_size_align(geometry.bytes(), 4_096).unwrap();
        // SAFETY: the layout is not empty.
        #[expect(unsafe_code, reason = "memory that threads share")]
        let address = NonNull::new(unsafe { alloc(layout) }).unwrap();
        let block = Arc::new(Block { address, layout });
        Ring::format(Box::new(View(Arc::clone(&block))), geometry).unwrap();
        Self { block, geometry, settings }
    }

    pub(crate) fn view(&self) -> Ring {
        Ring::new(Box::new(View(Arc::clone(&self.block))), self.geometry, self.settings).unwrap()
    }
}

/// Every way to sleep.
pub(crate) const MECHANISMS: [&dyn Mechanism; 2] = [&Address, &Token];

pub(crate) fn settings(many_senders: bool, waiting: Waiting, mechanism: &'static dyn Mechanism) -> Settings {
    Settings { many_senders, waiting, wake_rule: WakeRule::IfAsleep, mechanism: Some(mechanism) }
}

/// Tries all interleavings with up to so many preemptions.
pub(crate) fn check(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    // Who has died is known to all: models take turns.
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
