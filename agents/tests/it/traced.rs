//! A program that is stopped before each of its system calls, by ptrace(2), and can be killed there: what is on the disk and
//! what was sent is then just what the calls before have done. Its threads are followed, and programs that it starts are not.

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

/// A call that is about to be made.
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

/// What says which file a call is about.
enum Told {
    Descriptor,
    /// The path that is this argument.
    Path(usize),
}

/// The calls that read or change files, or send or receive: those that the programs of this repository make.
const CALLS: [(i64, &str, Told); 16] = [
    (libc::SYS_openat, "openat", Told::Path(1)),
    (libc::SYS_rename, "rename", Told::Path(1)),
    (libc::SYS_renameat, "renameat", Told::Path(3)),
    (libc::SYS_renameat2, "renameat2", Told::Path(3)),
    (libc::SYS_unlink, "unlink", Told::Path(0)),
    (libc::SYS_unlinkat, "unlinkat", Told::Path(1)),
    (libc::SYS_mkdir, "mkdir", Told::Path(0)),
    (libc::SYS_chmod, "chmod", Told::Path(0)),
    (libc::SYS_fchmod, "fchmod", Told::Descriptor),
    (libc::SYS_write, "write", Told::Descriptor),
    (libc::SYS_fsync, "fsync", Told::Descriptor),
    (libc::SYS_fdatasync, "fdatasync", Told::Descriptor),
    (libc::SYS_flock, "flock", Told::Descriptor),
    (libc::SYS_connect, "connect", Told::Descriptor),
    (libc::SYS_sendto, "sendto", Told::Descriptor),
    (libc::SYS_recvfrom, "recvfrom", Told::Descriptor),
];

/// Runs a program until it ends, and asks before each of its calls on files and sockets; a break kills it there. False if this
/// system lets nobody trace.
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
    // It has stopped because of exec.
    waitpid(process, None).unwrap();
    let options = Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACECLONE | Options::PTRACE_O_EXITKILL;
    ptrace::setoptions(process, options).unwrap();
    go_on(process, None);
    loop {
        // Not the children of other tests.
        match waitpid(None, Some(WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD)).unwrap() {
            WaitStatus::PtraceSyscall(thread) => {
                if Call::of(thread).is_some_and(|call| before(&call).is_break()) {
                    // One that dies where it is stopped before a call does not make it.
                    kill(process, Signal::SIGKILL).unwrap();
                } else {
                    go_on(thread, None);
                }
            }
            // How each new thread begins.
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
        // It was killed meanwhile.
        Ok(()) | Err(Errno::ESRCH) => {}
        Err(error) => panic!("cannot trace {thread}: {error}"),
    }
}

impl Call {
    /// What a stopped thread is about to do; none if it has done it, or it is none of [`CALLS`].
    fn of(thread: Pid) -> Option<Self> {
        if ptrace::syscall_info(thread).ok()?.op != libc::PTRACE_SYSCALL_INFO_ENTRY {
            return None;
        }
        let registers = ptrace::getregs(thread).ok()?;
        let arguments = [registers.rdi, registers.rsi, registers.rdx, registers.r10];
        let (_, name, told) =
            CALLS.iter().find(|(number, ..)| number.cast_unsigned() == registers.orig_rax)?;
        let about = match told {
            Told::Descriptor => std::fs::read_link(format!("/proc/{thread}/fd/{}", arguments[0])).ok()?,
            Told::Path(at) => path(thread, arguments[*at])?,
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
