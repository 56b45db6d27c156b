//! Splits a stream of bytes into frames: several per read, and one over several reads, even if its length is split.

use super::Format;
use std::io;

pub(crate) struct Inbox<'a> {
    format: &'a dyn Format,
    bytes: Vec<u8>,
    /// The start of the first frame that is not consumed.
    begin: usize,
    /// The number of bytes; behind them is space to read into.
    end: usize,
    /// The number of bytes from `begin` already searched for the end of a frame.
    seen: usize,
    /// The length of the first frame, once it is complete.
    next: Option<usize>,
    decoded: Vec<u8>,
}

/// The size of Node's reads (libuv/libuv, `src/unix/stream.c`).
const READ_BYTES: usize = 64 * 1024;

impl<'a> Inbox<'a> {
    pub(crate) fn new(format: &'a dyn Format) -> Self {
        let bytes = vec![0; 2 * READ_BYTES];
        Self { format, bytes, begin: 0, end: 0, seen: 0, next: None, decoded: Vec::new() }
    }

    pub(crate) fn room(&mut self) -> &mut [u8] {
        if self.begin == self.end {
            (self.begin, self.end) = (0, 0);
        } else if self.bytes.len() - self.end < READ_BYTES {
            // Only an incomplete frame is moved to the front.
            self.bytes.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
            let wanted = (self.end + READ_BYTES).next_power_of_two();
            if self.bytes.len() - self.end < READ_BYTES {
                self.bytes.resize(wanted, 0);
            }
        }
        &mut self.bytes[self.end..][..READ_BYTES]
    }

    pub(crate) fn received(&mut self, bytes: usize) {
        self.end += bytes;
    }

    #[inline]
    pub(crate) fn has_next(&mut self) -> io::Result<bool> {
        if self.next.is_none() {
            let waiting = &self.bytes[self.begin..self.end];
            self.next = self.format.end_of_frame(waiting, self.seen)?;
            self.seen = waiting.len();
        }
        Ok(self.next.is_some())
    }

    #[inline]
    pub(crate) fn take(&mut self) -> io::Result<&[u8]> {
        let length = self.next.take().ok_or(io::ErrorKind::WouldBlock)?;
        let frame = self.begin..self.begin + length;
        (self.begin, self.seen) = (frame.end, 0);
        self.format.text(&self.bytes[frame], &mut self.decoded)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ALL;
    use super::*;
    use proptest::prelude::*;

    /// Receives these bytes, split into reads of these lengths, repeatedly.
    fn receive(format: &dyn Format, bytes: &[u8], cuts: &[usize]) -> io::Result<Vec<Vec<u8>>> {
        let mut inbox = Inbox::new(format);
        let mut texts = Vec::new();
        let mut rest = bytes;
        for &cut in cuts.iter().cycle() {
            let (read, later) = rest.split_at(cut.clamp(1, READ_BYTES).min(rest.len()));
            inbox.room()[..read.len()].copy_from_slice(read);
            inbox.received(read.len());
            while inbox.has_next()? {
                texts.push(inbox.take()?.to_vec());
            }
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        Ok(texts)
    }

    proptest! {
        #[test]
        fn strings_survive_any_split(
            texts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 1..20),
            cuts in proptest::collection::vec(1..200_usize, 1..20),
        ) {
            for format in ALL {
                let mut bytes = Vec::new();
                texts.iter().for_each(|text| format.frame(text, &mut bytes));
                prop_assert_eq!(&receive(*format, &bytes, &cuts).unwrap(), &texts);
            }
        }

        #[test]
        fn parses_any_bytes_without_panic(
            bytes in proptest::collection::vec(any::<u8>(), 1..500), cut in 1..100_usize,
        ) {
            for format in ALL {
                let _ = receive(*format, &bytes, &[cut]);
            }
        }
    }

    #[test]
    fn parses_several_frames_and_split_frames() {
        for format in ALL {
            let mut bytes = Vec::new();
            format.frame(b"one", &mut bytes);
            format.frame(&[b'.'; 200_000], &mut bytes);
            format.frame(b"three", &mut bytes);
            for cuts in [&[READ_BYTES][..], &[1], &[2, 60_000], &[7, 3]] {
                let texts = receive(*format, &bytes, cuts).unwrap();
                assert_eq!((texts.len(), texts[1].len()), (3, 200_000), "{} {cuts:?}", format.name());
                assert_eq!((&texts[0][..], &texts[2][..]), (&b"one"[..], &b"three"[..]));
            }
        }
    }

    /// Node 20's frames for the string `hi` and for one of 200 dots.
    #[test]
    fn frames_match_node() {
        let frame = |format: &dyn Format, text: &[u8]| {
            let mut bytes = Vec::new();
            format.frame(text, &mut bytes);
            bytes
        };
        let [advanced, json] = [ALL[0], ALL[1]];
        assert_eq!(frame(advanced, b"hi"), *b"\0\0\0\x06\xff\x0f\"\x02hi");
        let long = frame(advanced, &[b'.'; 200]);
        assert_eq!((&long[..9], long.len()), (&b"\0\0\0\xcd\xff\x0f\"\xc8\x01"[..], 209));
        assert_eq!(frame(json, b"hi"), *b"\"hi\"\n");
        assert_eq!(frame(json, b"a\"\n\xe9"), "\"a\\\"\\n\u{e9}\"\n".as_bytes());
    }

    #[test]
    fn rejects_other_values() {
        let [advanced, json] = [ALL[0], ALL[1]];
        for (format, bytes) in [
            (advanced, &b"\0\0\0\x01x"[..]),
            // An object.
            (advanced, b"\0\0\0\x05\xff\x0fo{\0"),
            // Version 9, from 2015.
            (advanced, b"\0\0\0\x05\xff\x09\"\x01x"),
            // A string with a length beyond the frame.
            (advanced, b"\0\0\0\x05\xff\x0f\"\x02x"),
            (json, b"{\"cmd\":\"NODE_HANDLE\"}\n"),
            (json, b"\"half\n"),
            (json, "\"\u{20ac}\"\n".as_bytes()),
        ] {
            assert!(receive(format, bytes, &[bytes.len()]).is_err(), "{bytes:?}");
        }
    }
}
