//! Notifications of projects: their events. [`channel`]: where they are sent; [`outbox`]: pending
//! notifications, stored with the finding; [`message`]: composed messages until delivery; [`payload`]: the
//! content of a message.

pub mod channel;
pub mod message;
pub mod outbox;
pub mod payload;

text_enum! {
    /// The kind of a channel.
    #[schema(as = ChannelKind)]
    pub enum Kind {
        /// An incoming webhook of Slack or a compatible service.
        Slack,
        /// A signed HTTP request.
        Webhook,
        /// E-mail.
        Email,
    }
}

text_enum! {
    /// An event that a channel can receive.
    #[schema(as = ChannelEvent)]
    pub enum Event {
        /// A regression caused by a commit was found.
        Regressed,
        /// Results show that a regression is fixed.
        Fixed,
        /// An improvement caused by a commit was found.
        Improved,
        /// A machine has a problem, such as becoming suspect.
        Machine,
    }
}
