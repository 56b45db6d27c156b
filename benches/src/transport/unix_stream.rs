//! `unix-stream`: a Unix stream socket, listened for and connected to by its path (unix(7)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control, socketpair};
use crate::link::Link;
use crate::sys::{Unsupported, socket};
use crate::system::{Home, System};
use socket2::{Domain, SockAddr, Socket, Type};
use std::io;
use std::path::Path;

#[derive(Debug)]
pub(crate) struct UnixStream;

const NAME: &str = "s";

impl Transport for UnixStream {
    fn about(&self) -> About {
        const SYSTEMS: &[Home] = &[
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
            "A Unix stream socket, connected to by a path that is removed once both ends have it. \
             A message is copied into the kernel by write and out of it by read.",
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
        let folder = crate::scratch::folder()?;
        let path = folder.path().join(NAME);
        let listener = create()?;
        let name = SockAddr::unix(&path).map_err(|error| explain(error, &path))?;
        listener.bind(&name).and_then(|()| listener.listen(1))?;
        let address = path.to_str().map(str::to_owned);
        let address = address.ok_or_else(|| {
            io::Error::other(format!("the temporary folder {} is not UTF-8", path.display()))
        })?;
        Ok(Channel {
            initiator: Parts::at(address),
            responder: Parts::of([listener.into()]),
            folder: Some(folder),
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
                socket::of(listener)?.accept()?.0
            }
        };
        socketpair::stream_socket(stream.into(), channel)
    }
}

/// A socket that is not connected yet, closed in children.
fn create() -> io::Result<Socket> {
    Socket::new(Domain::UNIX, Type::STREAM, None)
}

/// The field for a path is 108 bytes on Linux and 104 on macOS and FreeBSD, with the NUL at its end (unix(4), unix(7)).
fn explain(error: io::Error, path: &Path) -> io::Error {
    if error.kind() != io::ErrorKind::InvalidInput {
        return error;
    }
    let length = path.as_os_str().len();
    let reason = format!(
        "the path of a Unix socket is too long ({length} bytes: {}): set TMPDIR to a shorter folder",
        path.display()
    );
    io::Error::new(error.kind(), reason)
}
