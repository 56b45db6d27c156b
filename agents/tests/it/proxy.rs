//! A faulty connection to a server: slow, reset, or interrupted.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The fault of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    None,
    /// Reset before a request.
    Reset,
    /// Closed after this many bytes of the request.
    CutAsking(usize),
    /// Closed after this many bytes of the answer.
    CutAnswering(usize),
}

/// A proxy that runs until the end of the test.
pub(crate) struct Proxy {
    pub(crate) url: String,
    /// The number of interrupted connections.
    broken: Arc<AtomicUsize>,
}

impl Proxy {
    /// A proxy to this address. Answers are delayed by `latency`, and `fault` decides about each connection,
    /// in order.
    pub(crate) fn new(
        server: &str,
        latency: Duration,
        mut fault: impl FnMut() -> Fault + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let broken = Arc::new(AtomicUsize::new(0));
        let (server, counted) = (server.to_owned(), Arc::clone(&broken));
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server, fault) =
                    (client.unwrap(), TcpStream::connect(&server).unwrap(), fault());
                let counted = Arc::clone(&counted);
                thread::spawn(move || {
                    if pass(&client, &server, latency, fault) {
                        counted.fetch_add(1, Ordering::SeqCst);
                    }
                    let _ = server.shutdown(Shutdown::Both);
                });
            }
        });
        Self { url, broken }
    }

    pub(crate) fn broken(&self) -> usize {
        self.broken.load(Ordering::SeqCst)
    }
}

/// Returns whether the connection was interrupted.
fn pass(client: &TcpStream, server: &TcpStream, latency: Duration, fault: Fault) -> bool {
    let (asking_max, answering_max) = match fault {
        Fault::None => (usize::MAX, usize::MAX),
        Fault::Reset => {
            reset(client);
            return true;
        }
        Fault::CutAsking(bytes) => (bytes, usize::MAX),
        Fault::CutAnswering(bytes) => (usize::MAX, bytes),
    };
    thread::scope(|scope| {
        let asking = scope.spawn(move || {
            let is_cut = carry(client, server, asking_max);
            let _ = server.shutdown(if is_cut { Shutdown::Both } else { Shutdown::Write });
            is_cut
        });
        let is_cut = carry_late(server, client, answering_max, latency);
        // Ends requests that are still waiting.
        let _ = client.shutdown(Shutdown::Both);
        asking.join().unwrap() | is_cut
    })
}

/// Like [`carry`], with a delay of the first byte.
fn carry_late(from: &TcpStream, to: &TcpStream, bytes_max: usize, latency: Duration) -> bool {
    let _ = from.peek(&mut [0]);
    thread::sleep(latency);
    carry(from, to, bytes_max)
}

/// Forwards bytes until one end closes. Returns true if it stops at the limit.
fn carry(mut from: &TcpStream, mut to: &TcpStream, bytes_max: usize) -> bool {
    let mut left = bytes_max;
    let mut bytes = [0; 4096];
    while left > 0 {
        let part = left.min(bytes.len());
        match from.read(&mut bytes[..part]) {
            Ok(count) if count > 0 && to.write_all(&bytes[..count]).is_ok() => left -= count,
            _ => return false,
        }
    }
    true
}

/// Closes with an RST: unread data causes one, and a system that supports it gets an explicit request.
fn reset(client: &TcpStream) {
    #[cfg(unix)]
    rustix::net::sockopt::set_socket_linger(client, Some(Duration::ZERO)).unwrap();
    let _ = client.peek(&mut [0]);
}
