//! Whether a process still lives, by an identity that no later process shares.

/// A process: its number, and when it started, because numbers come again. Never 0.
pub(crate) type Identity = u64;

/// The calling process. It asks the system, so ask once.
pub(crate) fn own() -> Identity {
    of(std::process::id()).unwrap_or_else(|| identity(std::process::id(), 0))
}

/// Whether that process is still there, and not merely waiting to be reaped. Some microseconds.
pub(crate) fn is_alive(process: Identity) -> bool {
    let id = u32::try_from(process & u64::from(u32::MAX)).unwrap_or_default();
    of(id) == Some(process)
}

/// Whether a process has this number now, and is not merely waiting to be reaped.
pub(crate) fn runs(id: u32) -> bool {
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

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `/proc/PID/stat` (`proc_pid_stat(5)`).

    use rustix::fs::{CWD, Mode, OFlags, openat};
    use std::fs::File;
    use std::io::Read;

    /// When the process with this number started, in clock ticks since boot; none if it has ended.
    pub(super) fn started(id: u32) -> Option<u32> {
        // Through the folder, because an emulator of processors (QEMU) writes the file of the process that it runs itself,
        // and knows the path: the start it tells there is not quite the one that all other processes read.
        let folder = openat(
            CWD,
            format!("/proc/{id}"),
            OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        );
        let file = openat(folder.ok()?, "stat", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let mut stat = String::new();
        File::from(file).read_to_string(&mut stat).ok()?;
        // The second field is a name in parentheses, which may hold anything; the state is the third.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        if matches!(state, "Z" | "X" | "x") {
            return None;
        }
        // The 22nd of all.
        let ticks: u64 = fields.nth(18)?.parse().ok()?;
        u32::try_from(ticks & u64::from(u32::MAX)).ok()
    }
}

#[cfg(target_os = "macos")]
mod imp {
    //! macOS: `proc_pidinfo` with `PROC_PIDTBSDINFO` (`libproc.h`, `sys/proc_info.h`).

    use std::ffi::c_int;
    use std::mem::MaybeUninit;

    // sys/proc_info.h: the kernel refuses a shorter structure.
    const _: () = assert!(size_of::<libc::proc_bsdinfo>() == 136);

    /// When the process with this number started, in microseconds of the real-time clock; none if it has ended.
    #[expect(unsafe_code, reason = "proc_pidinfo")]
    pub(super) fn started(id: u32) -> Option<u32> {
        const SIZE: c_int = 136;
        // Not to look for zombies.
        const ARGUMENT: u64 = 0;
        let id = c_int::try_from(id).ok()?;
        let mut process = MaybeUninit::<libc::proc_bsdinfo>::uninit();
        // SAFETY: the buffer is as large as is said.
        let written = unsafe {
            libc::proc_pidinfo(id, libc::PROC_PIDTBSDINFO, ARGUMENT, process.as_mut_ptr().cast(), SIZE)
        };
        if written != SIZE {
            return None;
        }
        // SAFETY: the call has filled all of it.
        let process = unsafe { process.assume_init() };
        if process.pbi_status == libc::SZOMB {
            return None;
        }
        let started = process.pbi_start_tvsec.wrapping_mul(1_000_000).wrapping_add(process.pbi_start_tvusec);
        u32::try_from(started & u64::from(u32::MAX)).ok()
    }
}

#[cfg(target_os = "freebsd")]
mod imp {
    //! FreeBSD: `kinfo_proc` of `sys/user.h`.

    use crate::sys::kinfo::{boot, process};

    /// When the process with this number started, in microseconds since boot; none if it has ended.
    pub(super) fn started(id: u32) -> Option<u32> {
        // The system adds when it was booted, which moves whenever somebody sets the clock.
        let mut booted = microseconds(boot()?);
        loop {
            let process = process(id)?;
            if process.ki_stat == libc::SZOMB {
                return None;
            }
            let before = std::mem::replace(&mut booted, microseconds(boot()?));
            if booted == before {
                let started = microseconds(process.ki_start).wrapping_sub(booted).cast_unsigned();
                return u32::try_from(started & u64::from(u32::MAX)).ok();
            }
        }
    }

    fn microseconds(time: libc::timeval) -> i64 {
        time.tv_sec.wrapping_mul(1_000_000).wrapping_add(time.tv_usec)
    }
}

#[cfg(windows)]
mod imp {
    //! Windows: `OpenProcess` and `GetProcessTimes` (`processthreadsapi.h`).

    use crate::sys::process;
    use std::io::ErrorKind;
    use std::mem::MaybeUninit;
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::Foundation::WAIT_TIMEOUT;
    use windows_sys::Win32::System::Threading::{
        GetProcessTimes, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE, WaitForSingleObject,
    };

    /// When the process with this number started, in units of 100 ns; none if it has ended. 0 if another user's, whom we may
    /// not ask.
    #[expect(unsafe_code, reason = "calls of the system")]
    pub(super) fn started(id: u32) -> Option<u32> {
        let process = match process::open(id, PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE) {
            Ok(process) => process,
            Err(error) => return (error.kind() == ErrorKind::PermissionDenied).then_some(0),
        };
        // An ended process stays while somebody holds a handle of it, and then no longer lets anybody wait.
        // SAFETY: the handle is open.
        if unsafe { WaitForSingleObject(process.as_raw_handle(), 0) } != WAIT_TIMEOUT {
            return None;
        }
        let mut times = [const { MaybeUninit::uninit() }; 4];
        let [created, ended, kernel, user] = times.each_mut().map(MaybeUninit::as_mut_ptr);
        // SAFETY: the handle is open, and the call writes four times.
        if unsafe { GetProcessTimes(process.as_raw_handle(), created, ended, kernel, user) } == 0 {
            return None;
        }
        // SAFETY: the call has filled it.
        Some(unsafe { times[0].assume_init() }.dwLowDateTime)
    }
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
