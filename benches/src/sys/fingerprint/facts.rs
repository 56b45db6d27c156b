//! Keys and value formats of facts, the same on every system.

#[cfg(unix)]
use rustix::process::{Resource, getrlimit};
use std::collections::BTreeMap;

/// The value of each `topic.name`.
#[derive(Default)]
pub(super) struct Facts(pub(super) BTreeMap<String, String>);

impl Facts {
    /// A missing value is a fact too: a virtual machine has no frequency driver to read.
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
    pub(super) fn process_limits(&mut self) {
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

/// In GiB, rounded, because a kernel reserves a slightly different amount at each boot.
pub(super) fn gib(kib: u64) -> String {
    ((kib + (1 << 19)) >> 20).to_string()
}

/// Processors with two kinds of cores have caches of two sizes: `48 and 32`.
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
    fn unreadable_facts_are_marked() {
        let mut facts = Facts::default();
        facts.put("os.kernel", None);
        facts.number("cpu.allowed", Some(3));
        assert_eq!(facts.0["os.kernel"], "not available: this kernel does not show it");
        assert_eq!(facts.0["cpu.allowed"], "3");
    }

    #[test]
    fn formats_singular_and_rounds_memory() {
        assert_eq!(topology(1, 4, 8), "1 package, 4 cores, 8 threads");
        assert_eq!(topology(2, 1, 1), "2 packages, 1 core, 1 thread");
        assert_eq!(gib(24_689_012), "24");
        assert_eq!(gib((16 << 20) - 1), "16");
    }

    #[test]
    fn lists_different_sizes() {
        assert_eq!(sizes(&[Some(128), Some(64)]).as_deref(), Some("128 and 64"));
        assert_eq!(sizes(&[Some(128), Some(128)]).as_deref(), Some("128"));
        assert_eq!(sizes(&[None, Some(64)]).as_deref(), Some("64"));
        assert_eq!(sizes(&[None, None]), None);
    }
}
