//! The supported operating systems and their mechanisms, as data that is the same on every system.

/// An operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// FreeBSD.
    FreeBsd,
    /// Linux.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl System {
    /// All systems, ordered by name.
    pub const ALL: [Self; 4] = [Self::FreeBsd, Self::Linux, Self::MacOs, Self::Windows];

    /// Returns its name in [`std::env::consts::OS`] and in definitions.
    pub fn name(self) -> &'static str {
        match self {
            Self::FreeBsd => "freebsd",
            Self::Linux => "linux",
            Self::MacOs => "macos",
            Self::Windows => "windows",
        }
    }

    /// Returns its display name.
    pub fn title(self) -> &'static str {
        match self {
            Self::FreeBsd => "FreeBSD",
            Self::Linux => "Linux",
            Self::MacOs => "macOS",
            Self::Windows => "Windows",
        }
    }

    /// Returns the system that this program runs on.
    pub fn here() -> Option<Self> {
        Self::ALL.into_iter().find(|system| system.name() == std::env::consts::OS)
    }

    /// Every machine with this system has the mechanism.
    pub const fn always(self) -> SupportedSystem {
        SupportedSystem { system: self, condition: None }
    }

    /// Machines with this system have the mechanism on a condition.
    pub const fn sometimes(self, condition: &'static str) -> SupportedSystem {
        SupportedSystem { system: self, condition: Some(condition) }
    }
}

/// A system that has a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SupportedSystem {
    /// The system.
    pub system: System,
    /// The condition, in a few words that follow a tick: `since macOS 14.4`.
    pub condition: Option<&'static str>,
}

/// All systems.
pub const EVERY: &[SupportedSystem] =
    &[System::FreeBsd.always(), System::Linux.always(), System::MacOs.always(), System::Windows.always()];
/// All Unix systems.
pub const UNIX: &[SupportedSystem] =
    &[System::FreeBsd.always(), System::Linux.always(), System::MacOs.always()];
/// Only FreeBSD.
pub const FREEBSD: &[SupportedSystem] = &[System::FreeBsd.always()];
/// Only Linux.
pub const LINUX: &[SupportedSystem] = &[System::Linux.always()];
/// Only macOS.
pub const MACOS: &[SupportedSystem] = &[System::MacOs.always()];
/// Only Windows.
pub const WINDOWS: &[SupportedSystem] = &[System::Windows.always()];
