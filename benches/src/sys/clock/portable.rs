//! Systems without an absolute sleep: a relative one, again and again.

use std::time::Duration;

pub(super) fn sleep_until(moment_ns: u64) {
    while let Some(left) = moment_ns.checked_sub(super::now_ns()).filter(|&left| left > 0) {
        std::thread::sleep(Duration::from_nanos(left));
    }
}

pub(super) fn sleep_precisely() {}
