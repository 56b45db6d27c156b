//! Values that are parsed while they are read, so that an error points at the value and not at the list that holds it.

use serde::de::{Deserializer, Error, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Reads a string and parses it.
///
/// # Errors
/// It is no string, or not what is expected.
pub(super) fn parsed<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: for<'a> TryFrom<&'a str, Error = String>,
{
    struct Parsed<T>(PhantomData<T>);

    impl<T> Visitor<'_> for Parsed<T>
    where
        T: for<'a> TryFrom<&'a str, Error = String>,
    {
        type Value = T;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            T::try_from(text).map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Parsed(PhantomData))
}

/// Implements `Deserialize` by [`parsed`].
macro_rules! deserialize_parsed {
    ($($type:ty),*) => {
        $(impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::settings::parsed::parsed(deserializer)
            }
        })*
    };
}
pub(super) use deserialize_parsed;
