//! What decides, before any handler runs, which requests are served: settings, trusted proxies and rate limits.
//! [`crate::auth`] applies them.

pub mod client;
mod limits;

pub use client::TrustedProxies;
pub use limits::Limits;

use roundtrip_storage::access::Visibility;

/// Requests a minute of a client without a token, unless it is told otherwise.
pub const REQUESTS_PER_MINUTE_DEFAULT: u32 = 600;

/// How the door is kept.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether strangers see nothing, and new projects are private.
    pub is_private: bool,
    /// Requests a minute of a client without a token.
    pub requests_per_minute: u32,
    /// Whose word on a client's address is taken.
    pub trusted_proxies: TrustedProxies,
}

/// Who is let in, and how often.
#[derive(Debug)]
pub struct Auth {
    settings: Settings,
    /// How many requests are served.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            is_private: false,
            requests_per_minute: REQUESTS_PER_MINUTE_DEFAULT,
            trusted_proxies: TrustedProxies::default(),
        }
    }
}

impl Default for Auth {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl Auth {
    /// Kept so.
    pub fn new(settings: Settings) -> Self {
        let limits = Limits::new(settings.requests_per_minute);
        Self { settings, limits }
    }

    /// Who may read a project that begins now.
    pub fn visibility_of_new(&self) -> Visibility {
        if self.is_private() { Visibility::Private } else { Visibility::Public }
    }

    /// Whether strangers see nothing.
    pub fn is_private(&self) -> bool {
        self.settings.is_private
    }

    /// Whose word on a client's address is taken.
    pub(crate) fn trusted_proxies(&self) -> &TrustedProxies {
        &self.settings.trusted_proxies
    }
}
