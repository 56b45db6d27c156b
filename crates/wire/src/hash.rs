//! Identities: SHA-256 over the compact JSON of a value whose map keys are in one order.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// The digest of a value's compact JSON.
///
/// Struct fields come in the order of declaration and absent options are skipped, so that adding an optional
/// field leaves the identity of everything that lacks it unchanged. Never reorder the fields of a hashed type.
pub(crate) fn digest<T: Serialize>(value: &T) -> Digest {
    // The hashed types have string keys and no fallible serializer, so serde_json cannot fail.
    let json = serde_json::to_vec(value).unwrap_or_default();
    Sha256::digest(json).into()
}
