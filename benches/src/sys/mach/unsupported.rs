//! Systems without a Mach kernel.

use super::{Code, Kernel, Name, Trailer};
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use std::convert::Infallible;
use std::ffi::CStr;
use std::io::{self, PipeReader};
use std::time::Duration;

pub(crate) fn system() -> Result<System, Unsupported> {
    Err(Unsupported::because("Mach messages exist only on macOS"))
}

/// A kernel that does not exist, so that its calls cannot be made.
#[derive(Clone, Copy, Debug)]
pub enum System {}

impl Kernel for System {
    type Queue = Infallible;

    never! {
        fn page_bytes() -> usize;
        fn user() -> u32;
        fn allocate_port() -> Result<Name, Code>;
        fn limit_queue(Name, u32) -> Result<(), Code>;
        fn notify_when_no_senders(Name) -> Result<(), Code>;
        fn destroy_receive(Name) -> Result<(), Code>;
        fn release_send(Name) -> Result<(), Code>;
        fn check_in(&CStr) -> Result<Name, Code>;
        fn look_up(&CStr) -> Result<Name, Code>;
        fn receive(Name, &mut [u8], Trailer, Option<Duration>) -> Code;
        fn queue() -> io::Result<Infallible>;
        fn watch_port(&mut Infallible, Name) -> io::Result<()>;
        fn watch_pipe(&mut Infallible, &PipeReader) -> io::Result<()>;
        fn wait(&mut Infallible) -> io::Result<()>;
        fn receive_by_event(&mut Infallible, Name, &mut [u8]) -> io::Result<Code>;
        fn file_to_right(&Handle) -> io::Result<Name>;
        fn right_to_file(Name) -> io::Result<Handle>;
    }

    #[expect(unsafe_code, reason = "the contract's")]
    unsafe fn send(&self, _message: &mut [u8], _patience: Duration) -> Code {
        match *self {}
    }

    #[expect(unsafe_code, reason = "the contract's")]
    unsafe fn unmap(&self, _address: u64, _bytes: usize) -> Result<(), Code> {
        match *self {}
    }
}
