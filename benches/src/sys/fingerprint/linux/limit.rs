//! Limits: of the machine and the control groups, which shape figures, and of this process, which decide what can run.

use super::Facts;
use crate::sys::cgroup;
use crate::sys::tree::Tree;
use rustix::process::{Resource, getrlimit};

pub(super) fn read_of_machine(tree: &Tree, facts: &mut Facts) {
    for (key, path) in [
        ("limit.pipe_max_bytes", "fs/pipe-max-size"),
        ("limit.pipe_user_pages", "fs/pipe-user-pages-soft"),
        ("limit.socket_receive_max_bytes", "net/core/rmem_max"),
        ("limit.socket_send_max_bytes", "net/core/wmem_max"),
        ("limit.socket_receive_default_bytes", "net/core/rmem_default"),
        ("limit.socket_send_default_bytes", "net/core/wmem_default"),
        ("limit.unix_datagrams", "net/unix/max_dgram_qlen"),
        ("limit.queue_messages", "fs/mqueue/msg_max"),
        ("limit.queue_message_bytes", "fs/mqueue/msgsize_max"),
        ("limit.queues", "fs/mqueue/queues_max"),
    ] {
        facts.file(key, tree, &format!("/proc/sys/{path}"));
    }
    facts.put("limit.cgroup_cpu", cgroup::cpu_quota(tree));
    facts.put("limit.cgroup_cpuset", cgroup::cpuset(tree));
    facts.put("limit.cgroup_memory_bytes", cgroup::memory_limit(tree));
}

/// The soft limits, which are those in force (getrlimit(2)).
pub(super) fn read_of_process(facts: &mut Facts) {
    for (key, resource) in [
        ("limit.open_files", Resource::Nofile),
        ("limit.queue_bytes", Resource::Msgqueue),
        ("limit.locked_memory_bytes", Resource::Memlock),
    ] {
        let current = getrlimit(resource).current;
        facts.put(key, Some(current.map_or("unlimited".into(), |value| value.to_string())));
    }
}
