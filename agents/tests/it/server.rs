//! A server with prepared answers that records its requests one by one, and a server with a state.

use flate2::read::GzDecoder;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The timeout of a test.
const TIMEOUT: Duration = Duration::from_secs(120);

/// One answer: status line after `HTTP/1.1`, further headers, body made from the decompressed request body.
pub(crate) type Answer = (&'static str, &'static str, fn(&[u8]) -> String);

/// A running server.
pub(crate) struct Server {
    /// The address that it listens on.
    pub(crate) url: String,
    thread: JoinHandle<Vec<Request>>,
}

/// A received request.
pub(crate) struct Request {
    /// Request line and headers.
    pub(crate) head: String,
    /// Decompressed.
    pub(crate) body: Vec<u8>,
}

impl Server {
    /// Answers exactly this many requests.
    pub(crate) fn answering(answers: Vec<Answer>) -> Self {
        Self::answering_at("127.0.0.1:0", answers)
    }

    /// The same at this address.
    pub(crate) fn answering_at(address: &str, answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let thread = thread::spawn(move || {
            answers
                .into_iter()
                .map(|(status, headers, answer)| {
                    let (mut stream, _) = listener.accept().unwrap();
                    let request = Request::read(&stream).expect("the request is cut");
                    send(&mut stream, status, headers, answer(&request.body).as_bytes()).unwrap();
                    request
                })
                .collect()
        });
        Self { url, thread }
    }

    /// The requests, once all answers are sent.
    pub(crate) fn requests(self) -> Vec<Request> {
        self.thread.join().unwrap()
    }
}

impl Request {
    /// Reads one; `None` if it is incomplete.
    pub(crate) fn read(stream: impl Read) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let length = find_header(&head, "content-length").map_or(0, |text| text.parse().unwrap());
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        if find_header(&head, "content-encoding").is_some() {
            let compressed = std::mem::take(&mut body);
            GzDecoder::new(&compressed[..]).read_to_end(&mut body).unwrap();
        }
        Some(Self { head, body })
    }

    /// The path in the first line.
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }
}

pub(crate) fn send(mut stream: impl Write, status: &str, headers: &str, body: &[u8]) -> std::io::Result<()> {
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n")?;
    stream.write_all(body)
}

/// Status line after `HTTP/1.1`, and body.
pub(crate) type Response = (&'static str, Vec<u8>);

/// A server that answers concurrent requests from a state shared with the test.
pub(crate) struct StatefulServer<S> {
    /// Its address, without the scheme.
    pub(crate) address: String,
    shared: Arc<(Mutex<S>, Condvar)>,
}

impl<S: Default + Send + 'static> StatefulServer<S> {
    pub(crate) fn start(respond: fn(&Request, &mut S) -> Response) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self { address: listener.local_addr().unwrap().to_string(), shared: Arc::default() };
        let shared = Arc::clone(&server.shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, shared) = (stream.unwrap(), Arc::clone(&shared));
                thread::spawn(move || {
                    let Some(request) = Request::read(&stream) else { return };
                    let (status, body) = respond(&request, &mut shared.0.lock().unwrap());
                    shared.1.notify_all();
                    let kind = if status.starts_with('4') { "problem+json" } else { "json" };
                    // The client may be gone.
                    let _ = send(&stream, status, &format!("content-type: application/{kind}\r\n"), &body);
                });
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut S) -> T) -> T {
        let changed = change(&mut self.shared.0.lock().unwrap());
        self.shared.1.notify_all();
        changed
    }

    /// Waits until the condition returns a value.
    #[cfg(unix)]
    pub(crate) fn until<T>(&self, what: &str, is_so: impl Fn(&S) -> Option<T>) -> T {
        let (state, changed) = &*self.shared;
        let end = Instant::now() + TIMEOUT;
        let mut state = state.lock().unwrap();
        loop {
            if let Some(found) = is_so(&state) {
                return found;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "in vain for {what}");
            state = changed.wait_timeout(state, left).unwrap().0;
        }
    }
}

/// An error response with this code.
pub(crate) fn problem(status: u16, code: &str) -> Vec<u8> {
    json!({"type": "", "title": code, "status": status, "code": code, "detail": code}).to_string().into()
}

/// A receipt for the uploaded body.
pub(crate) fn receipt(body: &[u8]) -> String {
    let digest = hex::encode(Sha256::digest(body));
    json!({"run_id": "x", "body_sha256": digest, "result_count": 1, "point_count": 0}).to_string()
}

/// Polls until the condition holds.
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !condition() {
        assert!(Instant::now() < end, "in vain: {what}");
        thread::yield_now();
    }
}

/// An address without a listener: bound and closed, and not reassigned yet.
pub(crate) fn unused_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

fn find_header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

/// The value of a header.
pub(crate) fn header(head: &str, name: &str) -> String {
    find_header(head, name).unwrap_or_else(|| panic!("no header {name} in {head}"))
}
