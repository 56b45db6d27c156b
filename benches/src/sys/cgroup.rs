//! The control groups of this process (cgroups(7)): version 1, version 2, or both at the same time.
//!
//! A limit of any parent group applies too, so readers check all [`folders`] and use the tightest.

use super::tree::Tree;

/// The folders of this process's group for one controller and of its parent groups, innermost first, as far as they are
/// mounted here. Empty without control groups.
pub(crate) fn folders(tree: &Tree, controller: &str) -> Vec<String> {
    let [groups, mounts] =
        ["cgroup", "mountinfo"].map(|name| tree.text(&format!("/proc/self/{name}")).unwrap_or_default());
    let Some((group, is_unified)) = group_of(&groups, controller) else { return Vec::new() };
    let Some((root, point)) = mount_of(&mounts, is_unified, controller) else { return Vec::new() };
    // In a container, the mount may begin below the group that the kernel names: then its top is this process's group.
    let below = group.strip_prefix(root.trim_end_matches('/')).unwrap_or("");
    let mut folder = format!("{point}{}", below.trim_end_matches('/'));
    let mut folders = Vec::new();
    while folder.starts_with(point) {
        folders.push(folder.clone());
        match folder.rfind('/') {
            Some(slash) => folder.truncate(slash),
            None => break,
        }
    }
    folders
}

/// The tightest processor quota of all groups of this process, in the format of cgroup v2: quota and period in
/// microseconds, `150000 100000`, or `max` without a quota. `None` without control groups.
pub(crate) fn cpu_quota(tree: &Tree) -> Option<String> {
    let folders = folders(tree, "cpu");
    if folders.is_empty() {
        return None;
    }
    let quotas = folders.iter().filter_map(|folder| {
        let (quota, period) = match tree.text(&format!("{folder}/cpu.max")) {
            Some(both) => both.split_once(' ').map(|(quota, period)| (quota.into(), period.into()))?,
            None => (
                tree.text(&format!("{folder}/cpu.cfs_quota_us"))?,
                tree.text(&format!("{folder}/cpu.cfs_period_us"))?,
            ),
        };
        // `max` and -1 do not parse.
        Some((quota.parse::<u64>().ok()?, period.parse::<u64>().ok().filter(|&period| period > 0)?))
    });
    let tightest =
        quotas.min_by(|a, b| (u128::from(a.0) * u128::from(b.1)).cmp(&(u128::from(b.0) * u128::from(a.1))));
    Some(tightest.map_or("max".into(), |(quota, period)| format!("{quota} {period}")))
}

/// The tightest memory limit in bytes, or `max`. `None` without control groups.
pub(crate) fn memory_limit(tree: &Tree) -> Option<String> {
    /// Version 1 writes "no limit" as the largest number of whole pages.
    const NO_LIMIT: u64 = 1 << 62;
    let folders = folders(tree, "memory");
    if folders.is_empty() {
        return None;
    }
    let limits = folders.iter().filter_map(|folder| {
        ["memory.max", "memory.limit_in_bytes"]
            .iter()
            .find_map(|name| tree.number(&format!("{folder}/{name}")))
    });
    Some(limits.filter(|&bytes| bytes < NO_LIMIT).min().map_or("max".into(), |bytes| bytes.to_string()))
}

/// The processors that this process's group may use, as `0-3,8`.
pub(crate) fn cpuset(tree: &Tree) -> Option<String> {
    folders(tree, "cpuset").iter().find_map(|folder| {
        ["cpuset.cpus.effective", "cpuset.effective_cpus"]
            .iter()
            .find_map(|name| tree.text(&format!("{folder}/{name}")))
            .filter(|cpus| !cpus.is_empty())
    })
}

/// The throttling of this process's groups by quotas: periods, and nanoseconds summed over processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Throttled {
    /// Periods in which the quota was used up.
    pub(crate) periods: u64,
    pub(crate) ns: u64,
}

/// Sums `cpu.stat` over all groups of this process; `None` if no group has it.
pub(crate) fn throttled(tree: &Tree) -> Option<Throttled> {
    let stats = folders(tree, "cpu").into_iter().filter_map(|folder| {
        let text = tree.text(&format!("{folder}/cpu.stat"))?;
        let number = |name: &str| super::tree::field(&text, name)?.parse::<u64>().ok();
        Some(Throttled {
            periods: number("nr_throttled ")?,
            // Nanoseconds in version 1, microseconds in version 2.
            ns: number("throttled_time ").or_else(|| Some(number("throttled_usec ")? * 1_000))?,
        })
    });
    stats.reduce(|sum, one| Throttled { periods: sum.periods + one.periods, ns: sum.ns + one.ns })
}

/// The path of the group for this controller, and whether it is the one of version 2.
///
/// Lines are `4:memory:/a/b`, and `0::/a/b` for version 2, which has all controllers that version 1 does not.
fn group_of<'a>(text: &'a str, controller: &str) -> Option<(&'a str, bool)> {
    let groups = || text.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
    let own = groups().find(|(controllers, _)| controllers.split(',').any(|name| name == controller));
    let (controllers, path) = own.or_else(|| groups().rfind(|(controllers, _)| controllers.is_empty()))?;
    Some((path, controllers.is_empty()))
}

/// The group at the mount point, and the mount point.
///
/// Lines are `35 31 0:32 /root /point options [optional ...] - type source options` (`proc_pid_mountinfo(5)`).
fn mount_of<'a>(text: &'a str, is_unified: bool, controller: &str) -> Option<(&'a str, &'a str)> {
    text.lines().find_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        let mut kind = kind.split(' ');
        let (name, options) = (kind.next()?, kind.nth(1).unwrap_or(""));
        let fits = if is_unified {
            name == "cgroup2"
        } else {
            name == "cgroup" && options.split(',').any(|option| option == controller)
        };
        let mut parts = mount.split(' ').skip(3);
        let (root, point) = (parts.next()?, parts.next()?);
        fits.then_some((root, point))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::tree::fixture::tree;

    const V2_MOUNT: &str = "25 20 0:22 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    fn v2<'a>(group: &'a str, files: &[(&'a str, &'a str)]) -> (tempfile::TempDir, Tree) {
        let mut all = vec![("/proc/self/cgroup", group), ("/proc/self/mountinfo", V2_MOUNT)];
        all.extend_from_slice(files);
        tree(&all)
    }

    #[test]
    fn version_2_uses_the_tightest_parent_quota() {
        let (_folder, tree) = v2(
            "0::/user.slice/session.scope\n",
            &[
                ("/sys/fs/cgroup/user.slice/session.scope/cpu.max", "max 100000\n"),
                ("/sys/fs/cgroup/user.slice/cpu.max", "50000 100000\n"),
            ],
        );
        assert_eq!(
            folders(&tree, "cpu"),
            ["/sys/fs/cgroup/user.slice/session.scope", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"]
        );
        assert_eq!(cpu_quota(&tree).as_deref(), Some("50000 100000"));
    }

    #[test]
    fn compares_quotas_by_share() {
        let (_folder, tree) = v2(
            "0::/a/b\n",
            &[("/sys/fs/cgroup/a/b/cpu.max", "9000 10000"), ("/sys/fs/cgroup/a/cpu.max", "50000 100000")],
        );
        assert_eq!(cpu_quota(&tree).as_deref(), Some("50000 100000"));
    }

    #[test]
    fn version_1_reads_its_own_files() {
        let (_folder, tree) = tree(&[
            ("/proc/self/cgroup", "4:memory:/x\n3:cpuset:/\n1:cpu,cpuacct:/x\n0::/\n"),
            (
                "/proc/self/mountinfo",
                "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
                 34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n\
                 35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
            ),
            ("/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n"),
            ("/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n"),
            ("/sys/fs/cgroup/cpu/x/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_time 3000000\n"),
            ("/sys/fs/cgroup/cpuset/cpuset.effective_cpus", "0-1\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ]);
        assert_eq!(cpu_quota(&tree).as_deref(), Some("max"));
        assert_eq!(memory_limit(&tree).as_deref(), Some("max"));
        assert_eq!(cpuset(&tree).as_deref(), Some("0-1"));
        assert_eq!(throttled(&tree), Some(Throttled { periods: 2, ns: 3_000_000 }));
    }

    #[test]
    fn reads_a_mount_that_begins_at_the_own_group() {
        let (_folder, tree) = tree(&[
            ("/proc/self/cgroup", "0::/docker/abc\n"),
            ("/proc/self/mountinfo", "25 20 0:22 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n"),
            ("/sys/fs/cgroup/memory.max", "1073741824\n"),
            ("/sys/fs/cgroup/cpu.stat", "usage_usec 1\nnr_throttled 1\nthrottled_usec 40\n"),
        ]);
        assert_eq!(memory_limit(&tree).as_deref(), Some("1073741824"));
        assert_eq!(throttled(&tree), Some(Throttled { periods: 1, ns: 40_000 }));
    }

    #[test]
    fn no_control_groups_give_no_values() {
        let (_folder, tree) = tree(&[]);
        assert_eq!((cpu_quota(&tree), memory_limit(&tree), cpuset(&tree)), (None, None, None));
        assert_eq!(throttled(&tree), None);
    }
}
