//! Tests of the links over a simulated kernel. It counts leaks: none may be left after any test.

mod bridge;
mod endings;
mod inbox;
mod messages;
mod pairs;
mod rendezvous;

use super::*;
use crate::link::{Receiver, Sender};
use crate::sys::mach::simulated::Simulated;
use crate::transport::family::mach::MachTransport;
use crate::transport::{
    mach_inline, mach_kqueue, mach_kqueue_bridge, mach_kqueue_receive, mach_ool, mach_ool_physical,
    mach_ool_physical_read, mach_ool_read,
};
use std::sync::Arc;
use std::thread;

const USER: u32 = 501;

static ALL: [&MachTransport; 8] = [
    &mach_inline::MACH_INLINE,
    &mach_kqueue::MACH_KQUEUE,
    &mach_kqueue_bridge::MACH_KQUEUE_BRIDGE,
    &mach_kqueue_receive::MACH_KQUEUE_RECEIVE,
    &mach_ool::MACH_OOL,
    &mach_ool_physical::MACH_OOL_PHYSICAL,
    &mach_ool_physical_read::MACH_OOL_PHYSICAL_READ,
    &mach_ool_read::MACH_OOL_READ,
];

struct Side {
    kernel: Simulated,
    sender: MachSender<Simulated>,
    receiver: MachReceiver<Simulated>,
}

impl Side {
    fn connect(kernel: &Simulated, end: End, address: &str, form: Form) -> io::Result<Self> {
        let (sender, receiver) = halves(kernel, end, address, form)?;
        Ok(Self { kernel: kernel.clone(), sender, receiver })
    }

    fn receive(&mut self, bytes: usize) -> io::Result<Vec<u8>> {
        self.receiver.receive(&mut vec![0; bytes]).map(<[u8]>::to_vec)
    }

    /// Ends the process without running its destructors.
    fn die(self) {
        self.kernel.die();
        std::mem::forget(self);
    }
}

/// Runs every transport in one process and in two, the initiator here and the responder on another thread. Nothing may
/// leak.
fn every_pair(
    initiate: impl Fn(&str, Form, Side),
    respond: impl Fn(&str, Form, Side) + Send + Sync + 'static,
) {
    let respond = Arc::new(respond);
    for transport in ALL {
        for processes in [1, 2] {
            let name = format!("{} in {processes}", transport.slug);
            let kernel = Simulated::new(USER);
            let other = if processes == 1 { kernel.clone() } else { kernel.process(USER) };
            pair(&name, transport.form, (&kernel, other), &initiate, Arc::clone(&respond));
            kernel.assert_clean();
        }
    }
}

fn pair(
    name: &str,
    form: Form,
    (kernel, other): (&Simulated, Simulated),
    initiate: impl FnOnce(&str, Form, Side),
    respond: Arc<impl Fn(&str, Form, Side) + Send + Sync + 'static>,
) {
    let address = new_address().unwrap();
    let responding = {
        let (name, address) = (name.to_owned(), address.clone());
        thread::spawn(move || {
            respond(&name, form, Side::connect(&other, End::Responder, &address, form).unwrap());
        })
    };
    initiate(name, form, Side::connect(kernel, End::Initiator, &address, form).unwrap());
    responding.join().unwrap();
}

fn is_closed<T: std::fmt::Debug>(result: io::Result<T>) -> bool {
    result.unwrap_err().kind() == io::ErrorKind::UnexpectedEof
}

/// Bytes that identify messages, even when moved by less than a prime number.
fn message(number: usize, bytes: usize) -> Vec<u8> {
    let mut pattern: Vec<u8> = (0..251).collect();
    pattern.rotate_left(number * 13 % 251);
    let mut message = pattern.repeat(bytes / 251 + 1);
    message.truncate(bytes);
    message
}

fn parsed(address: &str) -> Address {
    address.parse().unwrap()
}
