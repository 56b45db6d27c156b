//! Whether a process still lives, by an identity that no later process shares.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

/// A process: its number, and when it started, because numbers come again. Never 0.
pub type Identity = u64;

/// The calling process. It asks the system, so ask once.
pub fn own() -> Identity {
    of(std::process::id()).unwrap_or_else(|| identity(std::process::id(), 0))
}

/// Whether that process is still there, and not merely waiting to be reaped. Some microseconds.
pub fn is_alive(process: Identity) -> bool {
    let id = u32::try_from(process & u64::from(u32::MAX)).unwrap_or_default();
    of(id) == Some(process)
}

/// Whether a process has this number now, and is not merely waiting to be reaped.
pub fn runs(id: u32) -> bool {
    of(id).is_some()
}

/// The process that has this number now, unless it has ended.
fn of(id: u32) -> Option<Identity> {
    imp::started(id).map(|started| identity(id, started))
}

/// Of a start in any unit, of which the low bits suffice: two processes of one number do not start in the same tick.
fn identity(id: u32, started: u32) -> Identity {
    u64::from(started) << 32 | u64::from(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer_command::PeerCommand;
    use std::process::Stdio;

    /// Set for a child that is to live until its standard input ends.
    const WAITS: &str = "ROUNDTRIP_TEST_WAITS";

    #[test]
    fn we_live_and_always_as_the_same() {
        assert_eq!(own(), own());
        assert!(is_alive(own()));
    }

    #[test]
    fn another_start_of_the_same_number_is_another_process() {
        assert!(!is_alive(own() ^ 1 << 40));
    }

    #[test]
    fn a_killed_child_is_dead_before_it_is_reaped() {
        // No program that merely waits exists on every system, so this one is its own child.
        if std::env::var_os(WAITS).is_some() {
            std::io::stdin().read_line(&mut String::new()).unwrap();
            return;
        }
        let mut child = PeerCommand::new(std::env::current_exe().unwrap(), None)
            .command()
            .args(["--exact", "sys::liveness::tests::a_killed_child_is_dead_before_it_is_reaped"])
            .env(WAITS, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let identity = of(child.id()).unwrap();
        assert!(is_alive(identity));
        child.kill().unwrap();
        // Being killed takes a moment: only a test that fails waits for all of it.
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while is_alive(identity) && std::time::Instant::now() < until {
            std::thread::yield_now();
        }
        assert!(!is_alive(identity));
        child.wait().unwrap();
        assert!(!is_alive(identity));
    }
}
