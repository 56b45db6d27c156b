//! [`Download`]: a stored file that is read from the database in parts and decompressed on the way.

use crate::error::DomainError;
use async_compression::tokio::bufread::ZstdDecoder;
use async_compression::zstd::DParameter;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use roundtrip_storage::run::Location;
use roundtrip_storage::stored_file::StoredFile;
use sqlx::PgPool;
use std::io::{self, Cursor};
use tokio::io::AsyncRead;
use tokio_util::io::StreamReader;

/// Window sizes as powers of two: that of the server's own compression, and the largest that zstd accepts by default.
const WINDOW_LOG_MIN: u32 = 21;
const WINDOW_LOG_MAX: u32 = 27;
/// Memory besides the window: compressed parts, the decoder, and the buffers and compressor of an answer.
const BUFFERS_BYTES: usize = 2 * 1024 * 1024;

/// A stored file to read.
#[derive(Debug)]
pub struct Download {
    pool: PgPool,
    file: StoredFile,
    run: Location,
    first: Vec<u8>,
    window_log: u32,
}

impl Download {
    /// Opens a file. None if it does not exist.
    pub async fn open(pool: &PgPool, file: StoredFile, run: Location) -> Result<Option<Self>, DomainError> {
        let Some(first) = file.part(pool, run, 0).await? else { return Ok(None) };
        let window_log = window_log(&first);
        Ok(Some(Self { pool: pool.clone(), file, run, first, window_log }))
    }

    /// The most memory that reading takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        (1 << self.window_log) + BUFFERS_BYTES
    }

    /// The file as it was before compression. Reading fails if the database does not answer, and if a later frame
    /// needs a larger window than the first, which no compressor writes.
    pub fn read(self) -> impl AsyncRead + Send + 'static {
        let Self { pool, file, run, first, window_log } = self;
        let rest = stream::try_unfold(first.len(), move |offset| {
            let pool = pool.clone();
            async move {
                let place = i32::try_from(offset).map_err(io::Error::other)?;
                let part = file.part(&pool, run, place).await.map_err(io::Error::other)?;
                let part = part.ok_or_else(|| io::Error::other("it was deleted"))?;
                let next = offset + part.len();
                Ok((!part.is_empty()).then_some((part, next)))
            }
        });
        let rest = rest.inspect_err(move |error: &io::Error| {
            tracing::error!(error.cause = %error, "cannot read a stored file of run {}", run.run_id);
        });
        let parts = stream::iter([Ok(first)]).chain(rest).map_ok(Cursor::new);
        let window = DParameter::window_log_max(window_log);
        let mut decoder = ZstdDecoder::with_params(StreamReader::new(Box::pin(parts)), &[window]);
        decoder.multiple_members(true);
        decoder
    }
}

/// The smallest power of two that the window of a zstd frame fits into (RFC 8878, section 3.1.1.1).
fn window_log(frame: &[u8]) -> u32 {
    let window = match frame {
        [0x28, 0xb5, 0x2f, 0xfd, descriptor, window, ..] if descriptor & 0x20 == 0 => {
            let (exponent, eighths) = (window >> 3, u64::from(window & 7));
            Some((1 << (10 + exponent)) / 8 * (8 + eighths))
        }
        // The window is the content.
        _ => zstd::zstd_safe::get_frame_content_size(frame).ok().flatten(),
    };
    let window_log = window.map_or(WINDOW_LOG_MAX, |bytes| bytes.next_power_of_two().ilog2());
    window_log.clamp(WINDOW_LOG_MIN, WINDOW_LOG_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn reads_the_window_of_a_frame() {
        let content = vec![7; 10 << 20];
        let streamed = |log| {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(log).unwrap();
            encoder.write_all(&content).unwrap();
            encoder.finish().unwrap()
        };
        assert_eq!([18, 21, 23, 26].map(|log| window_log(&streamed(log))), [21, 21, 23, 26]);
        let single_segment = |bytes| {
            let mut compressor = zstd::bulk::Compressor::new(19).unwrap();
            compressor.compress(&content[..bytes]).unwrap()
        };
        assert_eq!(window_log(&single_segment(100)), 21);
        assert_eq!(window_log(&single_segment(5 << 20)), 23);
        assert_eq!(window_log(b"another format"), 27);
        // A window of 1.25 times a power of two.
        assert_eq!(window_log(&[0x28, 0xb5, 0x2f, 0xfd, 0, (12 << 3) | 2]), 23);
    }
}
