//! Whether a process is alive, by an identity that no later process shares.

use std::fs::DirEntry;

/// A process: its number and start time, because numbers are reused. Never 0.
pub(crate) type Identity = u64;

/// Returns the identity of the calling process. It makes a system call, so call it once.
pub(crate) fn own() -> Identity {
    find(std::process::id()).unwrap_or_else(|| identity(std::process::id(), 0))
}

/// Whether that process still exists and is not a zombie. Takes some microseconds.
pub(crate) fn is_alive(process: Identity) -> bool {
    let id = u32::try_from(process & u64::from(u32::MAX)).unwrap_or_default();
    find(id) == Some(process)
}

/// Whether a process with this number exists and is not a zombie.
pub(crate) fn runs(id: u32) -> bool {
    find(id).is_some()
}

/// The temporary files and folders of dead processes: those with this prefix, followed by the process's number and a hyphen.
pub(crate) fn leftovers(prefix: &str) -> impl Iterator<Item = DirEntry> {
    let entries = std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
    entries.filter(move |entry| {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(prefix));
        let id = rest.and_then(|rest| rest.split_once('-')).and_then(|(id, _)| id.parse().ok());
        id.is_some_and(|id| !runs(id))
    })
}

/// Returns the identity of the process with this number, unless it has ended.
fn find(id: u32) -> Option<Identity> {
    imp::started(id).map(|started| identity(id, started))
}

/// From a start time in any unit; its low bits suffice, because two processes with one number do not start in the same
/// tick.
fn identity(id: u32, started: u32) -> Identity {
    u64::from(started) << 32 | u64::from(id)
}

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `/proc/PID/stat` (`proc_pid_stat(5)`).

    use crate::sys::tree;
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use std::fs::File;
    use std::io::Read;

    /// Start time of the process with this number, in clock ticks since boot; `None` if it has ended.
    pub(super) fn started(id: u32) -> Option<u32> {
        // Through the folder, because the emulator QEMU, which knows the path, generates this file for its own process.
        // Its start time differs slightly from the one that all other processes read.
        let folder = openat(
            CWD,
            format!("/proc/{id}"),
            OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        );
        let file = openat(folder.ok()?, "stat", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let mut stat = String::new();
        File::from(file).read_to_string(&mut stat).ok()?;
        let mut fields = tree::after_name(&stat)?;
        let state = fields.next()?;
        if matches!(state, "Z" | "X" | "x") {
            return None;
        }
        // Field 22.
        let ticks: u64 = fields.nth(18)?.parse().ok()?;
        u32::try_from(ticks & u64::from(u32::MAX)).ok()
    }
}

#[cfg(target_os = "macos")]
mod imp {
    //! macOS: `proc_pidinfo` with `PROC_PIDTBSDINFO` (`libproc.h`, `sys/proc_info.h`).

    use std::ffi::c_int;
    use std::mem::MaybeUninit;

    // sys/proc_info.h: the kernel rejects a shorter structure.
    const _: () = assert!(size_of::<libc::proc_bsdinfo>() == 136);

    /// Start time of the process with this number, in microseconds of the real-time clock; `None` if it has ended.
    #[expect(unsafe_code, reason = "proc_pidinfo")]
    pub(super) fn started(id: u32) -> Option<u32> {
        const SIZE: c_int = 136;
        // Exclude zombies.
        const ARGUMENT: u64 = 0;
        let id = c_int::try_from(id).ok()?;
        let mut process = MaybeUninit::<libc::proc_bsdinfo>::uninit();
        // SAFETY: the buffer has the given size.
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
    //! FreeBSD: `kinfo_proc` in `sys/user.h`.

    use crate::sys::kinfo::{boot, process};

    /// Start time of the process with this number, in microseconds since boot; `None` if it has ended.
    pub(super) fn started(id: u32) -> Option<u32> {
        // The system adds the boot time, which moves when the clock is set.
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

    /// Start time of the process with this number, in units of 100 ns; `None` if it has ended. 0 for another user's
    /// process, which cannot be opened.
    #[expect(unsafe_code, reason = "calls of the system")]
    pub(super) fn started(id: u32) -> Option<u32> {
        let process = match process::open(id, PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE) {
            Ok(process) => process,
            Err(error) => return (error.kind() == ErrorKind::PermissionDenied).then_some(0),
        };
        // An ended process stays while a handle to it is open, and its handle is then signalled.
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

    /// Set for a child that must live until its standard input ends.
    const WAITS: &str = "ROUNDTRIP_TEST_WAITS";

    #[test]
    fn own_identity_is_stable_and_alive() {
        assert_eq!(own(), own());
        assert!(is_alive(own()));
    }

    #[test]
    fn reused_number_is_another_process() {
        assert!(!is_alive(own() ^ 1 << 40));
    }

    #[test]
    fn killed_child_is_dead_before_reaping() {
        // No program that only waits exists on every system, so this one is its own child.
        if std::env::var_os(WAITS).is_some() {
            std::io::stdin().read_line(&mut String::new()).unwrap();
            return;
        }
        let mut child = PeerCommand::new(std::env::current_exe().unwrap(), None)
            .command()
            .args(["--exact", "sys::liveness::tests::killed_child_is_dead_before_reaping"])
            .env(WAITS, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let identity = find(child.id()).unwrap();
        assert!(is_alive(identity));
        child.kill().unwrap();
        // Killing takes a moment; only a failing test waits for the whole time.
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while is_alive(identity) && std::time::Instant::now() < until {
            std::thread::yield_now();
        }
        assert!(!is_alive(identity));
        child.wait().unwrap();
        assert!(!is_alive(identity));
    }
}
