//! `fifo`: two named pipes in a private folder, one each way (mkfifo(3), fifo(7)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::Link;
use crate::link::buffers::{Buffers, size_pipe};
use crate::link::stream::{StreamReceiver, StreamSender};
use crate::sys::handle::Handle;
use crate::sys::{self, Unsupported};
use crate::system;
use std::fs::File;
use std::io;
use std::path::Path;

#[derive(Debug)]
pub(crate) struct Fifo;

const THERE: &str = "there";
const BACK: &str = "back";

impl Transport for Fifo {
    fn about(&self) -> About {
        control(
            "fifo",
            "FIFO",
            "pipe",
            system::UNIX,
            "Two named pipes, one each way, opened by path and removed once both ends have them. \
             A message is copied into the kernel by write and out of it by read.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        sys::fifo::support().and_then(|()| channel.not_empty()).and_then(|()| channel.pipe_buffer())
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let folder = crate::scratch::folder()?;
        sys::fifo::create(&folder.path().join(THERE))?;
        sys::fifo::create(&folder.path().join(BACK))?;
        let address = folder.path().to_str().map(str::to_owned).ok_or_else(|| {
            io::Error::other(format!("the temporary folder {} is not UTF-8", folder.path().display()))
        })?;
        let parts = || Parts::at(address.clone());
        Ok(Channel { initiator: parts(), responder: parts(), folder: Some(folder) })
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let folder = Path::new(parts.address()?);
        // Opening waits for the other side, so both open the two in the same order.
        let open = |name: &str, write: bool| -> io::Result<Handle> {
            Ok(File::options().read(!write).write(write).open(folder.join(name))?.into())
        };
        let (writer, reader) = match end {
            End::Initiator => {
                let writer = open(THERE, true)?;
                (writer, open(BACK, false)?)
            }
            End::Responder => {
                let reader = open(THERE, false)?;
                (open(BACK, true)?, reader)
            }
        };
        // Whichever end comes first: the other may measure at once.
        size_pipe(&writer, channel.buffer_bytes)?;
        size_pipe(&reader, channel.buffer_bytes)?;
        let buffers = Buffers::of_pipes(&writer, &reader);
        Ok(Link::new(StreamSender(writer), StreamReceiver(reader), buffers))
    }
}
