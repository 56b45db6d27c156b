//! A server that answers as a test says, one request after the other, and keeps what it was sent.

use flate2::read::GzDecoder;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

/// One answer: status line after `HTTP/1.1`, further headers, body made from the decompressed request body.
pub(crate) type Answer = (&'static str, &'static str, fn(&[u8]) -> String);

/// A running server.
pub(crate) struct Server {
    /// Where it listens.
    pub(crate) url: String,
    thread: JoinHandle<Vec<Request>>,
}

/// What was sent.
pub(crate) struct Request {
    /// Request line and headers.
    pub(crate) head: String,
    /// Decompressed.
    pub(crate) body: Vec<u8>,
}

impl Server {
    /// Answers exactly these requests.
    pub(crate) fn answering(answers: Vec<Answer>) -> Self {
        Self::answering_at("127.0.0.1:0", answers)
    }

    /// The same, listening here.
    pub(crate) fn answering_at(address: &str, answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let thread = thread::spawn(move || {
            answers
                .into_iter()
                .map(|(status, headers, answer)| {
                    let (mut stream, _) = listener.accept().unwrap();
                    let request = Request::read(&stream).expect("the request is cut");
                    let text = answer(&request.body);
                    write!(
                        stream,
                        "HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n{text}",
                        text.len()
                    )
                    .unwrap();
                    request
                })
                .collect()
        });
        Self { url, thread }
    }

    /// What was sent, once all answers are given.
    pub(crate) fn requests(self) -> Vec<Request> {
        self.thread.join().unwrap()
    }
}

impl Request {
    /// Reads one; none if it is cut.
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

    /// Of the first line.
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }
}

/// An address where nobody listens: bound and closed, and nobody else has been given this port since.
pub(crate) fn nobody() -> String {
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
