//! The protocol of `benches/external/PROTOCOL.md` for the Rust programs of this folder. A program has two processes: the
//! initiator starts the responder as a child, with the same arguments. Their pipe carries only counts, never messages.

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::ops::Deref;
use std::process::ExitCode;

mod case;
mod clock;
mod initiator;
mod responder;

pub use case::Case;
pub use initiator::Start;
pub use responder::Responder;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The initiator's end of a transport.
pub trait Initiator {
    /// Sends a message and returns the answer.
    fn call(&mut self, message: &[u8]) -> Result<impl Deref<Target = [u8]>>;

    /// Sends a message that has no answer, if [`Library::can_stream`].
    fn send(&mut self, _message: &[u8]) -> Result<()> {
        Err("this library cannot stream".into())
    }
}

/// The responder's end, if the library passes single messages. Servers with handlers use [`Responder::count`] instead.
pub trait Channel {
    /// Receives a message.
    fn receive(&self) -> Result<impl Deref<Target = [u8]>>;

    fn send(&self, message: &[u8]) -> Result<()>;
}

/// Both ends of a channel in one type.
impl<C: Channel> Initiator for C {
    fn call(&mut self, message: &[u8]) -> Result<impl Deref<Target = [u8]>> {
        Channel::send(self, message)?;
        self.receive()
    }

    fn send(&mut self, message: &[u8]) -> Result<()> {
        Channel::send(self, message)
    }
}

/// A library and its settings.
pub struct Library {
    pub version: String,
    /// The settings that affect the result.
    pub settings: &'static str,
    /// Whether it can send messages one way.
    pub can_stream: bool,
    pub max_message_bytes: usize,
}

/// Returns the version of a package in a `Cargo.lock`.
///
/// # Panics
/// If the lock file does not contain the package.
pub fn locked_version(lock: &str, package: &str) -> String {
    let entry = format!("name = \"{package}\"\nversion = \"");
    let (_, rest) = lock.split_once(&entry).unwrap_or_else(|| panic!("Cargo.lock has no package {package}"));
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// Runs this process: as the responder if the initiator started it, else as the initiator.
pub fn run<I: Initiator>(
    library: &Library,
    initiate: impl FnOnce(&mut Start) -> Result<I>,
    respond: impl FnOnce(&Responder) -> Result<()>,
) -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let result = match arguments.as_slice() {
        [.., role, case, address] if role == responder::ROLE => responder::run(case, address, respond),
        _ => initiator::run(library, initiate),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The initiator's line goes to the harness, the responder's to the initiator.
            let _ = print_line(&serde_json::json!({ "failed": error.to_string() }));
            ExitCode::FAILURE
        }
    }
}

fn print_line(value: &impl serde::Serialize) -> Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(&line)?;
    Ok(stdout.flush()?)
}

/// Reads a line. None at the end.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    Ok(if reader.read_line(&mut line)? > 0 { Some(line) } else { None })
}
