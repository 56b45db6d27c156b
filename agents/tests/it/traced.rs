//! Runs a program with ptrace(2), stops it before each of its system calls, and can kill it there, so that
//! files and sent data show exactly the calls before. Follows its threads, but not its child processes.

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::fs::File;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// A system call before its execution.
pub(crate) struct Call {
    name: &'static str,
    /// The file, or `socket:[…]`.
    pub(crate) about: PathBuf,
}

impl Display for Call {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.name, self.about.display())
    }
}

/// The argument of a call that identifies its file.
enum FileArgument {
    Descriptor,
    /// The path in this argument.
    Path(usize),
}

/// The calls of this repository's programs that read or change files, send or receive.
const CALLS: [(i64, &str, FileArgument); 16] = [
    (libc::SYS_openat, "openat", FileArgument::Path(1)),
    (libc::SYS_rename, "rename", FileArgument::Path(1)),
    (libc::SYS_renameat, "renameat", FileArgument::Path(3)),
    (libc::SYS_renameat2, "renameat2", FileArgument::Path(3)),
    (libc::SYS_unlink, "unlink", FileArgument::Path(0)),
    (libc::SYS_unlinkat, "unlinkat", FileArgument::Path(1)),
    (libc::SYS_mkdir, "mkdir", FileArgument::Path(0)),
    (libc::SYS_chmod, "chmod", FileArgument::Path(0)),
    (libc::SYS_fchmod, "fchmod", FileArgument::Descriptor),
    (libc::SYS_write, "write", FileArgument::Descriptor),
    (libc::SYS_fsync, "fsync", FileArgument::Descriptor),
    (libc::SYS_fdatasync, "fdatasync", FileArgument::Descriptor),
    (libc::SYS_flock, "flock", FileArgument::Descriptor),
    (libc::SYS_connect, "connect", FileArgument::Descriptor),
    (libc::SYS_sendto, "sendto", FileArgument::Descriptor),
    (libc::SYS_recvfrom, "recvfrom", FileArgument::Descriptor),
];

/// Runs a program until its end, and calls `before` before each of its calls on files and sockets; a break
/// kills it there. False if this system does not permit tracing.
pub(crate) fn run(command: &mut Command, mut before: impl FnMut(&Call) -> ControlFlow<()>) -> bool {
    #[expect(unsafe_code, reason = "pre_exec runs between fork and exec")]
    // SAFETY: one system call, which allocates nothing.
    unsafe {
        command.pre_exec(|| Ok(ptrace::traceme()?));
    }
    let child = match command.spawn() {
        Err(error) if error.raw_os_error() == Some(Errno::EPERM as i32) => return false,
        child => child.unwrap(),
    };
    let process = Pid::from_raw(child.id().try_into().unwrap());
    // Stopped by exec.
    waitpid(process, None).unwrap();
    let options = Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACECLONE | Options::PTRACE_O_EXITKILL;
    ptrace::setoptions(process, options).unwrap();
    go_on(process, None);
    loop {
        // Not the children of other tests.
        match waitpid(None, Some(WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD)).unwrap() {
            WaitStatus::PtraceSyscall(thread) => {
                if Call::next(thread).is_some_and(|call| before(&call).is_break()) {
                    // A process killed before a call does not execute it.
                    kill(process, Signal::SIGKILL).unwrap();
                } else {
                    go_on(thread, None);
                }
            }
            // The first stop of each new thread.
            WaitStatus::Stopped(thread, Signal::SIGSTOP) | WaitStatus::PtraceEvent(thread, ..) => {
                go_on(thread, None);
            }
            WaitStatus::Stopped(thread, signal) => go_on(thread, Some(signal)),
            WaitStatus::Exited(ended, _) | WaitStatus::Signaled(ended, ..) if ended == process => {
                return true;
            }
            _ => {}
        }
    }
}

fn go_on(thread: Pid, signal: Option<Signal>) {
    match ptrace::syscall(thread, signal) {
        // It may have been killed meanwhile.
        Ok(()) | Err(Errno::ESRCH) => {}
        Err(error) => panic!("cannot trace {thread}: {error}"),
    }
}

impl Call {
    /// The next call of a stopped thread; `None` after the call, or if it is not in [`CALLS`].
    fn next(thread: Pid) -> Option<Self> {
        if ptrace::syscall_info(thread).ok()?.op != libc::PTRACE_SYSCALL_INFO_ENTRY {
            return None;
        }
        let registers = ptrace::getregs(thread).ok()?;
        let arguments = [registers.rdi, registers.rsi, registers.rdx, registers.r10];
        let (_, name, argument) =
            CALLS.iter().find(|(number, ..)| number.cast_unsigned() == registers.orig_rax)?;
        let about = match argument {
            FileArgument::Descriptor => {
                std::fs::read_link(format!("/proc/{thread}/fd/{}", arguments[0])).ok()?
            }
            FileArgument::Path(at) => path(thread, arguments[*at])?,
        };
        Some(Self { name, about })
    }
}

/// The text at an address of a thread.
fn path(thread: Pid, address: u64) -> Option<PathBuf> {
    let mut bytes = [0; 4096];
    let count = File::open(format!("/proc/{thread}/mem")).ok()?.read_at(&mut bytes, address).ok()?;
    let text = bytes[..count].split(|byte| *byte == 0).next()?;
    Some(PathBuf::from(OsStr::from_bytes(text)))
}
