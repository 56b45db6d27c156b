//! The requested case, its message headers and the counts of a receiver.

use crate::{Library, Result, clock};
use serde::{Deserialize, Serialize};

pub(crate) const HEADER_BYTES: usize = 8;

#[derive(Deserialize)]
pub(crate) struct Request {
    pub(crate) protocol: u32,
    pub(crate) case: Case,
}

/// The case to measure. Counts are for one part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Case {
    pub scenario: String,
    pub mode: String,
    pub message_bytes: usize,
    pub messages_per_operation: i64,
    pub batch: i64,
    pub window: u32,
    pub samples: i64,
    pub warmup_samples: i64,
    pub seed: u32,
}

impl Case {
    /// Why a program with this library does not support the case.
    pub(crate) fn unsupported(&self, library: &Library) -> Option<String> {
        let can_stream = library.can_stream && clock::IS_SHARED;
        match self.scenario.as_str() {
            "roundtrip" => {}
            "stream" if can_stream => {}
            _ if can_stream => return Some("only the scenarios roundtrip and stream are supported".into()),
            _ => return Some("only scenario roundtrip is supported".into()),
        }
        if self.mode != "2proc" {
            return Some("only mode 2proc is supported".into());
        }
        if self.window != 1 {
            return Some("only a window of 1 is supported".into());
        }
        let max = library.max_message_bytes;
        (self.message_bytes > max).then(|| format!("only messages of up to {max} bytes are supported"))
    }

    pub fn is_stream(&self) -> bool {
        self.scenario == "stream"
    }

    pub(crate) fn messages_per_sample(&self) -> i64 {
        self.batch * self.messages_per_operation
    }

    /// The header of a message as an integer. Warm-up messages have negative numbers.
    fn header(&self, number: i64) -> u32 {
        // The cast keeps the low 32 bits.
        self.seed.wrapping_add(number as u32).wrapping_mul(2_654_435_761)
    }

    pub(crate) fn write_header(&self, number: i64, message: &mut [u8]) {
        let header = self.header(number);
        for (at, byte) in message[..HEADER_BYTES].iter_mut().enumerate() {
            *byte = b"0123456789abcdef"[(header >> (28 - 4 * at) & 15) as usize];
        }
    }
}

/// A receiver's counts of recorded messages.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) delivered: i64,
    pub(crate) sum: u32,
}

impl Counts {
    pub(crate) fn add(&mut self, case: &Case, number: i64, message: &[u8]) -> Result<()> {
        if message.len() != case.message_bytes {
            return Err(format!("received {} bytes: expected {}", message.len(), case.message_bytes).into());
        }
        if number >= 0 {
            let digits = std::str::from_utf8(&message[..HEADER_BYTES]).ok();
            let header = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            self.sum = self.sum.wrapping_add(header.unwrap_or_default());
            self.delivered += i64::from(header == Some(case.header(number)));
        }
        Ok(())
    }
}
