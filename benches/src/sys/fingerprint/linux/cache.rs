//! The caches of the two processors that are used, from sysfs.

use super::Facts;
use crate::sys::affinity::CpuPair;
use crate::sys::fingerprint::pair::{self, Cache};
use crate::sys::tree::{Tree, numbers};

pub(super) fn read(tree: &Tree, pair: &CpuPair, facts: &mut Facts) {
    pair::read(pair, |cpu| caches(tree, cpu), facts);
}

fn caches(tree: &Tree, cpu: u32) -> Vec<Cache> {
    let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cache");
    let indices = tree.names(&folder).into_iter().filter(|name| name.starts_with("index"));
    indices
        .filter_map(|index| {
            let text = |name: &str| tree.text(&format!("{folder}/{index}/{name}"));
            let kind = match text("type")?.as_str() {
                "Data" => "d",
                "Instruction" => "i",
                _ => "",
            };
            Some(Cache {
                name: format!("L{}{kind}", text("level")?),
                kib: text("size")?.trim_end_matches('K').parse().ok()?,
                cpus: numbers(&text("shared_cpu_list")?),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::tree::fixture::tree;

    #[test]
    fn caches_of_both_processors_and_what_they_share() {
        let mut files = Vec::new();
        for (cpu, l1d) in [(0, "48K"), (8, "32K")] {
            let caches = [
                ("Data", "1", l1d),
                ("Instruction", "1", "64K"),
                ("Unified", "2", "2048K"),
                ("Unified", "3", "32768K"),
            ];
            for (index, (kind, level, size)) in caches.into_iter().enumerate() {
                let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}");
                let shared = if level == "3" { "0-3,8".into() } else { cpu.to_string() };
                for (name, text) in
                    [("type", kind), ("level", level), ("size", size), ("shared_cpu_list", &shared)]
                {
                    files.push((format!("{folder}/{name}"), format!("{text}\n")));
                }
            }
        }
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (_folder, tree) = tree(&files);
        let mut facts = Facts::default();
        read(&tree, &CpuPair { first: 8, second: 0, relation: "different cores" }, &mut facts);
        assert_eq!(facts.0["cpu.cache_l1d_kib"], "32 and 48");
        assert_eq!(facts.0["cpu.cache_l2_kib"], "2048");
        assert_eq!(facts.0["placement.shared_caches"], "L3");
    }
}
