//! Systems whose details are not read yet: only what uname tells.

use std::collections::BTreeMap;

pub(super) fn stable() -> BTreeMap<String, String> {
    let uname = rustix::system::uname();
    BTreeMap::from([
        ("os.kernel".to_owned(), uname.release().to_string_lossy().into_owned()),
        ("os.build".to_owned(), uname.version().to_string_lossy().into_owned()),
    ])
}

pub(super) fn conditions() -> BTreeMap<String, String> {
    BTreeMap::new()
}
