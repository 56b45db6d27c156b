//! [`MachTransport`]: Mach messages in one form, as a transport.

use crate::link::Link;
use crate::link::mach::{Carriage, Copying, Form, connect, new_address};
use crate::sys::Unsupported;
use crate::sys::mach::exchange::MESSAGE_BYTES_MAX;
use crate::sys::mach::message::inline_bytes;
use crate::sys::mach::{self, abi};
use crate::system::{self, System};
use crate::transport::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use std::io;

#[derive(Debug)]
pub(crate) struct MachTransport {
    pub(crate) slug: &'static str,
    pub(crate) title: &'static str,
    pub(crate) semantics: &'static str,
    pub(crate) form: Form,
}

impl Transport for MachTransport {
    fn about(&self) -> About {
        let family = match self.form.carriage {
            Carriage::Inline => "message-queue",
            Carriage::OutOfLine(_) => "out-of-line",
        };
        control(self.slug, self.title, family, system::MACOS, self.semantics)
    }

    fn passes_handles(&self, _on: System) -> bool {
        true
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        channel.default_buffer()?;
        mach::support()?;
        carries(self.form.carriage, channel.message_bytes)
    }

    fn open(&self, _channel: &ChannelSpec) -> io::Result<Channel> {
        let address = new_address()?;
        let parts = || Parts::at(address.clone());
        Ok(Channel { initiator: parts(), responder: parts(), folder: None, objects: None })
    }

    fn connect(&self, end: End, parts: Parts, _channel: &ChannelSpec) -> io::Result<Link> {
        let kernel = mach::system().map_err(io::Error::other)?;
        connect(kernel, end, parts.address()?, self.form)
    }
}

fn carries(carriage: Carriage, message_bytes: usize) -> Result<(), Unsupported> {
    let (most, whose) = match carriage {
        Carriage::Inline => (abi::MESSAGE_BYTES_MAX - inline_bytes(0), "the inline limit of the kernel"),
        Carriage::OutOfLine(Copying::Virtual) => (MESSAGE_BYTES_MAX, "the message limit"),
        Carriage::OutOfLine(Copying::Physical) => {
            (abi::PHYSICAL_BYTES_MAX, "the physical-copy limit of the kernel")
        }
    };
    if message_bytes <= most {
        return Ok(());
    }
    Err(Unsupported::because(format!("message of {message_bytes} B exceeds {whose}, {most} B")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_messages_over_the_kernels_limit() {
        for (carriage, most) in [
            (Carriage::Inline, 50_331_552),
            (Carriage::OutOfLine(Copying::Virtual), 268_435_456),
            (Carriage::OutOfLine(Copying::Physical), 7_340_032),
        ] {
            assert_eq!(carries(carriage, most), Ok(()));
            let reason = carries(carriage, most + 1).unwrap_err().to_string();
            assert!(reason.ends_with(&format!(", {most} B")), "{reason}");
        }
    }
}
