//! Systems that have none.

use super::Settings;
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use std::io;

pub(super) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because("pipes of this kind: only on Windows"))
}

pub(super) fn anonymous(_buffer_bytes: Option<usize>) -> io::Result<(Handle, Handle)> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn create(_settings: Settings) -> io::Result<(Handle, String)> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

pub(super) fn take(_number: u64) -> io::Result<Handle> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// There is never one.
#[derive(Debug)]
pub(super) enum Pipe {}

impl Pipe {
    pub(super) fn accept(_server: Handle, _settings: Settings) -> io::Result<Self> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    pub(super) fn connect(_name: &str, _settings: Settings) -> io::Result<Self> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    pub(super) fn write(&self, _bytes: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    pub(super) fn read(&self, _buffer: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }

    pub(super) fn transact(&self, _question: &[u8], _buffer: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }

    pub(super) fn buffer_bytes(&self) -> [Option<u64>; 2] {
        match *self {}
    }
}

/// There is never one.
#[derive(Debug)]
pub(super) enum Process {}

impl Process {
    pub(super) fn open(_id: u32) -> io::Result<Self> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    pub(super) fn give(&self, _passed: &Handle) -> io::Result<u64> {
        match *self {}
    }
}
