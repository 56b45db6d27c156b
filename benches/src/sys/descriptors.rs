//! The settings of another process's channels, and the processors on which it may run.

use serde::{Deserialize, Serialize};

/// The settings of one process.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Settings {
    /// Its sockets and pipes, except standard input, output and error.
    pub channels: Vec<Channel>,
    /// The processors on which each of its threads may run, without duplicates: `0-3`.
    pub allowed_cpus: Vec<String>,
}

/// The settings of a socket or a pipe. Absent if it has none, or if they cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Channel {
    /// `tcp`, `udp`, `unix-stream`, `unix-datagram`, `pipe`, or `socket` for others.
    pub kind: String,
    /// `SO_SNDBUF`, as Linux reports it: twice the requested size.
    pub send_bytes: Option<u64>,
    /// `SO_RCVBUF`.
    pub receive_bytes: Option<u64>,
    /// `TCP_NODELAY`.
    pub no_delay: Option<bool>,
    /// Capacity of a pipe.
    pub capacity_bytes: Option<u64>,
    /// `O_NONBLOCK`.
    pub non_blocking: Option<bool>,
}

/// Reads them; the reason if the system does not allow it.
pub use imp::read;

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `pidfd_getfd(2)`, which the right to trace permits, and `/proc/PID`.

    use super::{Channel, Settings};
    use crate::sys::tree::Tree;
    use crate::sys::{Unsupported, pipe_capacity};
    use rustix::fs::{OFlags, fcntl_getfl};
    use rustix::net::{AddressFamily, SocketType, sockopt};
    use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
    use std::collections::BTreeSet;
    use std::os::fd::{AsFd, OwnedFd};

    /// Reads the settings of a running process.
    ///
    /// # Errors
    /// The reason why its descriptors cannot be duplicated.
    pub fn read(pid: u32) -> Result<Settings, Unsupported> {
        let tree = Tree::system();
        let refused = |error: rustix::io::Errno| {
            Unsupported::because(format!(
                "reading the settings of sockets and pipes needs the right to trace: {error}"
            ))
        };
        let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let process = process.ok_or_else(|| Unsupported::because(format!("no process {pid}")))?;
        let pidfd = pidfd_open(process, PidfdFlags::empty()).map_err(refused)?;
        let mut descriptors: Vec<i32> =
            tree.names(&format!("/proc/{pid}/fd")).iter().filter_map(|name| name.parse().ok()).collect();
        descriptors.sort_unstable();
        let mut channels = Vec::new();
        for number in descriptors.into_iter().filter(|number| *number > 2) {
            let target = std::fs::read_link(format!("/proc/{pid}/fd/{number}")).unwrap_or_default();
            let target = target.to_string_lossy();
            if target.starts_with("socket:") || target.starts_with("pipe:") {
                match pidfd_getfd(&pidfd, number, PidfdGetfdFlags::empty()) {
                    Ok(descriptor) => channels.push(channel(descriptor, target.starts_with("pipe:"))),
                    // It has been closed.
                    Err(rustix::io::Errno::BADF) => {}
                    Err(error) => return Err(refused(error)),
                }
            }
        }
        let threads = tree.names(&format!("/proc/{pid}/task"));
        let allowed =
            |thread: &String| tree.field(&format!("/proc/{pid}/task/{thread}/status"), "Cpus_allowed_list:");
        let allowed: BTreeSet<String> = threads.iter().filter_map(allowed).collect();
        Ok(Settings { channels, allowed_cpus: allowed.into_iter().collect() })
    }

    fn channel(descriptor: OwnedFd, is_pipe: bool) -> Channel {
        let non_blocking = fcntl_getfl(&descriptor).ok().map(|flags| flags.contains(OFlags::NONBLOCK));
        if is_pipe {
            let capacity_bytes = pipe_capacity::get(&descriptor);
            return Channel { kind: "pipe".into(), capacity_bytes, non_blocking, ..Channel::default() };
        }
        let socket = descriptor.as_fd();
        let family = sockopt::socket_domain(socket).ok();
        let kind = match (family, sockopt::socket_type(socket).ok()) {
            (Some(AddressFamily::INET | AddressFamily::INET6), Some(SocketType::STREAM)) => "tcp",
            (Some(AddressFamily::INET | AddressFamily::INET6), Some(SocketType::DGRAM)) => "udp",
            (Some(AddressFamily::UNIX), Some(SocketType::STREAM)) => "unix-stream",
            (Some(AddressFamily::UNIX), Some(_)) => "unix-datagram",
            _ => "socket",
        };
        Channel {
            kind: kind.into(),
            send_bytes: sockopt::socket_send_buffer_size(socket).ok().map(|bytes| bytes as u64),
            receive_bytes: sockopt::socket_recv_buffer_size(socket).ok().map(|bytes| bytes as u64),
            no_delay: if kind == "tcp" { sockopt::tcp_nodelay(socket).ok() } else { None },
            capacity_bytes: None,
            non_blocking,
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::net::{TcpListener, TcpStream};

        #[test]
        fn reads_the_settings_of_a_socket_and_a_pipe() {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            stream.set_nodelay(true).unwrap();
            stream.set_nonblocking(true).unwrap();
            let (_reader, writer) = std::io::pipe().unwrap();
            let capacity = rustix::pipe::fcntl_getpipe_size(&writer).unwrap() as u64;
            let settings = match read(std::process::id()) {
                Err(reason) => return println!("not tested: {reason}"),
                Ok(settings) => settings,
            };
            let is_ours =
                |channel: &Channel| channel.no_delay == Some(true) && channel.non_blocking == Some(true);
            assert!(settings.channels.iter().any(is_ours), "{settings:?}");
            let is_pipe =
                |channel: &Channel| channel.kind == "pipe" && channel.capacity_bytes == Some(capacity);
            assert!(settings.channels.iter().any(is_pipe), "{settings:?}");
            assert!(!settings.allowed_cpus.is_empty());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    //! Systems without a call that duplicates another process's descriptor.

    use super::Settings;
    use crate::sys::Unsupported;

    /// Reads nothing.
    ///
    /// # Errors
    /// Always.
    pub fn read(_pid: u32) -> Result<Settings, Unsupported> {
        Err(Unsupported::because("reading the settings of sockets and pipes is supported only on Linux"))
    }
}
