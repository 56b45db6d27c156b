//! [`CommaSeparated`]: several values in one parameter.

use serde::de::{Deserialize, Deserializer, Error};
use std::fmt::Display;
use std::str::FromStr;

/// The most values of one parameter.
const VALUES_MAX: usize = 100;

/// Values, separated by commas: any of them. None where the parameter is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommaSeparated<T>(pub Vec<T>);

impl<T> Default for CommaSeparated<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for CommaSeparated<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let values = text
            .split(',')
            .map(|value| value.parse().map_err(|error| D::Error::custom(format!("`{value}`: {error}"))));
        let values: Vec<_> = values.collect::<Result<_, _>>()?;
        if values.len() > VALUES_MAX {
            return Err(D::Error::custom(format!("{} values: expected at most {VALUES_MAX}", values.len())));
        }
        Ok(Self(values))
    }
}
