//! Whom projects tell what happens. [`channel`]: to whom; [`outbox`]: what is to be told, from the transaction that finds it;
//! [`message`]: what was composed of it, until somebody took it. [`event`]: what a channel can be told of; [`payload`]: what
//! a message holds.

pub mod channel;
pub mod event;
pub mod message;
pub mod outbox;
pub mod payload;
