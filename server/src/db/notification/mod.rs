//! Whom projects tell what happens. [`channel`]: to whom; [`outbox`]: what is to be told, from the transaction that finds it;
//! [`message`]: what was composed of it, until somebody took it.

pub mod channel;
pub mod message;
pub mod outbox;
