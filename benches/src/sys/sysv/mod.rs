//! System V message queues and semaphores (`sysvipc(7)`). They outlive the processes that use them, so their creator
//! owns them ([`Objects`]). It lists them in a temporary file: the next run removes the objects of a killed one.

pub(crate) mod queue;

pub use imp::{Objects, sweep};

#[cfg(unix)]
mod imp {
    //! Unix: `msgget`, `semget` and the operation `IPC_RMID` (POSIX).

    use super::kinds::{self, Kind};
    use crate::sys::liveness;
    use std::ffi::c_int;
    use std::io::{self, Write};
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;
    use tempfile::NamedTempFile;

    /// The start of a list's name; the number of its process follows.
    const PREFIX: &str = "roundtrip-sysv-";

    /// Queues and semaphores of this process. Removed when dropped, even while in use.
    #[derive(Debug)]
    pub struct Objects {
        all: Vec<Object>,
        list: NamedTempFile,
    }

    #[derive(Debug)]
    struct Object {
        kind: &'static Kind,
        id: c_int,
    }

    impl Objects {
        pub(crate) fn new() -> io::Result<Self> {
            let list =
                tempfile::Builder::new().prefix(&format!("{PREFIX}{}-", std::process::id())).tempfile()?;
            Ok(Self { all: Vec::new(), list })
        }

        /// Creates a queue without a key; returns its identifier.
        #[cfg(any(target_os = "linux", target_os = "freebsd"))]
        pub(crate) fn create_queue(&mut self) -> io::Result<c_int> {
            self.add(&kinds::QUEUE, kinds::create_queue()?)
        }

        /// Creates a set of semaphores of zero, without a key; returns its identifier.
        pub(crate) fn create_semaphores(&mut self, count: usize) -> io::Result<c_int> {
            self.add(&kinds::SEMAPHORES, kinds::create_semaphores(count)?)
        }

        fn add(&mut self, kind: &'static Kind, id: c_int) -> io::Result<c_int> {
            self.all.push(Object { kind, id });
            let created_s = (kind.created_s)(id).ok_or_else(io::Error::last_os_error)?;
            writeln!(self.list, "{} {id} {created_s}", kind.name)?;
            Ok(id)
        }
    }

    impl Drop for Objects {
        fn drop(&mut self) {
            for Object { kind, id } in &self.all {
                (kind.remove)(*id);
            }
        }
    }

    /// Removes the objects of dead processes.
    pub fn sweep() {
        for entry in liveness::leftovers(PREFIX) {
            // Another user must not choose what this one removes.
            if entry.metadata().is_ok_and(|file| file.uid() == rustix::process::geteuid().as_raw()) {
                remove_listed(&entry.path());
            }
        }
    }

    fn remove_listed(list: &Path) {
        let listed = std::fs::read_to_string(list).unwrap_or_default();
        for line in listed.lines() {
            let [name, id, created_s] = line.split(' ').collect::<Vec<_>>()[..] else { continue };
            let kind = kinds::ALL.iter().find(|kind| kind.name == name);
            let (Some(kind), Ok(id), Ok(created_s)) = (kind, id.parse(), created_s.parse()) else { continue };
            // The system may have given the identifier to another object since, at the latest after a restart.
            if (kind.created_s)(id) == Some(created_s) {
                (kind.remove)(id);
            }
        }
        let _ = std::fs::remove_file(list);
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::process::{Command, Stdio};

        fn exist(ids: [c_int; 2]) -> [bool; 2] {
            ids.map(|id| (kinds::SEMAPHORES.created_s)(id).is_some())
        }

        #[test]
        fn removes_objects_when_dropped() {
            let mut objects = Objects::new().unwrap();
            let ids = [1, 2].map(|count| objects.create_semaphores(count).unwrap());
            let list = objects.list.path().to_owned();
            assert!(list.exists());
            assert_eq!(exist(ids), [true; 2]);
            drop(objects);
            assert_eq!(exist(ids), [false; 2]);
            assert!(!list.exists());
        }

        #[test]
        fn sweeps_objects_of_dead_processes_only() {
            // This program with an argument that makes it end immediately.
            let mut program = Command::new(std::env::current_exe().unwrap());
            let mut dead = program.arg("--list").stdout(Stdio::null()).spawn().unwrap();
            dead.wait().unwrap();
            let mut ours = Objects::new().unwrap();
            let ids = [1, 1].map(|count| ours.create_semaphores(count).unwrap());
            let [left, reused] = ids;
            let created_s = (kinds::SEMAPHORES.created_s)(left).unwrap();
            let list = std::env::temp_dir().join(format!("{PREFIX}{}-x", dead.id()));
            let lines = format!("semaphores {left} {created_s}\nsemaphores {reused} {}\n?\n", created_s - 1);
            std::fs::write(&list, lines).unwrap();
            sweep();
            assert_eq!(exist(ids), [false, true]);
            assert!(!list.exists() && ours.list.path().exists());
        }
    }
}

#[cfg(unix)]
mod kinds {
    //! How to create, find and remove each kind of object.

    use std::ffi::c_int;
    use std::io;

    #[derive(Debug)]
    pub(super) struct Kind {
        pub(super) name: &'static str,
        /// When it was created, in seconds of the real-time clock; `None` if it does not exist.
        pub(super) created_s: fn(c_int) -> Option<i64>,
        pub(super) remove: fn(c_int),
    }

    pub(super) static ALL: &[&Kind] = &[
        #[cfg(any(target_os = "linux", target_os = "freebsd"))]
        &QUEUE,
        &SEMAPHORES,
    ];

    /// Only this user may use it.
    const MODE: c_int = 0o600;

    pub(super) static SEMAPHORES: Kind =
        Kind { name: "semaphores", created_s: semaphores_created_s, remove: remove_semaphores };

    #[expect(unsafe_code, reason = "semget(2)")]
    pub(super) fn create_semaphores(count: usize) -> io::Result<c_int> {
        let count = c_int::try_from(count).map_err(io::Error::other)?;
        // SAFETY: takes plain numbers.
        found(unsafe { libc::semget(libc::IPC_PRIVATE, count, libc::IPC_CREAT | MODE) })
    }

    #[expect(unsafe_code, reason = "semctl(2)")]
    fn semaphores_created_s(id: c_int) -> Option<i64> {
        // SAFETY: plain numbers and pointers, for which zeroes are valid.
        let mut found: libc::semid_ds = unsafe { std::mem::zeroed() };
        // SAFETY: the union semun holds a pointer to a live structure of the right type.
        (unsafe { libc::semctl(id, 0, libc::IPC_STAT, &raw mut found) } == 0).then_some(found.sem_ctime)
    }

    #[expect(unsafe_code, reason = "semctl(2)")]
    fn remove_semaphores(id: c_int) {
        // SAFETY: takes plain numbers. It fails if another has removed them.
        unsafe { libc::semctl(id, 0, libc::IPC_RMID) };
    }

    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    pub(super) static QUEUE: Kind = Kind { name: "queue", created_s: queue_created_s, remove: remove_queue };

    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    #[expect(unsafe_code, reason = "msgget(2)")]
    pub(super) fn create_queue() -> io::Result<c_int> {
        // SAFETY: takes plain numbers.
        found(unsafe { libc::msgget(libc::IPC_PRIVATE, libc::IPC_CREAT | MODE) })
    }

    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    #[expect(unsafe_code, reason = "msgctl(2)")]
    pub(super) fn queue_created_s(id: c_int) -> Option<i64> {
        // SAFETY: plain numbers and pointers, for which zeroes are valid.
        let mut found: libc::msqid_ds = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a live structure of the right type.
        (unsafe { libc::msgctl(id, libc::IPC_STAT, &raw mut found) } == 0).then_some(found.msg_ctime)
    }

    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    #[expect(unsafe_code, reason = "msgctl(2)")]
    pub(super) fn remove_queue(id: c_int) {
        // SAFETY: the operation uses no structure. It fails if another has removed it.
        unsafe { libc::msgctl(id, libc::IPC_RMID, std::ptr::null_mut()) };
    }

    fn found(id: c_int) -> io::Result<c_int> {
        if id < 0 { Err(io::Error::last_os_error()) } else { Ok(id) }
    }
}

#[cfg(not(unix))]
mod imp {
    //! Systems without System V IPC.

    /// There are none.
    #[derive(Debug)]
    pub enum Objects {}

    /// Does nothing.
    pub fn sweep() {}
}
