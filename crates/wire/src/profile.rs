//! The call stacks of both sides of a comparison.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The most frames of a profile, in all ends.
pub const FRAMES_MAX: usize = 50_000;

/// The most bytes of all stacks as text, with a separator after each name. Profiles of real programs have less than a million.
pub const STACK_BYTES_MAX: usize = 16 << 20;

/// Where messages spend their time on each side, from sampled call stacks. Sampling slows messages down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileComparison {
    /// Messages of the base during which it was sampled; round trips in `roundtrip`.
    pub base_messages: u64,
    /// As above, of the head.
    pub head_messages: u64,
    /// Names of functions. Those of the kernel end with `_[k]`.
    pub functions: Vec<String>,
    /// The ends: `initiator`, `sender 1`, `other processes`.
    pub ends: Vec<ProfileOfEnd>,
}

/// The call stacks of an end as a tree, in columns with one entry for each frame. A caller stands before what it calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileOfEnd {
    /// Its name.
    pub name: String,
    /// The position of the caller; null for an outermost frame.
    pub parents: Vec<Option<u32>>,
    /// The position of the function's name.
    pub functions: Vec<u32>,
    /// Time of the base on a processor in the function itself, without what it calls, over all messages.
    pub base_on_cpu_ns: Vec<u64>,
    /// As above, waiting.
    pub base_waiting_ns: Vec<u64>,
    /// Time of the head on a processor.
    pub head_on_cpu_ns: Vec<u64>,
    /// As above, waiting.
    pub head_waiting_ns: Vec<u64>,
}
