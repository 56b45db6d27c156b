//! `unix-stream`: a Unix stream socket that listens and connects by path (unix(7)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control, socketpair};
use crate::link::Link;
use crate::scratch;
use crate::sys::{Unsupported, socket};
use crate::system::{SupportedSystem, System};
use socket2::{Domain, SockAddr, Socket, Type};
use std::io;
use std::path::Path;

#[derive(Debug)]
pub(crate) struct UnixStream;

const NAME: &str = "s";

impl Transport for UnixStream {
    fn about(&self) -> About {
        const SYSTEMS: &[SupportedSystem] = &[
            System::FreeBsd.always(),
            System::Linux.always(),
            System::MacOs.always(),
            System::Windows.sometimes("since Windows 10 1803; Wine 8 has none"),
        ];
        control(
            "unix-stream",
            "Unix stream socket",
            "socket",
            SYSTEMS,
            "A Unix stream socket, connected by path. write copies in, read copies out.",
        )
    }

    fn passes_handles(&self, on: System) -> bool {
        on != System::Windows
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty()?;
        create().map(drop).map_err(|error| Unsupported::because(format!("Unix stream sockets: {error}")))
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let folder = scratch::folder()?;
        let path = folder.path().join(NAME);
        let listener = create()?;
        let name = SockAddr::unix(&path).map_err(|error| explain(error, &path))?;
        listener.bind(&name).and_then(|()| listener.listen(1))?;
        Ok(Channel {
            initiator: Parts::at(scratch::text(&path)?),
            responder: Parts::from_handles([listener.into()]),
            folder: Some(folder),
            objects: None,
        })
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let stream = match end {
            End::Initiator => {
                let stream = create()?;
                stream.connect(&SockAddr::unix(parts.address()?)?)?;
                stream
            }
            End::Responder => {
                let [listener] = parts.take()?;
                socket::from_handle(listener)?.accept()?.0
            }
        };
        socketpair::stream_socket(stream.into(), channel)
    }
}

/// An unconnected socket, closed in children.
fn create() -> io::Result<Socket> {
    Socket::new(Domain::UNIX, Type::STREAM, None)
}

/// The field for a path is 108 bytes on Linux and 104 on macOS and FreeBSD, including the NUL at its end (unix(4),
/// unix(7)).
fn explain(error: io::Error, path: &Path) -> io::Error {
    if error.kind() != io::ErrorKind::InvalidInput {
        return error;
    }
    let length = path.as_os_str().len();
    let reason = format!(
        "the Unix socket path {} is too long ({length} bytes). Set TMPDIR to a shorter folder.",
        path.display()
    );
    io::Error::new(error.kind(), reason)
}
