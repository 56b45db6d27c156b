//! [`FormatProbe`]: the outline of a file, from which formats are detected. For JSON, it has the names of the
//! outer members, also for a truncated file, so that the error says that the file is truncated and not that
//! its format is unknown.

use crate::fault::cut;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::cell::{Cell, OnceCell};
use std::fmt;

const LEVELS: usize = 3;
/// The most members or elements that an outline lists for one value.
const MEMBERS_MAX: usize = 512;
const NAMED_MAX: usize = 8_192;
const NAME_CHARS: usize = 64;

pub(crate) struct FormatProbe<'a> {
    pub(crate) text: &'a str,
    outline: OnceCell<Outline>,
}

/// The outline of the first JSON value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Outline {
    /// The file ends before the value, or the outline does not reach it.
    #[default]
    Unseen,
    Scalar,
    Array(Vec<Outline>),
    Object(Vec<(String, Outline)>),
}

impl<'a> FormatProbe<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, outline: OnceCell::new() }
    }

    pub(crate) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| {
            let mut outline = Outline::Unseen;
            if self.is_json() {
                let named = Cell::new(0);
                let fill = Fill { into: &mut outline, levels: LEVELS, named: &named };
                // An error ends the outline; the part before it counts.
                let _ = fill.deserialize(&mut serde_json::Deserializer::from_str(self.text));
            }
            outline
        })
    }

    pub(crate) fn is_json(&self) -> bool {
        self.text.trim_start().starts_with(['{', '['])
    }

    /// The lines of a file that is not JSON.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'a str> {
        let text = if self.is_json() { "" } else { self.text };
        text.lines()
    }
}

impl Outline {
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(known, _)| known == name).map(|(_, outline)| outline)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The elements of an array; empty for any other value.
    pub(crate) fn elements(&self) -> &[Self] {
        if let Self::Array(elements) = self { elements } else { &[] }
    }

    /// The members of an object; empty for any other value.
    pub(crate) fn members(&self) -> &[(String, Self)] {
        if let Self::Object(members) = self { members } else { &[] }
    }
}

/// Fills an outline during deserialization, so that it survives an error.
struct Fill<'a> {
    into: &'a mut Outline,
    levels: usize,
    named: &'a Cell<usize>,
}

impl Fill<'_> {
    fn has_room(&self, members: usize) -> bool {
        members < MEMBERS_MAX && self.named.get() < NAMED_MAX
    }
}

impl<'de> DeserializeSeed<'de> for Fill<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.levels == 0 {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(drop);
        }
        deserializer.deserialize_any(self)
    }
}

/// All scalars are handled alike.
macro_rules! scalars {
    ($($visit:ident($($value:ty)?)),*) => {
        $(fn $visit<E>(self $(, _: $value)?) -> Result<(), E> {
            *self.into = Outline::Scalar;
            Ok(())
        })*
    };
}

impl<'de> Visitor<'de> for Fill<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    scalars!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str), visit_unit());

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        *self.into = Outline::Array(Vec::new());
        loop {
            let Outline::Array(elements) = &mut *self.into else { return Ok(()) };
            if elements.len() == MEMBERS_MAX || self.named.get() == NAMED_MAX {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(());
            }
            self.named.set(self.named.get() + 1);
            elements.push(Outline::Unseen);
            let Some(into) = elements.last_mut() else { return Ok(()) };
            let fill = Fill { into, levels: self.levels - 1, named: self.named };
            if seq.next_element_seed(fill)?.is_none() {
                elements.pop();
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        *self.into = Outline::Object(Vec::new());
        while let Some(name) = map.next_key::<String>()? {
            let has_room = self.has_room(self.into.members().len());
            let Outline::Object(members) = &mut *self.into else { return Ok(()) };
            if !has_room {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            self.named.set(self.named.get() + 1);
            members.push((cut(&name, NAME_CHARS), Outline::Unseen));
            let Some((_, into)) = members.last_mut() else { return Ok(()) };
            map.next_value_seed(Fill { into, levels: self.levels - 1, named: self.named })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_outer_members_of_truncated_files() {
        let probe = FormatProbe::new(r#"{"results": [{"command": "echo", "times": [0.1, 0."#);
        let result = &probe.outline().get("results").unwrap().elements()[0];
        assert!(result.has("command") && result.has("times") && !result.has("mean"));
        assert_eq!(probe.outline().get("results").unwrap().elements().len(), 1);
    }

    #[test]
    fn ignores_deep_or_excess_members() {
        let deep = "[".repeat(100_000);
        let probe = FormatProbe::new(&deep);
        assert_eq!(probe.outline().elements().len(), 1);
        let wide = format!("[{}[]]", "[],".repeat(100_000));
        assert_eq!(FormatProbe::new(&wide).outline().elements().len(), MEMBERS_MAX);
    }

    #[test]
    fn outlines_only_json() {
        let probe = FormatProbe::new("one\ntwo");
        assert_eq!((probe.outline(), probe.lines().count()), (&Outline::Unseen, 2));
    }
}
