//! Sockets between a virtual machine and its host, here over the loopback of this machine.

use super::Unsupported;
use super::handle::Handle;
use std::io;

pub(crate) use imp::support;

/// Creates a socket that listens, and the port on which it does.
pub(crate) use imp::listen;

/// Connects to the port.
pub(crate) use imp::connect;

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: vsock(7), with `VMADDR_CID_LOCAL` for this machine, which needs the module `vsock_loopback`.

    use super::*;
    use libc::{VMADDR_CID_LOCAL, VMADDR_PORT_ANY};
    use socket2::{Domain, SockAddr, Socket, Type};

    pub(crate) fn support() -> Result<(), Unsupported> {
        listen().map(drop).map_err(|error| {
            Unsupported::because(match error.raw_os_error() {
                Some(libc::EADDRNOTAVAIL) => {
                    "vsock needs the kernel module vsock_loopback for connections on this machine: modprobe \
                     vsock_loopback"
                        .to_owned()
                }
                Some(libc::EAFNOSUPPORT) => "this kernel has no vsock (CONFIG_VSOCKETS)".to_owned(),
                _ => format!("vsock: {error}"),
            })
        })
    }

    pub(crate) fn listen() -> io::Result<(Handle, u32)> {
        let socket = Socket::new(Domain::VSOCK, Type::STREAM, None)?;
        socket.bind(&SockAddr::vsock(VMADDR_CID_LOCAL, VMADDR_PORT_ANY))?;
        socket.listen(1)?;
        let (_, port) = socket.local_addr()?.as_vsock_address().ok_or(io::ErrorKind::InvalidData)?;
        Ok((socket.into(), port))
    }

    pub(crate) fn connect(port: u32) -> io::Result<Handle> {
        let socket = Socket::new(Domain::VSOCK, Type::STREAM, None)?;
        socket.connect(&SockAddr::vsock(VMADDR_CID_LOCAL, port))?;
        Ok(socket.into())
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    //! Systems without an implementation yet.

    use super::*;
    pub(crate) fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("vsock exists only on Linux"))
    }

    missing! {
        pub(crate) fn listen() -> (Handle, u32);
        pub(crate) fn connect(u32) -> Handle;
    }
}
