//! The operating systems that the suite knows, and which of them has what: data, the same wherever it is compiled.

/// One of them.
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
    /// Every one, in the order of names.
    pub const ALL: [Self; 4] = [Self::FreeBsd, Self::Linux, Self::MacOs, Self::Windows];

    /// As [`std::env::consts::OS`] and definitions call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::FreeBsd => "freebsd",
            Self::Linux => "linux",
            Self::MacOs => "macos",
            Self::Windows => "windows",
        }
    }

    /// As people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::FreeBsd => "FreeBSD",
            Self::Linux => "Linux",
            Self::MacOs => "macOS",
            Self::Windows => "Windows",
        }
    }

    /// The one that this program runs on.
    pub fn here() -> Option<Self> {
        Self::ALL.into_iter().find(|system| system.name() == std::env::consts::OS)
    }

    /// It has a mechanism, every machine of it.
    pub const fn always(self) -> Home {
        Home { system: self, condition: None }
    }

    /// Machines of it have a mechanism on a condition.
    pub const fn sometimes(self, condition: &'static str) -> Home {
        Home { system: self, condition: Some(condition) }
    }
}

/// A system that has a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// Which.
    pub system: System,
    /// What a machine there needs besides, in a few words that follow a tick: `since macOS 14.4`.
    pub condition: Option<&'static str>,
}

/// All of them.
pub const EVERY: &[Home] =
    &[System::FreeBsd.always(), System::Linux.always(), System::MacOs.always(), System::Windows.always()];
/// Those that are a Unix.
pub const UNIX: &[Home] = &[System::FreeBsd.always(), System::Linux.always(), System::MacOs.always()];
/// FreeBSD alone.
pub const FREEBSD: &[Home] = &[System::FreeBsd.always()];
/// Linux alone.
pub const LINUX: &[Home] = &[System::Linux.always()];
/// macOS alone.
pub const MACOS: &[Home] = &[System::MacOs.always()];
/// Windows alone.
pub const WINDOWS: &[Home] = &[System::Windows.always()];
