//! `fifo`: two named pipes in a private folder, one per direction (mkfifo(3), fifo(7)).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::Link;
use crate::link::buffers::{Buffers, size_pipe};
use crate::link::stream::{StreamReceiver, StreamSender};
use crate::scratch;
use crate::sys::handle::Handle;
use crate::sys::{self, Unsupported};
use crate::system;
use std::fs::File;
use std::io;
use std::path::Path;

#[derive(Debug)]
pub(crate) struct Fifo;

const TO_RESPONDER: &str = "there";
const TO_INITIATOR: &str = "back";

impl Transport for Fifo {
    fn about(&self) -> About {
        control(
            "fifo",
            "FIFO",
            "pipe",
            system::UNIX,
            "Two FIFOs (mkfifo), one each way, unlinked after both ends opened them. write copies in, read \
             copies out.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        sys::fifo::support().and_then(|()| channel.not_empty()).and_then(|()| channel.pipe_buffer())
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let folder = scratch::folder()?;
        sys::fifo::create(&folder.path().join(TO_RESPONDER))?;
        sys::fifo::create(&folder.path().join(TO_INITIATOR))?;
        let address = scratch::text(folder.path())?;
        let parts = || Parts::at(address.clone());
        Ok(Channel { initiator: parts(), responder: parts(), folder: Some(folder), objects: None })
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let folder = Path::new(parts.address()?);
        // Opening waits for the other side, so both open the two in the same order.
        let open = |name: &str, write: bool| -> io::Result<Handle> {
            Ok(File::options().read(!write).write(write).open(folder.join(name))?.into())
        };
        let (writer, reader) = match end {
            End::Initiator => {
                let writer = open(TO_RESPONDER, true)?;
                (writer, open(TO_INITIATOR, false)?)
            }
            End::Responder => {
                let reader = open(TO_RESPONDER, false)?;
                (open(TO_INITIATOR, true)?, reader)
            }
        };
        // On both ends, because the other one may already start to measure.
        size_pipe(&writer, channel.buffer_bytes)?;
        size_pipe(&reader, channel.buffer_bytes)?;
        let buffers = Buffers::for_pipes(&writer, &reader);
        Ok(Link::new(StreamSender(writer), StreamReceiver(reader), buffers))
    }
}
