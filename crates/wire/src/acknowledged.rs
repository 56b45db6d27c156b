//! [`Acknowledged`]: the number of uploads that a server has acknowledged, sent by an agent with each upload.
//! A server with fewer stored uploads has lost some, for example by restoring a backup, and can report it.

use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// The header, as in `roundtrip-acknowledged: 019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b 41`.
pub const HEADER: &str = "roundtrip-acknowledged";

/// How many different uploads of one installation had been acknowledged before this one.
///
/// ```
/// use roundtrip_wire::Acknowledged;
/// let text = "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b 41";
/// let acknowledged: Acknowledged = text.parse().unwrap();
/// assert_eq!(acknowledged.count, 41);
/// assert_eq!(acknowledged.to_string(), text);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// The id of an installation: a folder of reports on a machine, and their server.
    pub installation_id: Uuid,
    /// The number of uploads.
    pub count: u64,
}

/// Why a text is not an [`Acknowledged`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a UUID, a space and a number below 2^63 - 1")]
pub struct InvalidAcknowledged;

impl FromStr for Acknowledged {
    type Err = InvalidAcknowledged;

    fn from_str(text: &str) -> Result<Self, InvalidAcknowledged> {
        let (installation, count) = text.split_once(' ').ok_or(InvalidAcknowledged)?;
        let installation_id = Uuid::try_parse(installation).map_err(|_| InvalidAcknowledged)?;
        let count = count.parse().map_err(|_| InvalidAcknowledged)?;
        // Leaves room for one more in a database integer.
        if count < i64::MAX.cast_unsigned() {
            Ok(Self { installation_id, count })
        } else {
            Err(InvalidAcknowledged)
        }
    }
}

impl fmt::Display for Acknowledged {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.installation_id, self.count)
    }
}
