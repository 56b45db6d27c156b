//! Systems without this interface.

use super::super::Unsupported;
use super::super::handle::Handle;
use super::Stream;
use std::io;

pub(crate) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("io_uring exists only on Linux"))
}

pub(crate) fn registration_support(_blocks: usize, _bytes: usize) -> Result<(), Unsupported> {
    support()
}

/// Declares a stream that has no values here.
macro_rules! no_stream {
    ($name:ident) => {
        pub(crate) enum $name {}

        impl Stream for $name {
            fn send(&mut self, _message: &[u8]) -> io::Result<usize> {
                match *self {}
            }

            fn receive(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
                match *self {}
            }
        }
    };
}

no_stream!(Multishot);
no_stream!(Streams);

impl Multishot {
    missing! { pub(crate) fn over_socket(Handle) -> Self; }
}

pub(crate) enum Messages {}

impl Messages {
    pub(crate) fn connect(
        _announcements: u32,
        _socket: Handle,
        _swap: impl FnOnce(&Handle) -> io::Result<Handle>,
    ) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn queue(&mut self) -> io::Result<()> {
        match *self {}
    }

    pub(crate) fn announce(&mut self) -> io::Result<()> {
        match *self {}
    }

    pub(crate) fn wait(&mut self) -> io::Result<()> {
        match *self {}
    }
}

impl Streams {
    missing! {
        pub(crate) fn over_socket(&Handle) -> Self;
        pub(crate) fn over_pipes(&Handle, &Handle) -> Self;
    }

    pub(crate) fn exchange(&mut self, _question: &[u8], _buffer: &mut [u8]) -> io::Result<(usize, usize)> {
        match *self {}
    }
}
