//! [`Receiver`]: an HTTP server in its own thread, with configurable responses.

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// The reaction to a request.
#[derive(Clone, Debug)]
pub(crate) enum Reaction {
    /// Respond with a status and headers.
    Answer(u16, &'static str),
    /// Close the connection before the end of the request.
    Close,
    /// Never respond.
    Hang,
    /// Respond without end.
    Endless,
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// A running receiver.
pub(crate) struct Receiver {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    reaction: Reaction,
    received: Vec<Received>,
    hung: Vec<TcpStream>,
}

impl Received {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Receiver {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Shared { reaction: Reaction::Answer(200, ""), received: Vec::new(), hung: Vec::new() };
        let shared = Arc::new(Mutex::new(shared));
        let own = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let shared = Arc::clone(&own);
                std::thread::spawn(move || take(stream.unwrap(), &shared));
            }
        });
        Self { address, shared }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Sets the reaction to future requests.
    pub(crate) fn react(&self, reaction: Reaction) {
        self.shared.lock().unwrap().reaction = reaction;
    }

    /// All received requests, oldest first.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.shared.lock().unwrap().received.clone()
    }

    /// The requests since the last call.
    pub(crate) fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.shared.lock().unwrap().received)
    }
}

fn take(mut stream: TcpStream, shared: &Mutex<Shared>) {
    let reaction = shared.lock().unwrap().reaction.clone();
    if matches!(reaction, Reaction::Close) {
        return;
    }
    let Some(received) = read(&stream) else { return };
    let mut shared = shared.lock().unwrap();
    shared.received.push(received);
    // The client may have disconnected.
    let _ = match reaction {
        Reaction::Answer(status, headers) => {
            write!(
                stream,
                "HTTP/1.1 {status} -\r\ncontent-length: 4\r\nconnection: close\r\n{headers}\r\nwhat"
            )
        }
        Reaction::Hang => {
            shared.hung.push(stream);
            Ok(())
        }
        Reaction::Endless => {
            drop(shared);
            let begun = write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
            begun.and_then(|()| {
                loop {
                    stream.write_all(&[b'x'; 4_096])?;
                }
            })
        }
        Reaction::Close => Ok(()),
    };
}

fn read(stream: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut headers) = (String::new(), BTreeMap::new());
    reader.read_line(&mut line).ok()?;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Received { headers, body })
}
