//! What tests share: the service without a socket, and reports to send to it.

mod app;
pub mod factory;

pub use app::{Answer, TestApp};
