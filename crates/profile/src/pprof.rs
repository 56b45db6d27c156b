//! The format of `pprof`: `profile.proto` of its documentation, compressed.

use crate::{EndStacks, STATES, Stack};
use flate2::Compression;
use flate2::write::GzEncoder;
use indexmap::IndexSet;
use prost::Message;
use std::collections::HashMap;
use std::io::Write as _;

#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
}

/// Indices of the string table, here and below.
#[derive(Clone, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    r#type: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    /// Innermost first.
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    label: Vec<Label>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "2")]
    str: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
}

#[derive(Clone, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
}

/// A sample for each stack, with its time in each state and the labels `group` and `end`.
pub fn write(ends: &[EndStacks]) -> Vec<u8> {
    let encoded = profile(ends).encode_to_vec();
    let mut file = GzEncoder::new(Vec::new(), Compression::default());
    // Memory accepts every byte.
    let written = file.write_all(&encoded).and_then(|()| file.finish());
    written.unwrap_or_default()
}

fn profile(ends: &[EndStacks]) -> Profile {
    // The first string is empty.
    let mut strings: IndexSet<String> = [String::new()].into();
    let mut string = |text: &str| {
        let place = strings.get_index_of(text);
        place.unwrap_or_else(|| strings.insert_full(text.to_owned()).0) as i64
    };
    let unit = string("nanoseconds");
    let mut profile = Profile {
        sample_type: STATES.map(|(state, _)| ValueType { r#type: string(state), unit }).to_vec(),
        ..Profile::default()
    };
    let mut functions: HashMap<i64, u64> = HashMap::new();
    let (group_key, end_key) = (string("group"), string("end"));
    for EndStacks { group, end, stacks } in ends {
        let label =
            vec![Label { key: group_key, str: string(group) }, Label { key: end_key, str: string(end) }];
        for Stack { frames, time } in stacks {
            let mut location_id = Vec::with_capacity(frames.len());
            for frame in frames.iter().rev() {
                let name = string(frame);
                location_id.push(*functions.entry(name).or_insert_with(|| {
                    // A location has no address, so each function has one.
                    let id = profile.function.len() as u64 + 1;
                    profile.function.push(Function { id, name });
                    profile.location.push(Location { id, line: vec![Line { function_id: id }] });
                    id
                }));
            }
            let value = STATES.map(|(_, ns_of)| i64::try_from(ns_of(time)).unwrap_or(i64::MAX)).to_vec();
            profile.sample.push(Sample { location_id, value, label: label.clone() });
        }
    }
    profile.string_table = strings.into_iter().collect();
    profile
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn file_has_each_stack_innermost_first_with_both_times() {
        let ends = crate::tests::ends();
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(write(&ends).as_slice()).read_to_end(&mut bytes).unwrap();
        let Profile { sample_type, sample, location, function, string_table } =
            Profile::decode(bytes.as_slice()).unwrap();
        let text = |place: i64| string_table[usize::try_from(place).unwrap()].as_str();
        assert_eq!(text(0), "");
        let types: Vec<_> = sample_type.iter().map(|kind| (text(kind.r#type), text(kind.unit))).collect();
        assert_eq!(types, [("on CPU", "nanoseconds"), ("waiting", "nanoseconds")]);
        let name = |id: &u64| {
            let location = location.iter().find(|location| location.id == *id).unwrap();
            let function = function.iter().find(|function| function.id == location.line[0].function_id);
            text(function.unwrap().name)
        };
        let stacks: Vec<(Vec<&str>, &[i64])> = sample
            .iter()
            .map(|sample| (sample.location_id.iter().map(name).collect(), sample.value.as_slice()))
            .collect();
        let expected: [(&[&str], [i64; 2]); 4] = [
            (&["a;b", "main"], [0, 2_000]),
            (&["receive", "main", "main"], [1_000, 8_000]),
            (&["send", "main"], [3_000, 0]),
            (&["receive", "main"], [500, 0]),
        ];
        let expected = expected.map(|(names, values)| (names.to_vec(), values.to_vec()));
        assert_eq!(
            stacks.iter().map(|(names, values)| (names.clone(), values.to_vec())).collect::<Vec<_>>(),
            expected
        );
        let labels: Vec<_> = sample[3].label.iter().map(|label| (text(label.key), text(label.str))).collect();
        assert_eq!(labels, [("group", "roundtrip/pipe"), ("end", "responder")]);
    }
}
