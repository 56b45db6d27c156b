//! Decompresses untrusted bodies, up to limits.

use super::Encoding;
use crate::error::DomainError;
use std::io::Read;

/// The largest inflated body, in bytes.
pub(super) const INFLATED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The largest window of a zstd body, as a power of two: 8 MiB, which all decoders support (RFC 8878, 3.1.1.1.2).
const WINDOW_LOG_MAX: u32 = 23;
const PART_BYTES: usize = 64 * 1024;

/// A body as it was sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) bytes: Vec<u8>,
    pub(super) encoding: Encoding,
}

/// The result of inflating a body with limited memory.
#[derive(Debug)]
pub(super) enum Inflated {
    /// The inflated body.
    Whole(Vec<u8>),
    /// The body and its values need more memory: this many bytes.
    Needs(usize),
}

/// The inflated body if it can be parsed in this many bytes of memory.
pub(super) fn inflate(sent: &Sent, memory_bytes: usize) -> Result<Inflated, DomainError> {
    let bytes = sent.bytes.as_slice();
    match sent.encoding {
        Encoding::Identity => read(bytes, bytes.len(), memory_bytes, "text"),
        Encoding::Gzip => read(flate2::read::MultiGzDecoder::new(bytes), bytes.len(), memory_bytes, "gzip"),
        Encoding::Zstd => {
            let mut decoder = zstd::Decoder::new(bytes).map_err(DomainError::internal)?;
            decoder.window_log_max(WINDOW_LOG_MAX).map_err(DomainError::internal)?;
            read(decoder, bytes.len(), memory_bytes, "zstd with a window of at most 8 MiB")
        }
    }
}

/// Without enough memory, only measures the body.
fn read(
    mut decoder: impl Read,
    sent_bytes: usize,
    memory_bytes: usize,
    name: &str,
) -> Result<Inflated, DomainError> {
    let (mut part, mut inflated, mut size) = (vec![0; PART_BYTES], Vec::new(), Size::default());
    loop {
        let count = decoder.read(&mut part).map_err(|error| {
            DomainError::InvalidEncoding(format!("the body is not a complete {name}: {error}"))
        })?;
        let needed = sent_bytes + size.memory_bytes();
        if count == 0 {
            return Ok(if needed <= memory_bytes {
                Inflated::Whole(inflated)
            } else {
                Inflated::Needs(needed)
            });
        }
        size.add(&part[..count]);
        if size.bytes > INFLATED_BYTES_MAX {
            return Err(DomainError::BodyTooLarge { max_bytes: INFLATED_BYTES_MAX, state: "inflated" });
        }
        if sent_bytes + size.memory_bytes() <= memory_bytes {
            inflated.extend_from_slice(&part[..count]);
        } else {
            inflated = Vec::new();
        }
    }
}

/// The size of a JSON text.
#[derive(Debug, Default)]
struct Size {
    bytes: usize,
    objects: usize,
    separators: usize,
}

impl Size {
    /// The size of an object without its texts.
    const OBJECT_BYTES: usize = 256;
    /// The size of a text or an entry of a map, without its bytes.
    const VALUE_BYTES: usize = 64;

    fn add(&mut self, part: &[u8]) {
        self.bytes += part.len();
        self.objects += memchr::memchr_iter(b'{', part).count();
        self.separators += memchr::memchr_iter(b',', part).count();
    }

    /// The memory for the text and its values, or for the values and the statements that store them.
    fn memory_bytes(&self) -> usize {
        2 * self.bytes + Self::OBJECT_BYTES * self.objects + Self::VALUE_BYTES * self.separators
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Write, repeat};

    fn sent(bytes: &[u8], encoding: Encoding) -> Sent {
        Sent { bytes: bytes.to_vec(), encoding }
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn rejects_bombs_without_inflating_them() {
        // 1 GiB of zeros in 33 KiB: inflating all of it would take a gigabyte of memory.
        let bomb = zstd::encode_all(repeat(0).take(1 << 30), 1).unwrap();
        let rejected = inflate(&sent(&bomb, Encoding::Zstd), usize::MAX);
        assert!(matches!(rejected, Err(DomainError::BodyTooLarge { .. })), "{rejected:?}");
    }

    #[test]
    fn rejects_truncated_bodies() {
        for (whole, encoding) in
            [(zstd::encode_all(&b"{}"[..], 1).unwrap(), Encoding::Zstd), (gzip(b"{}"), Encoding::Gzip)]
        {
            let rejected = inflate(&sent(&whole[..whole.len() - 2], encoding), usize::MAX);
            assert!(matches!(rejected, Err(DomainError::InvalidEncoding(_))), "{rejected:?}");
        }
    }

    #[test]
    fn rejects_large_windows() {
        for (window_log, is_accepted) in [(WINDOW_LOG_MAX, true), (WINDOW_LOG_MAX + 1, false)] {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(window_log).unwrap();
            encoder.write_all(b"{}").unwrap();
            let inflated = inflate(&sent(&encoder.finish().unwrap(), Encoding::Zstd), usize::MAX);
            assert_eq!(inflated.is_ok(), is_accepted, "{window_log}: {inflated:?}");
        }
    }

    #[test]
    fn measures_bodies_without_enough_memory() {
        let text = br#"[{"a":1,"b":[]},{"a":2,"b":[]}]"#.repeat(10_000);
        for (bytes, encoding) in [
            (text.clone(), Encoding::Identity),
            (gzip(&text), Encoding::Gzip),
            (zstd::encode_all(text.as_slice(), 1).unwrap(), Encoding::Zstd),
        ] {
            let body = sent(&bytes, encoding);
            let Inflated::Needs(needed) = inflate(&body, text.len()).unwrap() else { panic!("not measured") };
            assert!(needed > 10 * text.len(), "many small values take more memory than their text: {needed}");
            assert!(matches!(inflate(&body, needed - 1).unwrap(), Inflated::Needs(same) if same == needed));
            assert!(matches!(inflate(&body, needed).unwrap(), Inflated::Whole(whole) if whole == text));
        }
    }
}
