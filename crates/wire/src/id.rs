//! [`RunId`]: the identity of one upload, chosen by the agent.

use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;
use uuid::Uuid;

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
