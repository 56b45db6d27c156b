//! Linux: notifies systemd when the agent has started (`sd_notify(3)`). Confined programs have their own temporary folders,
//! shared memory and message queues, and write only to their own folders. Except for builds, they have a network with only the
//! loopback.

use super::{Folders, Limits, System};
use rustix::fs::CWD;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind, mount_change,
    move_mount, open_tree,
};
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{UnshareFlags, set_no_new_privs};
use std::ffi::{CStr, CString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

pub(crate) use super::unix::*;

pub(crate) const SYSTEM: System = System::Linux;

pub(crate) fn ready() {
    // Without a listening service manager, the agent works the same.
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
}

pub(crate) fn can_record() -> Result<(), String> {
    Ok(())
}

pub(crate) fn become_confined(
    limits: Limits,
    folders: &Folders,
    has_network: bool,
    mut command: Command,
) -> io::Error {
    // The agent logs at its start if this is impossible.
    let _ = limit_total(limits);
    let network = if has_network { block_link_local(limits.user_id) } else { leave_network() };
    if let Err(error) = network.and_then(|()| isolate(limits, folders)) {
        return error;
    }
    become_user_and_die_with_parent(&mut command);
    become_user(limits, command)
}

pub(crate) fn release_user(user_id: u32) {
    for (family, addresses) in LINK_LOCAL {
        let _ = change_rule("del", family, addresses, user_id);
    }
    for (folder, _) in groups(Limits { user_id, ..Limits::default() }) {
        // Fails if it does not exist, or while processes end.
        let _ = fs::remove_dir(folder);
    }
}

// Limits for all processes of a user together, by a control group (cgroups(7)) of version 2, else by two of version 1.

const GROUPS: &str = "/sys/fs/cgroup";

pub(crate) fn can_limit_total() -> Result<(), String> {
    // A group of no user.
    let limits = Limits { user_id: u32::MAX, memory_bytes: 1 << 30, processes: 1, ..Limits::default() };
    let made = prepare_groups(limits);
    release_user(limits.user_id);
    made.map_err(|error| error.to_string())
}

/// The groups of a user, and the limits in their files.
fn groups(limits: Limits) -> Vec<(PathBuf, Vec<(&'static str, u64)>)> {
    let root = Path::new(GROUPS);
    let name = format!("roundtrip-job-{}", limits.user_id);
    let processes = ("pids.max", limits.processes);
    if root.join("cgroup.controllers").exists() {
        let memory = [("memory.max", limits.memory_bytes), ("memory.swap.max", 0), ("memory.oom.group", 1)];
        return vec![(root.join(name), [&memory[..], &[processes]].concat())];
    }
    let memory = ("memory.limit_in_bytes", limits.memory_bytes);
    vec![(root.join("memory").join(&name), vec![memory]), (root.join("pids").join(name), vec![processes])]
}

fn prepare_groups(limits: Limits) -> io::Result<()> {
    let root = Path::new(GROUPS);
    if root.join("cgroup.controllers").exists() {
        write(&root.join("cgroup.subtree_control"), "+memory +pids")?;
    }
    for (folder, values) in groups(limits) {
        if !folder.exists() {
            fs::create_dir(&folder)?;
        }
        for (file, value) in values {
            match write(&folder.join(file), &value.to_string()) {
                // A system without swap.
                Err(error) if file == "memory.swap.max" && error.kind() == io::ErrorKind::NotFound => {}
                written => written?,
            }
        }
    }
    Ok(())
}

fn limit_total(limits: Limits) -> io::Result<()> {
    prepare_groups(limits)?;
    // 0 is the writing process.
    groups(limits).iter().try_for_each(|(folder, _)| write(&folder.join("cgroup.procs"), "0"))
}

/// Writes to an existing file.
fn write(file: &Path, text: &str) -> io::Result<()> {
    File::options().write(true).open(file)?.write_all(text.as_bytes())
}

// Link-local addresses are unreachable for builds: in clouds, they serve credentials of the machine.

const LINK_LOCAL: [(&str, &str); 2] = [("-4", "169.254.0.0/16"), ("-6", "fe80::/10")];

/// Adds rules for the user's sockets. They stay until [`release_user()`].
fn block_link_local(user_id: u32) -> io::Result<()> {
    for (family, addresses) in LINK_LOCAL {
        if family == "-6" && !Path::new("/proc/net/if_inet6").exists() {
            continue;
        }
        let failed = |reason: &str| {
            io::Error::other(format!("cannot block {addresses} with ip(8), from iproute2: {}", reason.trim()))
        };
        let output =
            change_rule("add", family, addresses, user_id).map_err(|error| failed(&error.to_string()))?;
        let reason = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() && !reason.contains("File exists") {
            return Err(failed(&reason));
        }
    }
    Ok(())
}

fn change_rule(verb: &str, family: &str, addresses: &str, user_id: u32) -> io::Result<std::process::Output> {
    let users = format!("{user_id}-{user_id}");
    // With a fixed preference, the same rule cannot be added twice.
    let rule = ["rule", verb, "pref", "100", "uidrange", &users, "to", addresses, "unreachable"];
    Command::new("ip").arg(family).args(rule).output()
}

// Folders, shared memory and message queues.

/// Folders of the machine that all users may write to. They share one file system in memory.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// The file system of POSIX message queues.
const QUEUES: &str = "/dev/mqueue";

/// Limits of a namespace in `/proc/sys`, which the machine's owner may have changed.
const IPC_LIMITS: [&str; 7] = [
    "fs/mqueue/msg_max",
    "fs/mqueue/msgsize_max",
    "fs/mqueue/queues_max",
    "kernel/msgmax",
    "kernel/msgmnb",
    "kernel/msgmni",
    "kernel/sem",
];

/// Moves to new namespaces (namespaces(7)), in which only its own folders are writable. Their contents end with the
/// processes.
fn isolate(limits: Limits, folders: &Folders) -> io::Result<()> {
    let working = std::env::current_dir()?;
    let state = folders.state.canonicalize()?;
    let ipc_limits = IPC_LIMITS.map(|name| Path::new("/proc/sys").join(name));
    let ipc_limits = ipc_limits.map(|file| (fs::read_to_string(&file), file));
    // SAFETY: these flags change nothing that memory safety depends on.
    #[expect(unsafe_code, reason = "some flags of unshare(2) would take file descriptors away")]
    unsafe {
        rustix::thread::unshare_unsafe(UnshareFlags::NEWNS | UnshareFlags::NEWIPC)?;
    }
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    // systemd may have made it read-only, as a mount of its own.
    let _ = set_read_only(Path::new("/proc/sys"), false, false);
    for (value, file) in ipc_limits {
        // If a limit cannot be set, programs have the default.
        let _ = value.and_then(|value| write(&file, &value));
    }
    set_read_only(Path::new("/"), true, true)?;
    // Programs change their own settings there, such as `oom_score_adj`.
    set_read_only(Path::new("/proc"), false, false)?;

    let cloned =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    let visible = open_tree(CWD, state.as_path(), cloned)?;
    let [first, others @ ..] = TEMPORARY;
    let size = CString::new(format!("mode=1777,size={}", limits.memory_bytes))?;
    mount("tmpfs", first, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, size.as_c_str())?;
    for other in others.iter().filter(|folder| Path::new(folder).exists()) {
        mount_bind(first, *other)?;
    }
    if TEMPORARY.iter().any(|folder| state.starts_with(folder)) {
        fs::create_dir_all(&state)?;
        move_mount(&visible, "", CWD, state.as_path(), MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    }
    if Path::new(QUEUES).exists() {
        mount(
            "mqueue",
            QUEUES,
            "mqueue",
            MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC,
            None::<&CStr>,
        )?;
    }
    for own in [Some(&folders.home), folders.work_tree.as_ref()].into_iter().flatten() {
        mount_bind(own.as_path(), own.as_path())?;
        set_read_only(own, false, false)?;
    }
    // The same folder, as it is mounted now.
    std::env::set_current_dir(working)
}

/// Changes whether a mount can be written to, and those below it.
fn set_read_only(mounted: &Path, is_recursive: bool, is_read_only: bool) -> io::Result<()> {
    let path = CString::new(mounted.as_os_str().as_bytes())?;
    let (set, clear) = if is_read_only { (libc::MOUNT_ATTR_RDONLY, 0) } else { (0, libc::MOUNT_ATTR_RDONLY) };
    let change = libc::mount_attr { attr_set: set, attr_clr: clear, propagation: 0, userns_fd: 0 };
    let flags = if is_recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: mount_setattr(2) reads a path that ends with zero, and one `mount_attr` of this size.
    #[expect(unsafe_code, reason = "rustix does not have this system call")]
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const change,
            size_of_val(&change),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Runs this with a user's permissions on files. Only root can have those of another user.
pub(super) fn with_files_of<T: Send>(
    user_id: u32,
    group_id: u32,
    act: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
    if !is_administrator() || user_id == 0 {
        return act();
    }
    let act = move || {
        // SAFETY: setfsuid(2) and setfsgid(2) change only this thread. An invalid ID only returns the current one.
        #[expect(unsafe_code, reason = "rustix does not have these system calls")]
        let current = unsafe {
            libc::setfsgid(group_id);
            libc::setfsuid(user_id);
            (libc::setfsuid(u32::MAX), libc::setfsgid(u32::MAX))
        };
        if current != (user_id.cast_signed(), group_id.cast_signed()) {
            return Err(io::Error::other(format!("cannot use the permissions of user {user_id}")));
        }
        act()
    };
    thread::scope(|scope| scope.spawn(act).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// `IFF_UP` of netdevice(7), in the type of the structure.
const UP: libc::c_short = 1;

/// Moves to a network namespace with only the loopback, and brings it up: programs talk over it among
/// themselves.
fn leave_network() -> io::Result<()> {
    // SAFETY: this flag changes nothing that memory safety depends on.
    #[expect(unsafe_code, reason = "some flags of unshare(2) would take file descriptors away")]
    unsafe {
        rustix::thread::unshare_unsafe(UnshareFlags::NEWNET)?;
    }
    let socket = UnixDatagram::unbound()?;
    let mut request: libc::ifreq = name_of_loopback();
    // SAFETY: netdevice(7): SIOCSIFFLAGS reads the name and the flags of one `ifreq`.
    #[expect(unsafe_code, reason = "an ioctl(2)")]
    let result = unsafe {
        request.ifr_ifru.ifru_flags = UP;
        // A signed number in musl.
        libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as libc::Ioctl, &raw const request)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn name_of_loopback() -> libc::ifreq {
    // SAFETY: all of its members are numbers, for which zero is a value.
    #[expect(unsafe_code, reason = "a structure of the system")]
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(*b"lo") {
        *to = from.cast_signed() as libc::c_char;
    }
    request
}

/// A change of the user resets the parent-death signal (prctl(2)), so it is set again afterwards. No program
/// can regain privileges after this.
#[expect(unsafe_code, reason = "pre_exec runs between the change of the user and exec")]
fn become_user_and_die_with_parent(command: &mut Command) {
    // SAFETY: the closure makes two system calls and touches no memory.
    unsafe {
        command.pre_exec(|| {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            Ok(set_no_new_privs(true)?)
        });
    }
}
