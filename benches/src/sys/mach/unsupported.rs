//! Systems without a Mach kernel.

use super::{Code, Kernel, Name, Trailer};
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use std::convert::Infallible;
use std::ffi::CStr;
use std::io::{self, PipeReader};
use std::time::Duration;

pub(super) fn system() -> Result<System, Unsupported> {
    Err(Unsupported::because("Mach messages: only on macOS"))
}

/// A kernel that does not exist, so that none of its calls is ever made.
#[derive(Clone, Copy, Debug)]
pub enum System {}

impl Kernel for System {
    type Queue = Infallible;

    fn page_bytes(&self) -> usize {
        match *self {}
    }

    fn user(&self) -> u32 {
        match *self {}
    }

    fn allocate_port(&self) -> Result<Name, Code> {
        match *self {}
    }

    fn limit_queue(&self, _port: Name, _messages: u32) -> Result<(), Code> {
        match *self {}
    }

    fn tell_when_no_senders(&self, _port: Name) -> Result<(), Code> {
        match *self {}
    }

    fn destroy_receive(&self, _port: Name) -> Result<(), Code> {
        match *self {}
    }

    fn release_send(&self, _right: Name) -> Result<(), Code> {
        match *self {}
    }

    fn check_in(&self, _service: &CStr) -> Result<Name, Code> {
        match *self {}
    }

    fn look_up(&self, _service: &CStr) -> Result<Name, Code> {
        match *self {}
    }

    #[expect(unsafe_code, reason = "the contract's")]
    unsafe fn send(&self, _message: &mut [u8], _patience: Duration) -> Code {
        match *self {}
    }

    fn receive(
        &self,
        _port: Name,
        _buffer: &mut [u8],
        _trailer: Trailer,
        _patience: Option<Duration>,
    ) -> Code {
        match *self {}
    }

    #[expect(unsafe_code, reason = "the contract's")]
    unsafe fn unmap(&self, _address: u64, _bytes: usize) -> Result<(), Code> {
        match *self {}
    }

    fn queue(&self) -> io::Result<Infallible> {
        match *self {}
    }

    fn watch_port(&self, _queue: &mut Infallible, _port: Name) -> io::Result<()> {
        match *self {}
    }

    fn watch_pipe(&self, _queue: &mut Infallible, _pipe: &PipeReader) -> io::Result<()> {
        match *self {}
    }

    fn wait(&self, _queue: &mut Infallible) -> io::Result<()> {
        match *self {}
    }

    fn receive_by_event(&self, _queue: &mut Infallible, _port: Name, _buffer: &mut [u8]) -> io::Result<Code> {
        match *self {}
    }

    fn file_to_right(&self, _file: &Handle) -> io::Result<Name> {
        match *self {}
    }

    fn right_to_file(&self, _right: Name) -> io::Result<Handle> {
        match *self {}
    }
}
