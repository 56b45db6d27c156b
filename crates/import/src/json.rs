//! Typed JSON with line, column and path of errors, and limits for numbers and lists.

use crate::fault::{self, Fault, Place, cut};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

pub(crate) fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, Fault> {
    read_seed(text, PhantomData)
}

/// Reads a line of a file, by its index from 0.
pub(crate) fn read_line<'de, T: Deserialize<'de>>(line: &'de str, index: usize) -> Result<T, Fault> {
    read(line).map_err(|fault| Fault { place: fault.place.lines_down(index), ..fault })
}

fn read_seed<'de, S: DeserializeSeed<'de>>(text: &'de str, seed: S) -> Result<S::Value, Fault> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut track = serde_path_to_error::Track::new();
    let value = seed.deserialize(serde_path_to_error::Deserializer::new(&mut deserializer, &mut track));
    let value = value.map_err(|error| {
        let path = track.path().to_string();
        let fault = fault_from(&error);
        // serde's path has a question mark for a member without a name yet, and a dot for an empty path.
        let path = path.trim_end_matches('?').trim_end_matches('.');
        let place = if path.is_empty() { fault.place } else { fault.place.with_member(path) };
        Fault { place, ..fault }
    })?;
    deserializer.end().map_err(|error| fault_from(&error))?;
    Ok(value)
}

/// The forms of values that JSON has no form for.
const NOT_NUMBERS: [&str; 8] = ["-Infinity", "Infinity", "-NaN", "NaN", "-inf", "inf", "-nan", "nan"];

/// The text with bare `NaN` and infinities as texts: JSON has no form for them, but some tools write them.
pub(crate) fn quote_not_numbers(text: &str) -> Cow<'_, str> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    if !is_json || !NOT_NUMBERS.iter().any(|token| text.contains(token)) {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let (mut quoted, mut copied, mut at, mut is_in_text) = (String::new(), 0, 0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if is_in_text => at += 1,
            b'"' => is_in_text = !is_in_text,
            b'-' | b'I' | b'N' | b'i' | b'n' if !is_in_text => {
                if let Some(token) =
                    NOT_NUMBERS.iter().find(|token| bytes[at..].starts_with(token.as_bytes()))
                {
                    quoted.push_str(&text[copied..at]);
                    quoted.extend(["\"", token, "\""]);
                    at += token.len();
                    copied = at;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    quoted.push_str(&text[copied..]);
    Cow::Owned(quoted)
}

/// A list in a file that has been checked. Its elements are parsed again one at a time, because together they can take
/// a hundred times the memory of the file.
pub(crate) struct Elements<'a, T, const MAX: usize> {
    text: &'a str,
    /// The name of the list in the outermost object; `None` if the file is the list.
    name: Option<&'static str>,
    element: PhantomData<T>,
}

/// Checks a file that is a list of at most `MAX` elements.
pub(crate) fn list<'a, T: Deserialize<'a>, const MAX: usize>(
    text: &'a str,
) -> Result<Elements<'a, T, MAX>, Fault> {
    let elements = Elements { text, name: None, element: PhantomData };
    elements.visit(|_, _| Ok(())).map(|_: Option<IgnoredAny>| elements)
}

/// Checks a file that is an object with a list of at most `MAX` elements, and returns its other members.
pub(crate) fn object_with_list<'a, Others: Deserialize<'a>, T: Deserialize<'a>, const MAX: usize>(
    text: &'a str,
    name: &'static str,
) -> Result<(Others, Elements<'a, T, MAX>), Fault> {
    let elements = Elements { text, name: Some(name), element: PhantomData };
    let others = elements.visit(|_, _| Ok(()))?;
    let others = others.ok_or_else(|| Place::default().fault("expected an object"))?;
    Ok((others, elements))
}

impl<'a, T: Deserialize<'a>, const MAX: usize> Elements<'a, T, MAX> {
    /// Passes the elements with their indices, in order, up to the first fault.
    pub(crate) fn each(&self, take: impl FnMut(usize, T) -> Result<(), Fault>) -> Result<(), Fault> {
        self.visit(take).map(|_: Option<IgnoredAny>| ())
    }

    fn visit<Others: Deserialize<'a>>(
        &self,
        mut take: impl FnMut(usize, T) -> Result<(), Fault>,
    ) -> Result<Option<Others>, Fault> {
        let mut fault = None;
        let mut take = |index, element| take(index, element).map_err(|found| fault = Some(found)).is_ok();
        let list = ListSeed::<_, _, MAX> { take: &mut take, element: PhantomData };
        let found = match self.name {
            None => read_seed(self.text, list).map(|()| None),
            Some(name) => {
                let object = ObjectSeed { name, list: Some(list), others: PhantomData };
                read_seed(self.text, object).map(Some)
            }
        };
        match fault {
            Some(fault) => Err(fault),
            None => found,
        }
    }
}

/// Passes the elements of a list to `take` until it returns false.
struct ListSeed<'f, T, F, const MAX: usize> {
    take: &'f mut F,
    element: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>, F: FnMut(usize, T) -> bool, const MAX: usize> DeserializeSeed<'de>
    for ListSeed<'_, T, F, MAX>
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(usize, T) -> bool, const MAX: usize> Visitor<'de>
    for ListSeed<'_, T, F, MAX>
{
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut index = 0;
        while let Some(element) = seq.next_element()? {
            if index == MAX {
                return Err(A::Error::custom(format!("expected at most {MAX} elements")));
            }
            if !(self.take)(index, element) {
                return Err(A::Error::custom("stopped"));
            }
            index += 1;
        }
        Ok(())
    }
}

/// Passes the elements of the list `name` of an object to `list`, and returns the other members.
struct ObjectSeed<'f, T, F, Others, const MAX: usize> {
    name: &'static str,
    list: Option<ListSeed<'f, T, F, MAX>>,
    others: PhantomData<Others>,
}

impl<'de, T: Deserialize<'de>, F: FnMut(usize, T) -> bool, Others: Deserialize<'de>, const MAX: usize>
    DeserializeSeed<'de> for ObjectSeed<'_, T, F, Others, MAX>
{
    type Value = Others;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Others, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(usize, T) -> bool, Others: Deserialize<'de>, const MAX: usize>
    Visitor<'de> for ObjectSeed<'_, T, F, Others, MAX>
{
    type Value = Others;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Others, A::Error> {
        let Self { name, mut list, .. } = self;
        let others = OtherMembers { map, name, list: &mut list };
        let others = Others::deserialize(MapAccessDeserializer::new(others))?;
        if list.is_some() { Err(A::Error::missing_field(name)) } else { Ok(others) }
    }
}

/// The members of an object besides the list, which is passed on when it comes.
struct OtherMembers<'l, 'f, A, T, F, const MAX: usize> {
    map: A,
    name: &'static str,
    list: &'l mut Option<ListSeed<'f, T, F, MAX>>,
}

impl<'de, A: MapAccess<'de>, T: Deserialize<'de>, F: FnMut(usize, T) -> bool, const MAX: usize> MapAccess<'de>
    for OtherMembers<'_, '_, A, T, F, MAX>
{
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(name) = self.map.next_key::<String>()? {
            if name != self.name {
                return seed.deserialize(name.into_deserializer()).map(Some);
            }
            let list = self.list.take().ok_or_else(|| A::Error::duplicate_field(self.name))?;
            self.map.next_value_seed(list)?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

fn fault_from(error: &serde_json::Error) -> Fault {
    let message = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&suffix).unwrap_or(&message);
    // An input that ends before its first byte has column 0.
    let column = Some(error.column().max(1));
    Place { line: Some(error.line()), column, ..Place::default() }.fault(rephrase(message))
}

/// The expectation first, then the finding, in words for people who do not know serde.
fn rephrase(message: &str) -> String {
    let found = |found: &str, expected: &str| {
        let expected = match expected {
            "u64" => "a whole number of 0 or more",
            "i64" => "a whole number",
            "a string" => "a text",
            "a boolean" => "true or false",
            "f64" => "a number",
            other => other,
        };
        format!("expected {expected}, found {}", cut(found, fault::SHORT))
    };
    if let Some(what) = message.strip_prefix("EOF while parsing ") {
        return format!("expected the rest of {what}, found the end of the input");
    }
    if let Some(name) = message.strip_prefix("missing field ") {
        return format!("expected a member {name}, found none");
    }
    let kinds = ["invalid type: ", "invalid value: ", "invalid "];
    let rest = kinds.iter().find_map(|kind| message.strip_prefix(kind));
    if let Some((what, expected)) = rest.and_then(|rest| rest.rsplit_once(", expected ")) {
        return found(what, expected);
    }
    match message {
        "expected value" => "expected a value".into(),
        "number out of range" => "expected a 64-bit number, found a larger one".into(),
        "trailing characters" => "expected the end of the input, found more".into(),
        other => other.to_owned(),
    }
}

/// Implements `Deserialize` for a type from handlers for the kinds of values that it accepts. Unlike
/// `#[serde(untagged)]`, it buffers nothing. `$expected` is for messages.
macro_rules! visited {
    ($Type:ident, $expected:literal, $deserialize:ident, $($visits:tt)*) => {
        impl<'de> serde::Deserialize<'de> for $Type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct TypeVisitor;
                impl<'de> serde::de::Visitor<'de> for TypeVisitor {
                    type Value = $Type;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        formatter.write_str($expected)
                    }

                    $($visits)*
                }
                deserializer.$deserialize(TypeVisitor)
            }
        }
    };
}

pub(crate) use visited;

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Number(pub(crate) f64);

/// A value of any kind: a fact for people, or a number that may be `"NaN"`. Other kinds are not an error.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Loose {
    Number(f64),
    /// The beginning of a text.
    Text(String),
    /// Any other value.
    #[default]
    Other,
}

impl Loose {
    pub(crate) fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// The number, or NaN for a text that stands for it or for an infinity.
    pub(crate) fn number_or_nan(&self) -> Option<f64> {
        match self {
            Self::Text(text) if NOT_NUMBERS.contains(&text.as_str()) => Some(f64::NAN),
            _ => self.number(),
        }
    }

    /// The value as a fact: `None` unless it is a text or a number.
    pub(crate) fn fact(&self) -> Option<String> {
        match self {
            Self::Number(number) => Some(number.to_string()),
            Self::Text(text) => Some(text.clone()),
            Self::Other => None,
        }
    }
}

visited! { Loose, "anything", deserialize_any,
    fn visit_f64<E>(self, value: f64) -> Result<Loose, E> {
        Ok(Loose::Number(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Loose, E> {
        Ok(Loose::Number(value as f64))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Loose, E> {
        Ok(Loose::Number(value as f64))
    }

    fn visit_str<E>(self, value: &str) -> Result<Loose, E> {
        Ok(Loose::Text(cut(value, fault::LONG)))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Loose, E> {
        Ok(Loose::Text(value.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Loose, E> {
        Ok(Loose::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Loose, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Loose::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Loose::Other)
    }
}

/// A list with at most `MAX` elements.
#[derive(Clone, Debug)]
pub(crate) struct List<T, const MAX: usize>(pub(crate) Vec<T>);

impl<T, const MAX: usize> Default for List<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T, const MAX: usize>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for ListVisitor<T, MAX> {
            type Value = List<T, MAX>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T, MAX>, A::Error> {
                let mut list = Vec::new();
                while let Some(element) = seq.next_element()? {
                    if list.len() == MAX {
                        return Err(A::Error::custom(format!("expected at most {MAX} elements")));
                    }
                    list.push(element);
                }
                // A list of one element has room for four.
                list.shrink_to_fit();
                Ok(List(list))
            }
        }
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

/// An object with arbitrary member names, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Members<T, const MAX: usize>(pub(crate) Vec<(String, T)>);

impl<T, const MAX: usize> Default for Members<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for Members<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor<T, const MAX: usize>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for MembersVisitor<T, MAX> {
            type Value = Members<T, MAX>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<T, MAX>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    if members.len() == MAX {
                        return Err(A::Error::custom(format!("expected at most {MAX} members")));
                    }
                    members.push(member);
                }
                members.shrink_to_fit();
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

/// A number, or NaN for any other value: in a file, `"NaN"`, `null` or a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure(pub(crate) f64);

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Loose::deserialize(deserializer)?.number().unwrap_or(f64::NAN)))
    }
}

/// The numbers among the members of an object, such as values that users add to their results. Also `NaN`, quoted or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers(pub(crate) Vec<(String, f64)>);

/// The most numbers of an object.
const NUMBERS_MAX: usize = 1_000;

visited! { Numbers, "an object", deserialize_map,
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Numbers, A::Error> {
        let mut numbers = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, Loose>()? {
            if let Some(number) = value.number_or_nan() {
                if numbers.len() == NUMBERS_MAX {
                    return Err(A::Error::custom(format!("expected at most {NUMBERS_MAX} numbers")));
                }
                numbers.push((name, number));
            }
        }
        Ok(Numbers(numbers))
    }
}

/// A count that the file states as a number of any kind.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^53")]
pub(crate) fn whole(number: f64) -> Option<u64> {
    (0.0..=9e15).contains(&number).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(expecting = "an object")]
    struct Row {
        #[expect(dead_code, reason = "reading it is what is tested")]
        times: List<Number, 3>,
    }

    fn problem(text: &str) -> String {
        let fault = read::<List<Row, 2>>(text).unwrap_err();
        format!("{}: {}", fault.place, fault.problem)
    }

    #[test]
    fn reports_errors_with_line_column_and_path() {
        assert_eq!(
            problem("[{\"times\": [1,\n \"2\"]}]"),
            "line 2, column 4, [0].times[1]: expected a number, found string \"2\""
        );
        assert_eq!(
            problem("[{\"times\": [1, 2, 3, 4]}]"),
            "line 1, column 23, [0].times: expected at most 3 elements"
        );
        assert_eq!(problem("[{}]"), "line 1, column 3, [0]: expected a member `times`, found none");
        assert_eq!(problem("[] x"), "line 1, column 4: expected the end of the input, found more");
        assert_eq!(problem("7"), "line 1, column 1: expected a list, found integer `7`");
        assert_eq!(
            problem("[{\"times\": [1e999]}]"),
            "line 1, column 17, [0].times[0]: expected a 64-bit number, found a larger one"
        );
    }

    #[test]
    fn bounds_the_length_of_messages() {
        let text = format!("[{{\"times\": [\"{}\"]}}]", "x".repeat(100_000));
        assert!(problem(&text).len() < 500);
    }

    #[test]
    fn reads_the_numbers_of_an_object() {
        let numbers = |text: &str| read::<Numbers>(text).unwrap().0;
        assert!(numbers(r#"{"a": "NaN"}"#)[0].1.is_nan());
        assert_eq!(numbers(r#"{"a": 1, "b": "x", "c": 0.5}"#), [("a".into(), 1.0), ("c".into(), 0.5)]);
        assert!(read::<Numbers>("[1]").is_err());
    }

    #[test]
    fn quotes_bare_values_that_are_not_numbers() {
        let text = r#"{"NaN": NaN, "a": [-Infinity, nan,inf, null, "\"Infinity", -1]}"#;
        let quoted = r#"{"NaN": "NaN", "a": ["-Infinity", "nan","inf", null, "\"Infinity", -1]}"#;
        assert_eq!(quote_not_numbers(text), quoted);
        assert!(matches!(quote_not_numbers("NaN {}"), Cow::Borrowed(_)));
    }
}
