//! `process-vm-readv`: the address of a message is sent, and the receiver copies it directly from the sender's memory
//! (`process_vm_readv(2)`).

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::Buffers;
use crate::link::out_of_line::{self, Lent, ReturningReceiver, Returns};
use crate::link::stream::{StreamReceiver, StreamSender};
use crate::link::{Link, Receiver, Sender};
use crate::memory::Memory;
use crate::sys::socket::{self, Kind};
use crate::sys::{Unsupported, remote_memory, wake};
use crate::system;
use std::io;

#[derive(Debug)]
pub(crate) struct ProcessVmReadv;

const NUMBER_BYTES: usize = size_of::<u64>();

impl Transport for ProcessVmReadv {
    fn about(&self) -> About {
        control(
            "process-vm-readv",
            "process_vm_readv",
            "out-of-line",
            system::LINUX,
            "A Unix stream socket carries the message's address; the receiver copies the message directly \
             from the sender's memory.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.not_empty().and_then(|()| channel.default_buffer())?;
        remote_memory::support().and_then(|()| wake::support())
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let (initiator, responder) = socket::pair(Kind::Stream)?;
        let page = out_of_line::page()?;
        Ok(Channel::from_handles([initiator, page.try_clone()?], [responder, page]))
    }

    fn connect(&self, end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        remote_memory::permit();
        let [socket, page] = parts.take()?;
        let returns = Returns::new(&page, end == End::Initiator)?;
        let mut addresses = StreamReceiver(socket.try_clone()?);
        let mut sender = StreamSender(socket);
        sender.send(&u64::from(std::process::id()).to_le_bytes())?;
        let process = u32::try_from(number(&mut addresses)?).map_err(io::Error::other)?;
        Ok(Link::new(
            AddressSender { addresses: sender, lent: Lent::new(returns.clone()) },
            ReturningReceiver::new(AddressReceiver { addresses, process }, returns),
            Buffers::default(),
        ))
    }
}

fn number(from: &mut StreamReceiver) -> io::Result<u64> {
    let mut bytes = [0; NUMBER_BYTES];
    from.receive(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

struct AddressSender {
    addresses: StreamSender,
    lent: Lent,
}

impl Sender for AddressSender {
    #[inline]
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        let located = self.lent.locate(message)?;
        self.addresses.send(&(located.bytes.as_ptr().addr() as u64).to_le_bytes())
    }

    fn allocate(&mut self, bytes: usize) -> io::Result<Memory> {
        Ok(self.lent.allocate_heap(bytes))
    }

    fn reclaim(&mut self) -> io::Result<()> {
        self.lent.reclaim()
    }
}

struct AddressReceiver {
    addresses: StreamReceiver,
    process: u32,
}

impl Receiver for AddressReceiver {
    #[inline]
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let address = number(&mut self.addresses)?;
        remote_memory::read(self.process, address, buffer)?;
        Ok(buffer)
    }
}
