//! What the harness and a program say to each other: one JSON value a line, the harness on the program's standard input,
//! the program on its standard output.
//!
//! ```text
//! harness   {"protocol":1,"case":{"scenario":"roundtrip","message_bytes":1024,...}}
//! program   {"connected":{"initiator_pid":4711,"responder_pid":4712}}
//! harness   "go"
//! program   {"started":{}}                                              where the harness is to time it
//! program   {"done":{"samples_ns":[...],"attempted":1000,...}}
//! harness   "go"                                                        where a repetition has several parts
//! ...
//! harness   closes the program's standard input, upon which it ends
//! ```
//!
//! Instead of any of its lines the program may say `{"unsupported":"why"}` or `{"failed":"why"}`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of this protocol, raised when a program of before would no longer be understood.
pub(crate) const VERSION: u32 = 1;

/// What a program writes, reads and verifies, and where the cost of it falls: part of the methodology.
pub(crate) const PAYLOAD: &str = "by the program: the head of every message added up by who receives it, and \
    the sum compared by the harness; every byte compared in the warm-up";

/// What a program is asked to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// [`VERSION`].
    pub(crate) protocol: u32,
    /// What is to be measured.
    pub(crate) case: Case,
}

/// One repetition of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    /// `roundtrip`: each message is sent back. `stream`: messages go one way.
    pub(crate) scenario: String,
    /// `2proc`: the ends are two processes. `2thread`: two threads of one.
    pub(crate) mode: String,
    /// Bytes of one message, its head of eight included; as the program hands it to its transport.
    pub(crate) message_bytes: u64,
    /// Messages of one operation: 1 in `roundtrip`; in `stream`, of one transfer.
    pub(crate) messages_per_operation: u64,
    /// Operations timed together: one sample is the time of so many.
    pub(crate) batch: u64,
    /// Messages on their way at any time, in `roundtrip`. At 1 the next is sent when the answer is there.
    pub(crate) window: u32,
    /// How many samples to take in a part, which is what a `go` asks for.
    pub(crate) samples: u64,
    /// How many of them to do before the first part without recording.
    pub(crate) warmup_samples: u64,
    /// What the heads of messages follow from, see [`super::head`].
    pub(crate) seed: u32,
}

impl Case {
    /// Messages that are recorded, there or one way.
    pub(crate) fn messages(&self) -> u64 {
        self.samples * self.messages_per_sample()
    }

    pub(crate) fn messages_per_sample(&self) -> u64 {
        self.batch * self.messages_per_operation
    }

    /// What the part after this one is as it were alone: its messages go on from the number where this one ended, and
    /// there is no other warm-up.
    #[must_use]
    pub(crate) fn next_part(&self) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "the heads repeat after 2^32 messages")]
        let messages = self.messages() as u32;
        Self { seed: self.seed.wrapping_add(messages), warmup_samples: 0, ..self.clone() }
    }

    pub(crate) fn warmup_messages(&self) -> u64 {
        self.warmup_samples * self.messages_per_sample()
    }
}

/// What a program says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Answer {
    /// The channel is open and both of its ends are there; nothing was sent yet.
    Connected(Connected),
    /// The warm-up is over. Only where the harness is to take the time: from here to `done`.
    Started(Started),
    /// A part is measured.
    Done(Done),
    /// It cannot measure such a case at all, and why.
    Unsupported(String),
    /// It did not work out, and why.
    Failed(String),
}

/// Both ends of an open channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Connected {
    /// The process that sends first and holds the clock. The harness pins it where the case says.
    pub(crate) initiator_pid: u32,
    /// The process of the other end; the same where both are threads of one.
    pub(crate) responder_pid: u32,
    /// What else is worth knowing of the program: `{"version":"1.4.2"}`. It is shown, and never compared.
    #[serde(default)]
    pub(crate) facts: BTreeMap<String, String>,
}

/// Nothing but that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Started {}

/// What was measured in a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Done {
    /// Times of one sample each, in the order in which they were taken. Absent where the harness took the time, or with
    /// a histogram.
    #[serde(default)]
    pub(crate) samples_ns: Option<Vec<u64>>,
    /// The same as a histogram, for more samples than fit a line.
    #[serde(default)]
    pub(crate) histogram: Option<Histogram>,
    /// From the first send to the last receipt, on the clock of the samples. Absent where the harness took the time.
    #[serde(default)]
    pub(crate) elapsed_ns: Option<u64>,
    /// Messages whose sending was tried, the warm-up excluded, here and below.
    pub(crate) attempted: u64,
    /// Messages that the transport took.
    pub(crate) accepted: u64,
    /// Messages received whole and with the right head: by the responder, in `roundtrip` also the answers by the
    /// initiator; what is stated is the smaller number.
    pub(crate) delivered: u64,
    /// Messages received after a later one.
    #[serde(default)]
    pub(crate) out_of_order: u64,
    /// Messages received with another content than was sent.
    #[serde(default)]
    pub(crate) corrupted: u64,
    /// The sum, modulo 2^32, of the heads that the responder received.
    pub(crate) responder_sum: u32,
    /// In `roundtrip`: the same of the answers that the initiator received.
    #[serde(default)]
    pub(crate) initiator_sum: Option<u32>,
}

/// A histogram as other languages' `HdrHistogram` write it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Histogram {
    /// `HdrHistogram` V2 with deflate, base64: 1 ns to 60 s, 3 significant digits.
    pub(crate) v2: String,
    /// Exact smallest time.
    pub(crate) min_ns: u64,
    /// Exact largest time.
    pub(crate) max_ns: u64,
    /// Exact sum of all times.
    pub(crate) sum_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_line_with_every_field() {
        let case = Case {
            scenario: "roundtrip".into(),
            mode: "2proc".into(),
            message_bytes: 1_024,
            messages_per_operation: 1,
            batch: 1,
            window: 1,
            samples: 2_000,
            warmup_samples: 200,
            seed: 7,
        };
        let line = serde_json::to_string(&Request { protocol: VERSION, case }).unwrap();
        assert_eq!(
            line,
            r#"{"protocol":1,"case":{"scenario":"roundtrip","mode":"2proc","message_bytes":1024,"messages_per_operation":1,"batch":1,"window":1,"samples":2000,"warmup_samples":200,"seed":7}}"#
        );
    }

    #[test]
    fn a_misspelt_field_is_refused_by_name() {
        let error = serde_json::from_str::<Answer>(
            r#"{"done":{"sample_ns":[1],"attempted":1,"accepted":1,"delivered":1,"responder_sum":0}}"#,
        );
        assert!(error.unwrap_err().to_string().contains("sample_ns"));
    }
}
