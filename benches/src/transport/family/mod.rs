//! Structs shared by the transports of a family: each value names its mechanism.

pub(crate) mod lent_ring;
pub(crate) mod mach;
pub(crate) mod pipe;
pub(crate) mod ring;
pub(crate) mod slots;
