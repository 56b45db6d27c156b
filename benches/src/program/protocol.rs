//! The protocol between the harness and a program: one JSON value per line, on the program's standard input and output.
//!
//! ```text
//! harness   {"protocol":1,"case":{"scenario":"roundtrip","message_bytes":1024,...}}
//! program   {"connected":{"initiator_pid":4711,"responder_pid":4712}}
//! harness   "go"
//! program   {"started":{}}                                              if the harness measures the time
//! program   {"done":{"samples_ns":[...],"attempted":1000,...}}
//! harness   "go"                                                        if a repetition has several parts
//! ...
//! harness   closes the program's standard input; the program then ends
//! ```
//! Instead of any of its lines, the program may send `{"unsupported":"why"}` or `{"failed":"why"}`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The protocol version. Raise it when older programs would no longer understand it.
pub(crate) const VERSION: u32 = 1;

/// The data that a program writes, reads and verifies, and whether its cost is timed: part of the methodology.
pub(crate) const PAYLOAD: &str = "by the program: the head of every message added up by who receives it, and \
    the sum compared by the harness; every byte compared in the warm-up";

/// The order to a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// [`VERSION`].
    pub(crate) protocol: u32,
    /// The case to measure.
    pub(crate) case: Case,
}

/// One repetition of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    /// `roundtrip`: each message is sent back. `stream`: messages go one way.
    pub(crate) scenario: String,
    /// `2proc`: the ends are two processes. `2thread`: two threads of one process.
    pub(crate) mode: String,
    /// Bytes of one message as the program passes it to its transport, including the header of eight.
    pub(crate) message_bytes: u64,
    /// Messages per operation: 1 in `roundtrip`; the length of a transfer in `stream`.
    pub(crate) messages_per_operation: u64,
    /// Operations timed together as one sample.
    pub(crate) batch: u64,
    /// Messages in flight, in `roundtrip`. With 1, the next is sent after the answer to the last.
    pub(crate) window: u32,
    /// Samples per part; each `go` requests one part.
    pub(crate) samples: u64,
    /// Unrecorded samples before the first part.
    pub(crate) warmup_samples: u64,
    /// The seed of the message headers, see [`super::header`].
    pub(crate) seed: u32,
}

impl Case {
    /// Recorded messages in one direction.
    pub(crate) fn messages(&self) -> u64 {
        self.samples * self.messages_per_sample()
    }

    pub(crate) fn messages_per_sample(&self) -> u64 {
        self.batch * self.messages_per_operation
    }

    /// The next part as a case: its message numbers continue from this one, without another warm-up.
    #[must_use]
    pub(crate) fn next_part(&self) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "the headers repeat after 2^32 messages")]
        let messages = self.messages() as u32;
        Self { seed: self.seed.wrapping_add(messages), warmup_samples: 0, ..self.clone() }
    }

    pub(crate) fn warmup_messages(&self) -> u64 {
        self.warmup_samples * self.messages_per_sample()
    }
}

/// An answer from a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Answer {
    /// The channel is open and both ends are connected, before the first message.
    Connected(Connected),
    /// The warm-up is over. Only if the harness measures the time: from here to `done`.
    Started(Started),
    /// A part is measured.
    Done(Done),
    /// It cannot measure this case, with the reason.
    Unsupported(String),
    /// It failed, with the reason.
    Failed(String),
}

/// Both ends of an open channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Connected {
    /// The process that sends first and measures the times. The harness pins it as the case requires.
    pub(crate) initiator_pid: u32,
    /// The process of the other end; the same if both are threads of one process.
    pub(crate) responder_pid: u32,
    /// More facts about the program, such as `{"version":"1.4.2"}`. They are shown and never compared.
    #[serde(default)]
    pub(crate) facts: BTreeMap<String, String>,
}

/// An empty object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Started {}

/// The results of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Done {
    /// The samples, in order. Absent with a histogram, or if the harness measured the time.
    #[serde(default)]
    pub(crate) samples_ns: Option<Vec<u64>>,
    /// The samples as a histogram, if they do not fit a line.
    #[serde(default)]
    pub(crate) histogram: Option<Histogram>,
    /// From the first send to the last receipt, on the clock of the samples. Absent if the harness measured it.
    #[serde(default)]
    pub(crate) elapsed_ns: Option<u64>,
    /// Attempted messages. Like the counts below, it excludes the warm-up.
    pub(crate) attempted: u64,
    /// Messages that the transport accepted.
    pub(crate) accepted: u64,
    /// Messages received whole and with the right header: by the responder and, in `roundtrip`, as answers by the
    /// initiator; the smaller number counts.
    pub(crate) delivered: u64,
    /// Messages received after a later one.
    #[serde(default)]
    pub(crate) out_of_order: u64,
    /// Messages received with other content than was sent.
    #[serde(default)]
    pub(crate) corrupted: u64,
    /// The sum of the headers that the responder received, modulo 2^32.
    pub(crate) responder_sum: u32,
    /// In `roundtrip`: the same for the answers that the initiator received.
    #[serde(default)]
    pub(crate) initiator_sum: Option<u32>,
}

/// A histogram as written by `HdrHistogram` in other languages.
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
    fn rejects_misspelt_fields() {
        let error = serde_json::from_str::<Answer>(
            r#"{"done":{"sample_ns":[1],"attempted":1,"accepted":1,"delivered":1,"responder_sum":0}}"#,
        );
        assert!(error.unwrap_err().to_string().contains("sample_ns"));
    }
}
