//! Settings for access: privacy, trusted proxies and rate limits. `crate::auth` applies them before any handler
//! runs.

pub mod client;
mod limits;

pub use client::TrustedProxies;
pub use limits::Limits;

use roundtrip_storage::access::Visibility;

/// The default limit of requests per minute for clients without a token.
pub const REQUESTS_PER_MINUTE_DEFAULT: u32 = 600;

/// Settings for authentication and rate limits.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether reading requires sign-in and new projects are private.
    pub is_private: bool,
    /// The limit of requests per minute for clients without a token.
    pub requests_per_minute: u32,
    /// The trusted proxies.
    pub trusted_proxies: TrustedProxies,
}

/// Authentication and rate limits.
#[derive(Debug)]
pub struct Auth {
    settings: Settings,
    /// Rate limits.
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
    /// Creates the state from settings.
    pub fn new(settings: Settings) -> Self {
        let limits = Limits::new(settings.requests_per_minute);
        Self { settings, limits }
    }

    /// The visibility of new projects.
    pub fn visibility_of_new(&self) -> Visibility {
        if self.is_private() { Visibility::Private } else { Visibility::Public }
    }

    /// Whether reading requires sign-in.
    pub fn is_private(&self) -> bool {
        self.settings.is_private
    }

    /// The trusted proxies.
    pub fn trusted_proxies(&self) -> &TrustedProxies {
        &self.settings.trusted_proxies
    }
}
