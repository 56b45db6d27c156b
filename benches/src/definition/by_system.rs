//! Lists in a definition: one for all systems, or one per system.

use crate::system::System;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// `["tcp"]`, or `{ linux = ["pipe", "tcp"], others = ["tcp"] }`.
pub(super) struct BySystem<T>(Lists<T>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists<T> {
    freebsd: Option<Vec<T>>,
    linux: Option<Vec<T>>,
    macos: Option<Vec<T>>,
    windows: Option<Vec<T>>,
    others: Option<Vec<T>>,
}

impl<T> BySystem<T> {
    /// Returns the list for this system: empty if the system is not named and there is no `others`.
    pub(super) fn on(&self, system: System) -> &[T] {
        let Self(lists) = self;
        let own = match system {
            System::FreeBsd => &lists.freebsd,
            System::Linux => &lists.linux,
            System::MacOs => &lists.macos,
            System::Windows => &lists.windows,
        };
        own.as_ref().or(lists.others.as_ref()).map_or(&[], Vec::as_slice)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BySystem<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListOrLists(PhantomData))
    }
}

/// Written by hand, because an untagged enumeration would not name the unexpected key.
struct ListOrLists<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListOrLists<T> {
    type Value = BySystem<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list, or lists by system such as { linux = [..], others = [..] }")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        let others = Some(Vec::deserialize(SeqAccessDeserializer::new(list))?);
        Ok(BySystem(Lists { freebsd: None, linux: None, macos: None, windows: None, others }))
    }

    fn visit_map<A: MapAccess<'de>>(self, lists: A) -> Result<Self::Value, A::Error> {
        Lists::deserialize(MapAccessDeserializer::new(lists)).map(BySystem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Table {
        transports: BySystem<String>,
    }

    fn parsed(row: &str) -> Result<BySystem<String>, String> {
        toml::from_str::<Table>(row).map(|row| row.transports).map_err(|error| error.to_string())
    }

    #[test]
    fn one_list_applies_to_every_system() {
        let list = parsed("transports = ['pipe', 'tcp']").unwrap();
        for system in System::ALL {
            assert_eq!(list.on(system), ["pipe", "tcp"]);
        }
    }

    #[test]
    fn falls_back_to_the_list_for_others() {
        let lists = parsed("transports = { linux = ['pipe'], macos = [], others = ['tcp'] }").unwrap();
        assert_eq!(System::ALL.map(|system| lists.on(system).join(" ")), ["tcp", "pipe", "", "tcp"]);
        let lists = parsed("transports = { linux = ['pipe'] }").unwrap();
        assert_eq!(System::ALL.map(|system| lists.on(system).len()), [0, 1, 0, 0]);
    }

    #[test]
    fn rejects_other_types() {
        let unknown = parsed("transports = { beos = ['tcp'] }").err().unwrap();
        assert!(
            unknown.contains("`beos`") && unknown.contains("`freebsd`") && unknown.contains("`others`"),
            "{unknown}"
        );
        let text = parsed("transports = 'tcp'").err().unwrap();
        assert!(text.contains("a list, or lists by system"), "{text}");
    }
}
