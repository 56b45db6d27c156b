//! The required requests of ptrace(2), and waiting for a stop without reaping a process instead of its parent. Only
//! the thread that seized the process may use them.

use libc::{c_int, c_long};
use std::io;
use std::mem::{offset_of, size_of};

#[derive(Clone, Copy)]
pub(super) enum Watched {
    /// All threads that the calling thread has seized.
    All,
    Thread(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    pub(super) tid: u32,
    pub(super) why: StopReason,
}

/// Why a thread has stopped, which decides how to resume it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    SystemCall,
    Exit,
    /// It was stopped by [`interrupt`], or resumes after a group stop.
    Interrupt,
    /// It and its whole process are stopped by a signal such as SIGSTOP.
    Group,
    /// It is about to receive this signal.
    Signal(c_int),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Entry {
        number: u64,
        arguments: [u64; 6],
    },
    Exit {
        /// The error's number if the call failed.
        result: Result<u64, i32>,
    },
    Neither,
}

/// With `new_threads`, the threads and processes that it starts are seized too.
pub(super) fn seize(tid: u32, new_threads: bool) -> io::Result<()> {
    let started = libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_TRACEFORK | libc::PTRACE_O_TRACEVFORK;
    let options =
        libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_TRACEEXIT | if new_threads { started } else { 0 };
    request(libc::PTRACE_SEIZE as c_long, tid, 0, options as usize)
}

pub(super) fn interrupt(tid: u32) -> io::Result<()> {
    request(libc::PTRACE_INTERRUPT as c_long, tid, 0, 0)
}

/// Resumes a stopped thread until its next system call begins or ends, with this signal; 0 is none.
pub(super) fn resume(tid: u32, signal: c_int) -> io::Result<()> {
    request(libc::PTRACE_SYSCALL as c_long, tid, 0, signal as usize)
}

/// Leaves a thread in its group stop, but reports when the stop is over.
pub(super) fn listen(tid: u32) -> io::Result<()> {
    request(libc::PTRACE_LISTEN as c_long, tid, 0, 0)
}

/// Detaches a stopped thread, which resumes with this signal; 0 is none.
pub(super) fn detach(tid: u32, signal: c_int) -> io::Result<()> {
    request(libc::PTRACE_DETACH as c_long, tid, 0, signal as usize)
}

/// `struct ptrace_syscall_info` of <linux/ptrace.h>, since Linux 5.3; the C library of musl has none.
#[repr(C)]
#[derive(Default)]
struct Information {
    operation: u8,
    padding: [u8; 3],
    architecture: u32,
    instruction_pointer: u64,
    stack_pointer: u64,
    /// On entry the number and six arguments; on exit the result, and one byte for whether it is an error.
    words: [u64; 7],
}

/// `PTRACE_GET_SYSCALL_INFO`: the same on every processor, unlike the registers.
const GET_SYSCALL_INFO: c_long = 0x420e;
const OPERATION_ENTRY: u8 = 1;
const OPERATION_EXIT: u8 = 2;

pub(super) fn progress(tid: u32) -> io::Result<Progress> {
    const { assert!(offset_of!(Information, words) == 24) };
    let mut information = Information::default();
    request(GET_SYSCALL_INFO, tid, size_of::<Information>(), (&raw mut information).expose_provenance())?;
    let [first, rest @ ..] = information.words;
    let is_error = rest[0].to_ne_bytes()[0] != 0;
    Ok(match information.operation {
        OPERATION_ENTRY => Progress::Entry { number: first, arguments: rest },
        OPERATION_EXIT if is_error => {
            // The result is the negative number of the error.
            let error = i32::try_from(first.cast_signed().wrapping_neg()).unwrap_or_default();
            Progress::Exit { result: Err(error) }
        }
        OPERATION_EXIT => Progress::Exit { result: Ok(first) },
        _ => Progress::Neither,
    })
}

/// Through `syscall`, because C libraries disagree about the types of `ptrace`.
#[expect(unsafe_code, reason = "a system call that may write to the address in its last argument")]
fn request(request: c_long, tid: u32, address: usize, data: usize) -> io::Result<()> {
    // SAFETY: only GET_SYSCALL_INFO writes to this process: at most `address` bytes to `data`, which is then the
    // address of a live structure of that size. The other requests take numbers.
    let result = unsafe { libc::syscall(libc::SYS_ptrace, request, c_long::from(tid), address, data) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Waits until one of them stops.
///
/// Without `WEXITED` no process is reaped here, and with `__WNOTHREAD` no other thread's children are seen.
///
/// # Errors
/// Interrupted by a signal, or `ECHILD` if all of them have ended.
#[expect(unsafe_code, reason = "a call of the C library, and a field of a union")]
pub(super) fn wait(watched: Watched) -> io::Result<Stop> {
    let (kind, id) = match watched {
        Watched::All => (libc::P_ALL, 0),
        Watched::Thread(tid) => (libc::P_PID, tid),
    };
    // SAFETY: siginfo_t is plain numbers, for which all zeroes is a valid value.
    let mut information: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WSTOPPED | libc::__WALL | libc::__WNOTHREAD;
    // SAFETY: the pointer is to a live structure of the right type.
    if unsafe { libc::waitid(kind, id, &raw mut information, options) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: these fields are those that waitid fills in.
    let (pid, status) = unsafe { (information.si_pid(), information.si_status()) };
    let tid = u32::try_from(pid).map_err(io::Error::other)?;
    Ok(Stop { tid, why: why(status) })
}

/// Decodes a stop's status: the signal, and in the second byte the ptrace event, if any.
fn why(status: c_int) -> StopReason {
    let (signal, event) = (status & 0xff, status >> 8);
    match event {
        libc::PTRACE_EVENT_EXIT => StopReason::Exit,
        libc::PTRACE_EVENT_STOP if signal != libc::SIGTRAP => StopReason::Group,
        0 if signal == libc::SIGTRAP | 0x80 => StopReason::SystemCall,
        0 => StopReason::Signal(signal),
        _ => StopReason::Interrupt,
    }
}
