//! Decompresses untrusted bodies, up to a limit.

use super::Encoding;
use crate::error::DomainError;
use std::io::{self, Read};

const INFLATED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The inflated body.
pub(super) fn inflate(sent: &[u8], encoding: Encoding) -> Result<Vec<u8>, DomainError> {
    let (name, result) = match encoding {
        Encoding::Identity => return Ok(sent.to_vec()),
        Encoding::Gzip => ("gzip", read_limited(flate2::read::MultiGzDecoder::new(sent))),
        Encoding::Zstd => ("zstd", zstd::Decoder::new(sent).and_then(read_limited)),
    };
    let inflated = result.map_err(|error| {
        DomainError::InvalidEncoding(format!("the body is not a complete {name}: {error}"))
    })?;
    if inflated.len() > INFLATED_BYTES_MAX {
        return Err(DomainError::BodyTooLarge { max_bytes: INFLATED_BYTES_MAX, state: "inflated" });
    }
    Ok(inflated)
}

/// Reads at most one byte more than allowed, which is enough to detect the excess.
fn read_limited(decoder: impl Read) -> io::Result<Vec<u8>> {
    let mut inflated = Vec::new();
    decoder.take(INFLATED_BYTES_MAX as u64 + 1).read_to_end(&mut inflated)?;
    Ok(inflated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_bombs_without_inflating_them() {
        // 1 GiB of zeros in 33 KiB: inflating all of it would take a gigabyte of memory.
        let bomb = zstd::encode_all(io::repeat(0).take(1 << 30), 1).unwrap();
        assert!(matches!(inflate(&bomb, Encoding::Zstd), Err(DomainError::BodyTooLarge { .. })));
    }

    #[test]
    fn rejects_truncated_bodies() {
        let whole = zstd::encode_all(&b"{}"[..], 1).unwrap();
        assert!(matches!(
            inflate(&whole[..whole.len() - 2], Encoding::Zstd),
            Err(DomainError::InvalidEncoding(_))
        ));
        let mut whole = Vec::new();
        flate2::read::GzEncoder::new(&b"{}"[..], flate2::Compression::fast())
            .read_to_end(&mut whole)
            .unwrap();
        assert!(matches!(
            inflate(&whole[..whole.len() - 2], Encoding::Gzip),
            Err(DomainError::InvalidEncoding(_))
        ));
    }
}
