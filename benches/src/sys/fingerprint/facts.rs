//! What was read, under keys that mean the same on every system, and how the values are written.

#[cfg(unix)]
use rustix::process::{Resource, getrlimit};
use std::collections::BTreeMap;

/// `topic.name` and what was read.
#[derive(Default)]
pub(super) struct Facts(pub(super) BTreeMap<String, String>);

impl Facts {
    /// Absence is itself a fact: a virtual machine has no frequency driver to read.
    pub(super) fn put(&mut self, key: &str, value: Option<String>) {
        let absent = || format!("{}: this kernel does not show it", super::NOT_AVAILABLE);
        self.0.insert(key.to_owned(), value.unwrap_or_else(absent));
    }

    /// A count, a size, a frequency.
    pub(super) fn number(&mut self, key: &str, value: Option<impl ToString>) {
        self.put(key, value.map(|value| value.to_string()));
    }

    /// A soft limit, which is the one in force (getrlimit(2)).
    #[cfg(unix)]
    pub(super) fn limit(&mut self, key: &str, resource: Resource) {
        let current = getrlimit(resource).current;
        self.put(key, Some(current.map_or("unlimited".into(), |value| value.to_string())));
    }

    /// The limits that every Unix has.
    #[cfg(unix)]
    pub(super) fn limits_of_process(&mut self) {
        self.limit("limit.open_files", Resource::Nofile);
        self.limit("limit.locked_memory_bytes", Resource::Memlock);
    }
}

/// `1 package, 4 cores, 8 threads`.
#[cfg(any(not(target_os = "freebsd"), test))]
pub(super) fn topology(packages: usize, cores: usize, threads: usize) -> String {
    [counted(packages, "package"), counted(cores, "core"), counted(threads, "thread")].join(", ")
}

/// `1 core`, `2 cores`.
pub(super) fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// In GiB, rounded, because a kernel takes a little more or less for itself from boot to boot.
pub(super) fn gib(kib: u64) -> String {
    ((kib + (1 << 19)) >> 20).to_string()
}

/// Processors with cores of two kinds have caches of two sizes: `48 and 32`.
#[cfg(any(not(target_os = "freebsd"), test))]
pub(super) fn sizes(kib: &[Option<u64>]) -> Option<String> {
    let mut sizes: Vec<u64> = kib.iter().copied().flatten().collect();
    sizes.dedup();
    let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
    (!sizes.is_empty()).then(|| sizes.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_says_so() {
        let mut facts = Facts::default();
        facts.put("os.kernel", None);
        facts.number("cpu.allowed", Some(3));
        assert_eq!(facts.0["os.kernel"], "not available: this kernel does not show it");
        assert_eq!(facts.0["cpu.allowed"], "3");
    }

    #[test]
    fn one_is_singular_and_memory_is_rounded() {
        assert_eq!(topology(1, 4, 8), "1 package, 4 cores, 8 threads");
        assert_eq!(topology(2, 1, 1), "2 packages, 1 core, 1 thread");
        assert_eq!(gib(24_689_012), "24");
        assert_eq!(gib((16 << 20) - 1), "16");
    }

    #[test]
    fn sizes_that_differ_are_both_told() {
        assert_eq!(sizes(&[Some(128), Some(64)]).as_deref(), Some("128 and 64"));
        assert_eq!(sizes(&[Some(128), Some(128)]).as_deref(), Some("128"));
        assert_eq!(sizes(&[None, Some(64)]).as_deref(), Some("64"));
        assert_eq!(sizes(&[None, None]), None);
    }
}
