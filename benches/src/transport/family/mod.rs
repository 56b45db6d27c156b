//! Structs that several transports of a family are values of: each names its mechanism.

pub(crate) mod mach;
pub(crate) mod pipe;
pub(crate) mod ring;
