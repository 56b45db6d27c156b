//! Linux: uname(2), procfs and sysfs (proc(5), sysfs(5), cgroups(7)), `cpuid`.
//!
//! Stable is what can change a figure and is the same after a reboot; what differs from one login to the next, such
//! as the limits of a process, is a condition.

mod cache;
mod condition;
mod cpu;
mod kernel;
mod limit;
mod machine;

use super::facts::Facts;
use crate::sys::affinity;
use crate::sys::tree::Tree;
use std::collections::BTreeMap;

pub(super) fn stable() -> BTreeMap<String, String> {
    stable_of(&Tree::system(), affinity::pair().ok().as_ref())
}

pub(super) fn conditions() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    condition::read(&Tree::system(), &mut facts);
    limit::read_of_process(&mut facts);
    facts.0
}

fn stable_of(tree: &Tree, pair: Option<&affinity::CpuPair>) -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    kernel::read(tree, &mut facts);
    machine::read(tree, &mut facts);
    cpu::read(tree, pair.map_or(0, |pair| pair.first), &mut facts);
    limit::read_of_machine(tree, &mut facts);
    if let Some(pair) = pair {
        cache::read(tree, pair, &mut facts);
    }
    // Programs of releases carry musl, which copies and allocates in its own way: figures with it are not compared with those of
    // the usual library, of which nothing is said, so that machines stay what they are.
    if cfg!(target_env = "musl") {
        facts.put("os.c_library", Some("musl".into()));
    }
    facts.0
}

impl Facts {
    /// The text of a file as it stands.
    fn file(&mut self, key: &str, tree: &Tree, path: &str) {
        self.put(key, tree.text(path));
    }
}

/// The value of a line `key : value` of `/proc/cpuinfo`, of the first processor.
fn cpuinfo(tree: &Tree, key: &str) -> Option<String> {
    tree.text("/proc/cpuinfo")?.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::tree::fixture::tree;

    #[test]
    fn a_kernel_that_shows_nothing_says_so_for_every_fact() {
        let (_folder, tree) = tree(&[]);
        let facts = stable_of(&tree, None);
        assert_eq!(facts["cpu.governor"], "not available: this kernel does not show it");
        assert!(facts.values().all(|value| !value.is_empty()), "{facts:?}");
    }

    #[test]
    fn this_machine_is_read_twice_with_the_same_stable_facts() {
        assert_eq!(stable(), stable());
    }
}
