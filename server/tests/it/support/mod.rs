//! What tests share: the service without a socket, and reports to send to it.

mod app;
mod database;
pub(crate) mod factory;

pub(crate) use app::{Answer, TestApp};
