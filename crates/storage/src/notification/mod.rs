//! Notifications of projects: here, of what. [`channel`]: where to; [`outbox`]: what is to be sent, from the transaction that
//! finds it; [`message`]: what was composed of it, until a channel took it; [`payload`]: what a message holds.

pub mod channel;
pub mod message;
pub mod outbox;
pub mod payload;

text_enum! {
    /// How a channel is told.
    #[schema(as = ChannelKind)]
    pub enum Kind {
        /// By an incoming webhook of Slack, or of another service that takes the same.
        Slack,
        /// By a signed request of HTTP.
        Webhook,
        /// By e-mail.
        Email,
    }
}

text_enum! {
    /// What happens that a channel can be told of.
    #[schema(as = ChannelEvent)]
    pub enum Event {
        /// A regression was found, and a commit is blamed for it.
        Regressed,
        /// A regression is fixed, as was measured.
        Fixed,
        /// Something became faster, by a commit.
        Improved,
        /// Something is the matter with a machine: it became suspect.
        Machine,
    }
}
