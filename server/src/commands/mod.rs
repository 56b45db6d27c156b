//! The commands, one file each.

pub(crate) mod account;
pub(crate) mod backup;
mod columns;
pub(crate) mod github;
pub(crate) mod lab;
pub(crate) mod migrate;
pub(crate) mod postgres;
pub(crate) mod prune;
pub(crate) mod restore;
pub(crate) mod retention;
pub(crate) mod seed;
pub(crate) mod serve;
pub(crate) mod site;
pub(crate) mod token;
pub(crate) mod trust;
