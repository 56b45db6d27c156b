//! Connections that strangers open and do not use.

use crate::support::Place;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use tokio::net::TcpSocket;

/// The usual soft limit of descriptors, which a server inherits.
const DESCRIPTORS: u64 = 1_024;
const CONNECTIONS: usize = 1_100;
/// Sooner than the server closes connections because they are idle.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

#[test]
fn idle_connections_of_one_address_keep_no_client_out() {
    let usual = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(DESCRIPTORS), ..usual }).unwrap();
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    setrlimit(Resource::Nofile, usual).unwrap();
    let address = server.socket_address();

    let idle: Vec<TcpStream> = (0..CONNECTIONS).map(|_| connect("127.0.0.2", address)).collect();
    assert_eq!(status("127.0.0.1", address), 200, "another address");
    assert_eq!(status("127.0.0.2", address), 200, "the same address");
    assert_eq!(server.get("/readyz"), 200);
    assert_eq!(server.put_numbered(1, &token), 201);
    drop(idle);
}

/// The status of a request for `/healthz` from an address.
fn status(from: &str, address: SocketAddr) -> u16 {
    let mut stream = connect(from, address);
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").unwrap();
    stream.set_read_timeout(Some(ANSWER_TIMEOUT)).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

/// A connection from another address of this machine.
pub(crate) fn connect(from: &str, address: SocketAddr) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let stream = runtime.block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
        socket.connect(address).await.unwrap().into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream
}
