//! The verbs, one file each.

pub(crate) mod migrate;
pub(crate) mod postgres;
pub(crate) mod serve;
pub(crate) mod token;
