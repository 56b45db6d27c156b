//! Systems whose details are not read yet.

use std::collections::BTreeMap;

pub(super) fn stable() -> BTreeMap<String, String> {
    BTreeMap::new()
}

pub(super) fn conditions() -> BTreeMap<String, String> {
    BTreeMap::new()
}
