//! Structs that several transports of a family are values of: each names its mechanism.

pub mod mach;
pub mod pipe;
pub mod ring;
