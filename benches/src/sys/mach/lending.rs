//! Lends rights to processes that share memory with their owner. A right's name is valid only in one process, so the
//! memory holds a [`Token`]; the process with the right lends it to others that have the token.
//!
//! One thread per process answers. A borrower introduces itself with the token, as at a [`rendezvous`], and is sent the
//! right; another token or another user is rejected.

use super::exchange::{deliver, fill_audited, stop};
use super::frame::Frame;
use super::message::{self, Content, Destination, RIGHT_BYTES};
use super::port::{ReceivePort, SendRight};
use super::token::{Address, TOKEN_BYTES, Token};
use super::{Kernel, Name, Trailer, carried, rendezvous};
use crate::sys::closed;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Length of a token's prefix, the same for all tokens from one lender.
const NUMBER_BYTES: usize = 8;

/// The rights that this process lends, and the thread that lends them. Dropping it ends the thread.
pub(crate) struct Lender<K: Kernel> {
    kernel: K,
    number: [u8; NUMBER_BYTES],
    port: Name,
    lent: Arc<Lent>,
    thread: Option<JoinHandle<()>>,
}

/// The lent rights and their tokens. There are few: as many as members in a ring.
type Lent = RwLock<Vec<(Token, Name)>>;

impl<K: Kernel> Lender<K> {
    pub(crate) fn start(kernel: &K) -> io::Result<Self> {
        let number = rand::random();
        let lent = Arc::new(Lent::default());
        let port = ReceivePort::checked_in(kernel, Address::for_lender(token(number))?.service())?;
        let name = port.name();
        let answer = {
            let (kernel, lent) = (kernel.clone(), Arc::clone(&lent));
            move || answer(&kernel, &port, &lent)
        };
        let thread = thread::Builder::new().name("mach lender".into()).spawn(answer)?;
        Ok(Self { kernel: kernel.clone(), number, port: name, lent, thread: Some(thread) })
    }

    /// Lends a send right, which this process keeps too, to processes with the returned token.
    pub(crate) fn lend(&self, right: Name) -> Token {
        let token = token(self.number);
        self.lent.write().unwrap_or_else(PoisonError::into_inner).push((token, right));
        token
    }
}

impl<K: Kernel> Drop for Lender<K> {
    fn drop(&mut self) {
        // If stopping fails, the thread has ended.
        let _ = stop(&self.kernel, self.port);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been printed.
            let _ = thread.join();
        }
    }
}

/// A token with this lender's number; the rest is random.
fn token(number: [u8; NUMBER_BYTES]) -> Token {
    let mut bytes: [u8; TOKEN_BYTES] = rand::random();
    bytes[..NUMBER_BYTES].copy_from_slice(&number);
    Token::from_bytes(bytes)
}

fn answer<K: Kernel>(kernel: &K, port: &ReceivePort<K>, lent: &Lent) {
    let find = |shown: &Token| {
        let lent = lent.read().unwrap_or_else(PoisonError::into_inner);
        lent.iter().find(|(token, _)| token == shown).map(|&(_, right)| right)
    };
    while let Ok((peer, right)) = rendezvous::admit(kernel, port, None, find) {
        // A borrower that has ended no longer needs it.
        let _ = hand_over(kernel, &peer, right);
    }
}

#[expect(unsafe_code, reason = "a message may describe memory")]
fn hand_over<K: Kernel>(kernel: &K, to: &SendRight<K>, right: Name) -> io::Result<()> {
    let put = |message: &mut [u8]| message::put_right(message, Destination::Peer(to.name()), right);
    // SAFETY: it has no memory.
    unsafe { deliver(kernel, &mut [0; RIGHT_BYTES], put) }
}

/// Borrows the right for this token. Fails if its lender is gone, does not answer in time, or rejects it.
#[expect(unsafe_code, reason = "what a message holds is memory by its address")]
pub(crate) fn borrow<K: Kernel>(kernel: &K, token: Token, timeout: Duration) -> io::Result<SendRight<K>> {
    let until = Instant::now() + timeout;
    let address = Address::for_lender(token)?;
    let lender = SendRight::owning(kernel, kernel.look_up(address.service())?);
    let port = ReceivePort::new(kernel)?;
    rendezvous::introduce(kernel, &lender, &port, &address.token)?;
    let mut frame = Frame::new(RIGHT_BYTES + Trailer::Audit.bytes(), kernel.page_bytes());
    let is_same_user = fill_audited(kernel, &mut frame, port.name(), Some(until))?;
    match message::read(&frame) {
        Ok(Content::Right(name)) if is_same_user => Ok(SendRight::owning(kernel, name)),
        Ok(Content::NoSenders) => Err(closed()),
        _ => {
            // SAFETY: it has just been received, and is not used.
            unsafe { carried::release(kernel, &frame) };
            Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "unexpected answer: expected the requested port right",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::Simulated;
    use super::*;
    use crate::sys::passable;

    const USER: u32 = 501;
    const TIMEOUT: Duration = Duration::from_secs(60);

    /// A right and its identity, which is the same in every process.
    fn right(kernel: &Simulated) -> (Name, u64) {
        let file = passable::make().unwrap();
        (kernel.file_to_right(&file).unwrap(), passable::identity(&file).unwrap())
    }

    fn identity(right: &SendRight<Simulated>) -> u64 {
        passable::identity(&right.kernel().right_to_file(right.name()).unwrap()).unwrap()
    }

    #[test]
    fn each_token_borrows_its_right() {
        let kernel = Simulated::new(USER);
        let lending = kernel.process(USER);
        let lender = Lender::start(&lending).unwrap();
        let lent: Vec<_> = (0..3).map(|_| right(&lending)).collect();
        let tokens: Vec<_> = lent.iter().map(|&(right, _)| lender.lend(right)).collect();
        // Repeatedly, from several processes, including this one.
        for borrower in [kernel.process(USER), kernel.process(USER), lending.clone()] {
            for (token, &(_, expected)) in tokens.iter().zip(&lent) {
                assert_eq!(identity(&borrow(&borrower, *token, TIMEOUT).unwrap()), expected);
            }
        }
        drop(lender);
        lent.iter().for_each(|&(right, _)| lending.release_send(right).unwrap());
        kernel.assert_clean();
    }

    #[test]
    fn rejects_other_users_and_tokens() {
        let kernel = Simulated::new(USER);
        let lending = kernel.process(USER);
        let lender = Lender::start(&lending).unwrap();
        let (lent, expected) = right(&lending);
        let good = lender.lend(lent);
        let stranger = kernel.process(USER + 1);
        let refused = |result: io::Result<SendRight<Simulated>>| result.map(drop).unwrap_err().kind();
        assert_eq!(refused(borrow(&stranger, good, TIMEOUT)), io::ErrorKind::UnexpectedEof);
        let guessed = token(lender.number);
        assert_eq!(refused(borrow(&kernel, guessed, TIMEOUT)), io::ErrorKind::UnexpectedEof);
        assert_eq!(identity(&borrow(&kernel, good, TIMEOUT).unwrap()), expected);
        drop(lender);
        lending.release_send(lent).unwrap();
        kernel.assert_clean();
    }

    #[test]
    fn rejects_answers_from_another_user() {
        let kernel = Simulated::new(USER);
        let impostor = kernel.process(0);
        let shown = token([7; NUMBER_BYTES]);
        let address = Address::for_lender(shown).unwrap();
        let port = ReceivePort::checked_in(&impostor, address.service()).unwrap();
        let answering = {
            let (impostor, (right, _)) = (impostor.clone(), right(&impostor));
            thread::spawn(move || {
                let mut buffer = [0; 200];
                let code = impostor.receive(port.name(), &mut buffer, Trailer::Audit, None);
                assert_eq!(code, super::super::Code::SUCCESS);
                let Ok(Content::Introduction { port: peer, .. }) = message::read(&buffer) else { panic!() };
                hand_over(&impostor, &SendRight::owning(&impostor, peer), right).unwrap();
            })
        };
        let refused = borrow(&kernel, shown, TIMEOUT).map(drop).unwrap_err();
        assert_eq!(refused.to_string(), "unexpected answer: expected the requested port right");
        answering.join().unwrap();
        impostor.die();
        kernel.assert_clean();
    }

    #[test]
    fn borrowing_fails_without_an_answer() {
        let kernel = Simulated::new(USER);
        let lending = kernel.process(USER);
        let lender = Lender::start(&lending).unwrap();
        let (lent, _) = right(&lending);
        let orphan = lender.lend(lent);
        drop(lender);
        lending.release_send(lent).unwrap();
        let gone = borrow(&kernel, orphan, TIMEOUT).map(drop).unwrap_err().to_string();
        assert!(gone.contains("BOOTSTRAP_UNKNOWN_SERVICE"), "{gone}");

        let silent = kernel.process(USER);
        let shown = token([8; NUMBER_BYTES]);
        let port = ReceivePort::checked_in(&silent, Address::for_lender(shown).unwrap().service()).unwrap();
        let unanswered = borrow(&kernel, shown, Duration::ZERO).map(drop).unwrap_err();
        assert_eq!(unanswered.kind(), io::ErrorKind::TimedOut);
        drop(port);
        kernel.assert_clean();
    }
}
