//! [`RunId`]: the identity of one upload, chosen by the agent.

use crate::hash;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;
use uuid::{Builder, Uuid};

/// A `UUIDv7` that the agent generates when a run begins and reuses for every retry, so that a repeated upload is
/// stored once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "Uuid", into = "Uuid")]
#[schema(value_type = Uuid, example = "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b")]
pub struct RunId(Uuid);

/// Why a UUID is not a [`RunId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a run id: expected a UUID of version 7")]
pub struct InvalidRunId(Uuid);

impl RunId {
    /// Generates an id from the clock and the system's random source.
    pub fn draw() -> Self {
        Self(Uuid::now_v7())
    }

    /// The id of a run that is defined by its contents, such as an import: the same identity always has the same id. `at`
    /// places the id among those of other runs, which servers sort by their time. Times before 1970 count as 1970.
    pub fn derive(at: DateTime<Utc>, identity: &impl Serialize) -> Self {
        let mut random = [0; 10];
        random.copy_from_slice(&hash::digest(identity)[..10]);
        let milliseconds = u64::try_from(at.timestamp_millis()).unwrap_or_default();
        Self(Builder::from_unix_timestamp_millis(milliseconds, &random).into_uuid())
    }

    /// The UUID.
    pub fn as_uuid(self) -> Uuid {
        self.0
    }
}

impl TryFrom<Uuid> for RunId {
    type Error = InvalidRunId;

    fn try_from(uuid: Uuid) -> Result<Self, InvalidRunId> {
        if uuid.get_version_num() == 7 { Ok(Self(uuid)) } else { Err(InvalidRunId(uuid)) }
    }
}

impl From<RunId> for Uuid {
    fn from(id: RunId) -> Self {
        id.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derives_the_same_id_for_the_same_identity_only() {
        let at = DateTime::from_timestamp_millis(1_764_500_000_000).unwrap();
        let id = RunId::derive(at, &("libfoo", "lab-1", "file"));
        assert_eq!(RunId::derive(at, &("libfoo", "lab-1", "file")), id);
        assert_ne!(RunId::derive(at, &("libfoo", "lab-2", "file")), id);
        assert_eq!(RunId::try_from(id.as_uuid()), Ok(id), "its version is 7");
        let later = RunId::derive(at + chrono::TimeDelta::milliseconds(1), &("libfoo", "lab-0", "file"));
        assert!(id < later, "ids are sorted by time");
        let ancient = RunId::derive(DateTime::<Utc>::MIN_UTC, &"file");
        assert!(ancient < id);
    }
}
