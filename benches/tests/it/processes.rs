//! Process control for the tests: signals on Unix, other calls on Windows.

use roundtrip_bench::harness::PeerCommand;
use std::collections::BTreeSet;

pub(crate) use imp::{KILLED, children, handles, kill, stop};

/// A program that runs one command in the system's shell.
pub(crate) fn shell(unix: &str, windows: &str) -> PeerCommand {
    let (program, flag, text) = if cfg!(windows) { ("cmd", "/C", windows) } else { ("sh", "-c", unix) };
    PeerCommand { program: program.into(), arguments: vec![flag.into(), text.into()] }
}

#[cfg(unix)]
mod imp {
    use super::BTreeSet;
    use rustix::process::{Pid, Signal, kill_process};
    use std::process::Command;

    /// The harness's message for a process ended by [`kill`].
    pub(crate) const KILLED: &str = "killed by signal 9";

    pub(crate) fn kill(pid: u32) {
        signal(pid, Signal::KILL);
    }

    pub(crate) fn stop(pid: u32) {
        signal(pid, Signal::STOP);
    }

    fn signal(pid: u32, signal: Signal) {
        kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal).unwrap();
    }

    /// The descriptors of this process. Each result includes the one for reading the folder.
    pub(crate) fn handles() -> BTreeSet<String> {
        let entries = std::fs::read_dir("/dev/fd").unwrap().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// The children of this thread or, if the system cannot report those, of this process.
    pub(crate) fn children() -> BTreeSet<u32> {
        if let Ok(children) = std::fs::read_to_string("/proc/thread-self/children") {
            return children.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
        }
        let ps = Command::new("ps").args(["-A", "-o", "pid=,ppid=,comm="]).output().unwrap();
        let text = String::from_utf8_lossy(&ps.stdout).into_owned();
        let own = std::process::id().to_string();
        let rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        // Excludes `ps` itself.
        rows.filter(|row| matches!(row[..], [_, parent, name, ..] if parent == own && !name.ends_with("ps")))
            .map(|row| row[0].parse().unwrap())
            .collect()
    }
}

#[cfg(windows)]
#[expect(unsafe_code, reason = "calls of the system")]
mod imp {
    use super::BTreeSet;
    use std::mem;
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};
    use windows_sys::Win32::System::Diagnostics::ToolHelp::{
        CREATE_TOOLHELP_SNAPSHOT_FLAGS, CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW,
        Process32NextW, TH32CS_SNAPPROCESS, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
    };
    use windows_sys::Win32::System::Threading::{
        GetCurrentProcess, GetProcessHandleCount, OpenProcess, OpenThread, PROCESS_TERMINATE, SuspendThread,
        THREAD_SUSPEND_RESUME, TerminateProcess,
    };

    /// The harness's message for a process ended by [`kill`].
    pub(crate) const KILLED: &str = "exited with code 9 without a response";

    /// Handles that the system and libraries open once and keep.
    const HANDLES_KEPT: u32 = 64;

    fn own(handle: HANDLE) -> OwnedHandle {
        assert!(!handle.is_null() && handle != INVALID_HANDLE_VALUE, "{}", std::io::Error::last_os_error());
        // SAFETY: the handle is new, and nothing else closes it.
        unsafe { OwnedHandle::from_raw_handle(handle) }
    }

    pub(crate) fn kill(pid: u32) {
        // SAFETY: takes plain numbers.
        let process = own(unsafe { OpenProcess(PROCESS_TERMINATE, 0, pid) });
        // SAFETY: the handle is open.
        assert_ne!(unsafe { TerminateProcess(process.as_raw_handle(), 9) }, 0);
    }

    /// Stops it by suspending each of its threads.
    pub(crate) fn stop(pid: u32) {
        let all = snapshot(TH32CS_SNAPTHREAD);
        // SAFETY: plain numbers, for which zeroes are valid.
        let mut entry: THREADENTRY32 = unsafe { mem::zeroed() };
        entry.dwSize = u32::try_from(size_of::<THREADENTRY32>()).unwrap();
        // SAFETY: the snapshot is open, and the entry states its length.
        let mut more = unsafe { Thread32First(all.as_raw_handle(), &raw mut entry) };
        while more != 0 {
            if entry.th32OwnerProcessID == pid {
                // SAFETY: takes plain numbers.
                let thread = own(unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID) });
                // SAFETY: the handle is open.
                unsafe { SuspendThread(thread.as_raw_handle()) };
            }
            // SAFETY: as above.
            more = unsafe { Thread32Next(all.as_raw_handle(), &raw mut entry) };
        }
    }

    /// The number of handles of this process, in steps larger than the handles opened once and kept.
    pub(crate) fn handles() -> BTreeSet<String> {
        let mut count = 0;
        // SAFETY: the handle is always valid, and the call writes one number.
        unsafe { GetProcessHandleCount(GetCurrentProcess(), &raw mut count) };
        (0..count / HANDLES_KEPT).map(|step| format!("{step} times {HANDLES_KEPT} handles")).collect()
    }

    pub(crate) fn children() -> BTreeSet<u32> {
        let all = snapshot(TH32CS_SNAPPROCESS);
        // SAFETY: plain numbers, for which zeroes are valid.
        let mut entry: PROCESSENTRY32W = unsafe { mem::zeroed() };
        entry.dwSize = u32::try_from(size_of::<PROCESSENTRY32W>()).unwrap();
        let mut children = BTreeSet::new();
        // SAFETY: the snapshot is open, and the entry states its length.
        let mut more = unsafe { Process32FirstW(all.as_raw_handle(), &raw mut entry) };
        while more != 0 {
            if entry.th32ParentProcessID == std::process::id() {
                children.insert(entry.th32ProcessID);
            }
            // SAFETY: as above.
            more = unsafe { Process32NextW(all.as_raw_handle(), &raw mut entry) };
        }
        children
    }

    fn snapshot(what: CREATE_TOOLHELP_SNAPSHOT_FLAGS) -> OwnedHandle {
        // SAFETY: takes plain numbers.
        own(unsafe { CreateToolhelp32Snapshot(what, 0) })
    }
}
