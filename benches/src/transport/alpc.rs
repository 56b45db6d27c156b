//! `alpc`: the kernel's local procedure calls, which Windows' own services use. It is listed with the reason why it is
//! not measured: its calls (`NtAlpcCreatePort` and the rest) are undocumented, so they may change with any update. The
//! documented layer above it, RPC over `ncalrpc`, would measure the marshalling of generated stubs.

use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::Link;
use crate::sys::Unsupported;
use std::io;

#[derive(Debug)]
pub(crate) struct Alpc;

impl Transport for Alpc {
    fn about(&self) -> About {
        control(
            "alpc",
            "ALPC",
            "message-queue",
            &[],
            "Advanced local procedure calls of the Windows kernel. Not implemented.",
        )
    }

    fn support(&self, _channel: &ChannelSpec) -> Result<(), Unsupported> {
        Err(Unsupported::because(
            "ALPC: its API is private to Windows, and RPC over it (ncalrpc) would measure generated stubs",
        ))
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    fn connect(&self, _end: End, _parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}
