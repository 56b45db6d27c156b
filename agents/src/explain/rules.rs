//! The rules that explain a change: one row each, in the order in which they claim calls.

use super::evidence::{CallRate, Difference, Evidence, Side};
use crate::format::{bytes, nanoseconds, signed_nanoseconds, whole, whole_signed};
use crate::usage::Resource;
use roundtrip_bench::sys::descriptors::{Channel, Settings};
use roundtrip_bench::sys::tracing::Outcome;
use roundtrip_wire::Slug;
use serde::Serialize;
use std::collections::BTreeSet;

/// Smaller differences of a count per message are left out,
const LEAST_COUNT: f64 = 0.05;
/// and findings that explain less of the change than this share.
const LEAST_SHARE: f64 = 0.05;
/// A message that crosses to another thread needs a wake-up, or half of one if every second thread is awake.
const LEAST_OF_HOP: f64 = 0.5;
/// The time of futex waits, as a share of that of the wake-ups, below which no thread waits for another.
const LEAST_OF_WAKES: f64 = 0.08;
/// The least share of the change that a function must take to be named.
const LEAST_OF_FUNCTION: f64 = 0.1;

/// A reason of a change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Finding {
    pub(crate) rule: &'static str,
    pub(crate) text: String,
    /// The part of the change that it accounts for. No part counts twice.
    pub(crate) explains_ns: f64,
    /// The least and the largest estimate of it, each without one of the repetitions.
    pub(crate) explains_range_ns: [f64; 2],
    /// The function that it names.
    pub(crate) function: Option<String>,
}

impl Finding {
    pub(crate) fn to_wire(&self) -> roundtrip_wire::Finding {
        roundtrip_wire::Finding {
            rule: Slug::from_name(self.rule),
            text: self.text.clone(),
            explains_ns: Some(whole_signed(self.explains_ns)),
            explains_range_ns: Some(self.explains_range_ns.map(whole_signed)),
            function: self.function.clone(),
        }
    }
}

/// Where a finding stands among the others; within a rank, by the time it accounts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A setting, which explains its symptoms.
    Setting,
    Cause,
    /// A resource, if nothing else explains the change.
    LastResort,
}

/// A row of the table.
struct Rule {
    slug: &'static str,
    rank: Rank,
    /// What differs, if the rule applies.
    finds: fn(&Case<'_>) -> Option<Found>,
    /// The calls that it explains: later rules do not count them.
    claims: fn(&CallRate) -> bool,
}

/// What a rule finds: a sentence, and the time per message that it accounts for.
struct Found {
    text: String,
    ns: f64,
    /// The estimates without one of the repetitions.
    range_ns: [f64; 2],
    function: Option<String>,
}

const RULES: [Rule; 25] = [
    rule("no-delay", Rank::Setting, no_delay, moves_messages),
    rule("buffer-size", Rank::Setting, buffer_size, moves_messages),
    rule("affinity", Rank::Setting, affinity, moves_messages),
    rule("sync-to-disk", Rank::Cause, sync_to_disk, |call| syncs(call) || writes_elsewhere(call)),
    rule("larger-messages", Rank::Cause, larger_messages, |call| sends(call) || receives(call)),
    rule("thread-hop", Rank::Cause, thread_hop, |call| is_futex(call) || moves_messages(call)),
    rule("timer", Rank::Cause, timer, sleeps),
    rule("polling", Rank::Cause, polling, |call| waits(call) || yields(call) || finds_nothing(call)),
    rule("lost-batching", Rank::Cause, lost_batching, moves_messages),
    rule("extra-call", Rank::Cause, extra_send, moves_messages),
    rule("chunked-reads", Rank::Cause, chunked_reads, receives),
    rule("wake-without-waiter", Rank::Cause, wake_without_waiter, wakes_none),
    rule("lock-wait", Rank::Cause, lock_wait, is_futex),
    rule("log-write", Rank::Cause, log_write, writes_elsewhere),
    rule("busy-wait", Rank::Cause, busy_wait, yields),
    rule("function", Rank::Cause, serialization, |_| false),
    rule("garbage-collection", Rank::Cause, garbage_collection, manages_memory),
    rule("allocation", Rank::Cause, allocation, manages_memory),
    rule("page-faults", Rank::Cause, page_faults, |_| false),
    rule("copy", Rank::Cause, copy, |_| false),
    rule("slower-memory", Rank::Cause, slower_memory, |_| false),
    rule("function", Rank::Cause, function, |_| false),
    rule("extra-call", Rank::Cause, extra_call, |_| false),
    rule("cpu-time", Rank::LastResort, cpu_time, |_| false),
    rule("waiting-for-cpu", Rank::LastResort, waiting_for_cpu, |_| false),
];

const fn rule(
    slug: &'static str,
    rank: Rank,
    finds: fn(&Case<'_>) -> Option<Found>,
    claims: fn(&CallRate) -> bool,
) -> Rule {
    Rule { slug, rank, finds, claims }
}

/// The evidence, and what earlier rules have found.
struct Case<'a> {
    evidence: &'a Evidence,
    found: &'a [(&'static Rule, Found)],
}

/// The findings, first the one that explains most, and the unexplained rest of the change.
pub(crate) fn explain(evidence: &Evidence) -> (Vec<Finding>, f64) {
    let parts = evidence.without_each();
    let change = evidence.change_ns;
    let least = LEAST_SHARE * change.abs();
    let mut found: Vec<(&'static Rule, Found)> = Vec::new();
    for rule in &RULES {
        let finds = |evidence| (rule.finds)(&Case { evidence, found: &found });
        // Counts that changed the other way do not explain the change.
        let Some(mut next) = finds(evidence).filter(|next| next.ns * change.signum() >= least) else {
            continue;
        };
        for part in parts.iter().filter_map(finds) {
            next.range_ns = [next.range_ns[0].min(part.ns), next.range_ns[1].max(part.ns)];
        }
        found.push((rule, next));
    }
    found.sort_by(|(one, other), (rule, found)| {
        one.rank.cmp(&rule.rank).then_with(|| found.ns.abs().total_cmp(&other.ns.abs()))
    });
    let (mut findings, mut rest) = (Vec::new(), change.abs());
    for (rule, found) in found {
        let explains = found.ns.abs().min(rest);
        if explains >= least {
            // No finding accounts for more than the others have left.
            let part = |ns: f64| (ns * change.signum()).clamp(0.0, rest) * change.signum();
            findings.push(Finding {
                rule: rule.slug,
                text: found.text,
                explains_ns: part(found.ns),
                explains_range_ns: found.range_ns.map(part),
                function: found.function,
            });
            rest -= explains;
        }
    }
    (findings, rest * change.signum())
}

impl Case<'_> {
    fn of_calls(&self, picks: impl Fn(&CallRate) -> bool, figure: fn(&CallRate) -> f64) -> Difference {
        let is_free = |call: &CallRate| !self.found.iter().any(|(rule, _)| (rule.claims)(call));
        self.evidence.of_calls(|call| picks(call) && is_free(call), figure)
    }

    fn count(&self, picks: impl Fn(&CallRate) -> bool) -> Difference {
        self.of_calls(picks, |call| call.count)
    }

    /// Change of the processor time in these calls.
    fn cpu_ns(&self, picks: impl Fn(&CallRate) -> bool) -> f64 {
        self.of_calls(picks, |call| call.cpu_ns).change()
    }

    /// The same from the profile; `None` without frames of the kernel, or if other calls have the same names.
    fn kernel_ns(&self, picks: impl Fn(&CallRate) -> bool) -> Option<f64> {
        let sides = [&self.evidence.base, &self.evidence.head];
        let calls = sides.into_iter().flat_map(|side| side.calls.iter().flatten());
        let (picked, others): (Vec<_>, Vec<_>) = calls.partition(|call| picks(call));
        let names: BTreeSet<&str> = picked.iter().map(|call| &*call.name).collect();
        if others.iter().any(|call| names.contains(&*call.name) && call.count > LEAST_COUNT) {
            return None;
        }
        let changes = names.into_iter().filter_map(|name| {
            // The entry of a call, or what the compiler left of it.
            let entries = ["ksys_", "__sys_", "__x64_sys_", "__arm64_sys_"];
            let totals = entries.map(|entry| self.total(&format!("{entry}{name}_[k]")));
            totals.into_iter().find(|total| total.base + total.head > 0.0).map(|total| total.change())
        });
        changes.reduce(|sum, change| sum + change)
    }

    /// Change of the whole time in these calls.
    fn time_ns(&self, picks: impl Fn(&CallRate) -> bool) -> f64 {
        self.of_calls(picks, |call| call.cpu_ns + call.waited_ns).change()
    }

    fn has_found(&self, slug: &str) -> bool {
        self.found.iter().any(|(rule, _)| rule.slug == slug)
    }

    /// The whole change, except the processor time that is spent outside of the kernel's calls.
    fn rest_ns(&self) -> f64 {
        let cpu = self.evidence.of_usage(Resource::CpuNs).map_or(0.0, |cpu| cpu.change());
        let in_calls = self.evidence.of_calls(|_| true, |call| call.cpu_ns).change();
        let change = self.evidence.change_ns;
        let outside = (cpu - in_calls) * change.signum();
        change - change.signum() * outside.clamp(0.0, change.abs() / 2.0)
    }

    /// Whether a change of this sign makes head slower if head is slower.
    fn is_forward(&self, change: f64) -> bool {
        change * self.evidence.change_ns > 0.0
    }

    fn per_unit(&self) -> String {
        format!("per {}", self.evidence.unit)
    }
}

impl Found {
    fn new(text: String, ns: f64) -> Option<Self> {
        Some(Self { text, ns, range_ns: [ns; 2], function: None })
    }

    fn of_function(text: String, ns: f64, name: &str) -> Option<Self> {
        Some(Self { function: Some(name.to_owned()), ..Self::new(text, ns)? })
    }
}

// Kinds of calls.

fn is(call: &CallRate, names: &[&str]) -> bool {
    names.contains(&call.name.as_str())
}

fn is_channel(call: &CallRate) -> bool {
    !matches!(
        call.on.as_deref(),
        Some("file" | "device" | "standard-error" | "eventfd" | "timerfd" | "anonymous")
    )
}

fn sends(call: &CallRate) -> bool {
    is(call, &["write", "writev", "sendto", "sendmsg", "sendmmsg", "mq_timedsend", "vmsplice"])
        && is_channel(call)
}

fn receives(call: &CallRate) -> bool {
    is(call, &["read", "readv", "recvfrom", "recvmsg", "recvmmsg", "mq_timedreceive"]) && is_channel(call)
}

fn waits(call: &CallRate) -> bool {
    is(call, &["poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait"])
}

fn moves_messages(call: &CallRate) -> bool {
    sends(call) || receives(call) || waits(call)
}

fn yields(call: &CallRate) -> bool {
    call.name == "sched_yield"
}

/// A wait that ends without an event, or a receive without a message.
fn finds_nothing(call: &CallRate) -> bool {
    (waits(call) && call.outcome == Outcome::Zero)
        || (receives(call) && call.outcome == Outcome::Failed(EAGAIN))
}

/// Of Linux, the only system whose calls are observed in detail.
const EAGAIN: i32 = 11;

fn sleeps(call: &CallRate) -> bool {
    is(call, &["nanosleep", "clock_nanosleep"]) || (waits(call) && call.outcome == Outcome::Zero)
}

fn syncs(call: &CallRate) -> bool {
    is(call, &["fsync", "fdatasync", "msync", "sync", "sync_file_range"])
}

fn writes_elsewhere(call: &CallRate) -> bool {
    is(call, &["write", "writev", "pwrite64", "pwritev"])
        && matches!(call.on.as_deref(), Some("file" | "device" | "standard-error"))
}

fn is_futex(call: &CallRate) -> bool {
    call.name.starts_with("futex")
}

fn wakes_none(call: &CallRate) -> bool {
    call.name == "futex-wake" && call.outcome == Outcome::Zero
}

fn manages_memory(call: &CallRate) -> bool {
    is(call, &["mmap", "munmap", "mremap", "brk", "madvise"])
}

// Settings.

/// The values of a setting in all repetitions of a side, if they are always the same.
fn constant<T: PartialEq>(side: &Side, value: impl Fn(&[Settings]) -> T) -> Option<T> {
    let mut values = side.settings.iter().map(|settings| value(settings));
    let first = values.next()?;
    values.all(|other| other == first).then_some(first)
}

/// A setting of the channels of both sides, if it changed: the least of each kind of channel.
fn changed<T: Ord>(evidence: &Evidence, value: impl Fn(&Channel) -> Option<T>) -> Option<[T; 2]> {
    let least = |settings: &[Settings]| {
        settings.iter().flat_map(|settings| &settings.channels).filter_map(&value).min()
    };
    let (base, head) = (constant(&evidence.base, least)??, constant(&evidence.head, least)??);
    (base != head).then_some([base, head])
}

fn no_delay(case: &Case<'_>) -> Option<Found> {
    let [base, head] = changed(case.evidence, |channel| channel.no_delay)?;
    let on = |is_on| if is_on { "on" } else { "off" };
    Found::new(format!("TCP_NODELAY is {}, was {}", on(head), on(base)), case.rest_ns())
}

fn buffer_size(case: &Case<'_>) -> Option<Found> {
    let evidence = case.evidence;
    let send = changed(evidence, |channel| channel.send_bytes).map(|sizes| ("send buffer", sizes));
    let receive =
        || changed(evidence, |channel| channel.receive_bytes).map(|sizes| ("receive buffer", sizes));
    let pipe = || changed(evidence, |channel| channel.capacity_bytes).map(|sizes| ("pipe", sizes));
    let (name, [base, head]) = send.or_else(receive).or_else(pipe)?;
    // The kernel adapts the buffers of TCP by itself, in small steps.
    let is_plain = base.max(head) as f64 >= 1.5 * base.min(head) as f64;
    is_plain.then_some(())?;
    Found::new(format!("{name} granted {}, was {}", bytes(head), bytes(base)), case.rest_ns())
}

fn affinity(case: &Case<'_>) -> Option<Found> {
    let allowed = |settings: &[Settings]| -> Vec<String> {
        settings.iter().map(|settings| settings.allowed_cpus.join(" or ")).collect()
    };
    let sides = constant(&case.evidence.base, allowed).zip(constant(&case.evidence.head, allowed));
    let (base, head) = sides.filter(|(base, head)| base != head)?;
    let text = format!("the ends may run on CPU {}, were on CPU {}", head.join(" and "), base.join(" and "));
    Found::new(text, case.rest_ns())
}

// Calls.

/// `+1.00 sendmsg per round trip`.
fn more_calls(case: &Case<'_>, count: f64, name: &str) -> String {
    format!("{count:+.2} `{name}` {}", case.per_unit())
}

/// The call of this kind whose count changed most.
fn most_changed(case: &Case<'_>, picks: fn(&CallRate) -> bool) -> Option<(String, Difference)> {
    let of_name = |name: &str| (name.to_owned(), case.count(|call| picks(call) && call.name == name));
    let all = case.evidence.call_names().into_iter().map(of_name);
    let certain = all.filter(|(_, count)| count.is_at_least(LEAST_COUNT) && case.is_forward(count.change()));
    certain.max_by(|(_, one), (_, other)| one.change().abs().total_cmp(&other.change().abs()))
}

fn sync_to_disk(case: &Case<'_>) -> Option<Found> {
    let (name, count) = most_changed(case, syncs)?;
    Found::new(
        more_calls(case, count.change(), &name),
        case.time_ns(|call| syncs(call) || writes_elsewhere(call)),
    )
}

fn larger_messages(case: &Case<'_>) -> Option<Found> {
    let sent = case.of_calls(sends, |call| call.bytes);
    let is_larger = sent.base > 0.0 && sent.is_at_least(0.1 * sent.base.min(sent.head));
    is_larger.then_some(())?;
    let sign = if sent.change() < 0.0 { "-" } else { "+" };
    let size = bytes(whole(sent.change().abs()));
    let moves = |call: &CallRate| sends(call) || receives(call);
    // Observing a call takes longer if it waits, which larger messages make less frequent.
    let ns = case.kernel_ns(moves).unwrap_or_else(|| case.cpu_ns(moves)) + case.of_copies_ns();
    Found::new(format!("{sign}{size} sent {}", case.per_unit()), ns)
}

fn thread_hop(case: &Case<'_>) -> Option<Found> {
    let threads = Difference::of(&case.evidence.base.threads, &case.evidence.head.threads);
    let switches = case.count(is_futex);
    // Threads that collect garbage also wait for each other.
    let is_hop = threads.is_at_least(1.0)
        && switches.is_at_least(LEAST_OF_HOP)
        && case.garbage_ns().abs() < 0.5 * case.evidence.change_ns.abs();
    (is_hop && case.is_forward(threads.change()) && case.is_forward(switches.change())).then_some(())?;
    let text = format!("{:+.0} thread handles each message", threads.change());
    Found::new(text, case.rest_ns())
}

fn timer(case: &Case<'_>) -> Option<Found> {
    let slept = case.of_calls(sleeps, |call| call.waited_ns);
    let ns = slept.change();
    slept.is_at_least(LEAST_SHARE * case.evidence.change_ns.abs()).then_some(())?;
    Found::new(format!("sleeps {} {}", signed_nanoseconds(ns), case.per_unit()), ns)
}

fn polling(case: &Case<'_>) -> Option<Found> {
    let nothing = case.count(finds_nothing);
    let all = case.count(waits);
    let is_more = |count: &Difference| count.is_at_least(LEAST_COUNT) && case.is_forward(count.change());
    // A poll before each receive, or more polls without an event.
    let more = [all, nothing]
        .into_iter()
        .filter(is_more)
        .max_by(|one, other| one.change().abs().total_cmp(&other.change().abs()))?;
    let name = most_changed(case, |call| waits(call) || finds_nothing(call)).map(|(name, _)| name)?;
    let empty =
        if nothing.head.max(nothing.base) > LEAST_COUNT { ", most of which find nothing" } else { "" };
    let ns = case.time_ns(yields) + case.cpu_ns(|call| waits(call) || finds_nothing(call));
    Found::new(format!("{}{empty}", more_calls(case, more.change(), &name)), ns)
}

/// Whether the same bytes are moved in more or fewer calls of this kind.
fn in_other_parts(case: &Case<'_>, picks: fn(&CallRate) -> bool) -> Option<Difference> {
    let moves = |call: &CallRate| picks(call) && call.bytes > 0.0;
    let (count, bytes) = (case.count(moves), case.of_calls(moves, |call| call.bytes));
    let is_same = bytes.change().abs() <= 0.05 * bytes.base.max(bytes.head);
    (is_same && count.is_at_least(LEAST_COUNT) && case.is_forward(count.change())).then_some(count)
}

fn lost_batching(case: &Case<'_>) -> Option<Found> {
    let count = in_other_parts(case, sends)?;
    // Below one call for each message, several messages share a call.
    (count.base.min(count.head) < 0.9).then_some(())?;
    let text = format!(
        "{:.2} sends {}, was {:.2}: messages {} a call",
        count.head,
        case.per_unit(),
        count.base,
        if count.change() > 0.0 { "no longer share" } else { "share" }
    );
    Found::new(text, case.rest_ns())
}

/// A message is sent in more parts.
fn extra_send(case: &Case<'_>) -> Option<Found> {
    in_other_parts(case, sends)?;
    let (name, count) = most_changed(case, sends)?;
    Found::new(more_calls(case, count.change(), &name), case.rest_ns())
}

fn chunked_reads(case: &Case<'_>) -> Option<Found> {
    let count = in_other_parts(case, receives)?;
    let text = format!("{:+.2} reads {} for the same bytes", count.change(), case.per_unit());
    Found::new(text, case.rest_ns())
}

fn wake_without_waiter(case: &Case<'_>) -> Option<Found> {
    let count = case.count(wakes_none);
    count.is_at_least(LEAST_COUNT).then_some(())?;
    let text = format!("{:+.2} futex wakes {}, although no thread waits", count.change(), case.per_unit());
    Found::new(text, case.cpu_ns(wakes_none))
}

fn lock_wait(case: &Case<'_>) -> Option<Found> {
    let waits = |call: &CallRate| call.in_main_thread && is(call, &["futex-wait", "futex-lock"]);
    let count = case.count(waits);
    let slept = case.of_calls(waits, |call| call.waited_ns + call.cpu_ns);
    let is_longer = slept.is_at_least(LEAST_SHARE * case.evidence.change_ns.abs());
    // An end that spins before it sleeps may sleep only because the other's calls are observed. Then the profile, which takes
    // less time, has hardly any waits for its wake-ups.
    let is_real = !case.evidence.function_names().into_iter().any(is_kernel) || {
        let [waiting, waking] =
            ["futex_wait_[k]", "futex_wake_[k]"].map(|name| case.total(name).change().abs());
        waiting > LEAST_OF_WAKES * waking
    };
    (count.is_at_least(LEAST_COUNT) && is_longer && is_real).then_some(())?;
    let text = format!("{:+.2} futex waits {}: a thread holds a lock", count.change(), case.per_unit());
    Found::new(text, slept.change())
}

fn log_write(case: &Case<'_>) -> Option<Found> {
    let (name, count) = most_changed(case, writes_elsewhere)?;
    let text = format!("{} to a file or standard error", more_calls(case, count.change(), &name));
    Found::new(
        text,
        case.rest_ns().abs().max(case.time_ns(writes_elsewhere).abs()) * case.evidence.change_ns.signum(),
    )
}

fn busy_wait(case: &Case<'_>) -> Option<Found> {
    let (name, count) = most_changed(case, yields)?;
    Found::new(more_calls(case, count.change(), &name), case.time_ns(yields))
}

/// Any other call: the one that takes the most time.
fn extra_call(case: &Case<'_>) -> Option<Found> {
    let others = |call: &CallRate| !moves_messages(call) && !is_futex(call);
    let (name, count) = most_changed(case, others)?;
    Found::new(more_calls(case, count.change(), &name), case.cpu_ns(|call| call.name == name && others(call)))
}

// Functions of the profile.

fn contains(name: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| name.contains(part))
}

fn is_kernel(name: &str) -> bool {
    name.ends_with("_[k]")
}

fn collects_garbage(name: &str) -> bool {
    let parts = [
        "Heap::CollectGarbage",
        "Heap::Scavenge",
        "Scavenger",
        "MarkCompact",
        "ConcurrentMarking",
        "Sweeper",
        "gc_collect",
        "gcBgMarkWorker",
        "gcAssist",
        "G1",
        "GCTask",
    ];
    contains(name, &parts)
}

fn allocates(name: &str) -> bool {
    let starts = [
        "malloc",
        "_int_malloc",
        "_int_free",
        "free",
        "cfree",
        "calloc",
        "realloc",
        "__libc_malloc",
        "__libc_free",
        "__libc_calloc",
        "__libc_realloc",
        "_int_realloc",
        "unlink_chunk",
        "tcache_",
        "sysmalloc",
        "__rust_alloc",
        "__rust_dealloc",
        "__rdl_alloc",
        "__rdl_dealloc",
        "_int_free_",
        "malloc_consolidate",
        "operator new",
        "operator delete",
        "alloc::alloc::",
    ];
    !is_kernel(name) && starts.iter().any(|start| name.starts_with(start))
}

fn copies(name: &str) -> bool {
    !is_kernel(name) && contains(name, &["memcpy", "memmove", "mempcpy"])
}

fn serializes(name: &str) -> bool {
    !is_kernel(name) && contains(&name.to_lowercase(), &["json", "serializ", "pickle", "protobuf", "msgpack"])
}

/// A memory function of the C library, of which distributions remove the names of most.
fn is_unnamed_libc(name: &str) -> bool {
    name.starts_with("[libc.") || name.starts_with("[libc-")
}

/// Runs the code of others, so its name explains nothing.
fn is_interpreter(name: &str) -> bool {
    let parts =
        ["_PyEval", "PyObject_Call", "_PyObject_", "PyObject_Vectorcall", "Interpreter", "_PyFunction"];
    name.starts_with('[') || contains(name, &parts)
}

impl Case<'_> {
    /// Change of the own time of these functions, if it is large enough to be named.
    fn own_ns(&self, picks: impl Fn(&str) -> bool) -> Option<Difference> {
        let own = self.evidence.of_functions(picks, |time| time.own_ns);
        let is_large = own.is_at_least(LEAST_OF_FUNCTION * self.evidence.change_ns.abs());
        (is_large && self.is_forward(own.change())).then_some(own)
    }

    fn of_copies_ns(&self) -> f64 {
        self.own_ns(copies).map_or(0.0, |own| own.change())
    }

    /// The function whose own time changed most.
    fn function(&self) -> Option<(&str, Difference)> {
        let is_named = |name: &&str| {
            !is_kernel(name)
                && !is_interpreter(name)
                && !allocates(name)
                && !copies(name)
                && !collects_garbage(name)
        };
        let names = self.evidence.function_names().into_iter().filter(is_named);
        let own = names.filter_map(|name| Some((name, self.own_ns(|other| other == name)?)));
        own.max_by(|(_, one), (_, other)| one.change().abs().total_cmp(&other.change().abs()))
    }

    /// `checksum takes +2.1 µs CPU per round trip`.
    fn takes(&self, what: &str, ns: f64) -> String {
        format!("{what} {} CPU {}", signed_nanoseconds(ns), self.per_unit())
    }
}

impl Case<'_> {
    /// Change of the time of garbage collection: its functions call each other, so only the largest counts.
    fn garbage_ns(&self) -> f64 {
        let names = self.evidence.function_names().into_iter().filter(|name| collects_garbage(name));
        self.largest_total(names).map_or(0.0, |(_, total)| total.change())
    }

    /// The time of a function with all that it calls.
    fn total(&self, name: &str) -> Difference {
        self.evidence.of_functions(|other| other == name, |time| time.total_ns)
    }

    /// The function of these whose time with all that it calls changed most, if that is large enough.
    fn largest_total<'a>(&self, names: impl Iterator<Item = &'a str>) -> Option<(&'a str, Difference)> {
        let least = LEAST_SHARE * self.evidence.change_ns.abs();
        let large = names.map(|name| (name, self.total(name))).filter(|(_, total)| total.is_at_least(least));
        large.max_by(|(_, one), (_, other)| one.change().abs().total_cmp(&other.change().abs()))
    }
}

/// A message is encoded or decoded by functions that the other side does not use: their parts are small, and the garbage that
/// they leave is their consequence.
fn serialization(case: &Case<'_>) -> Option<Found> {
    // Both sides may deserialize something else, such as their own code.
    let is_new = |name: &str| {
        let total = case.total(name);
        total.base.min(total.head) < 0.1 * total.base.max(total.head)
    };
    let names = case.evidence.function_names().into_iter().filter(|name| serializes(name) && is_new(name));
    let (name, total) = case.largest_total(names)?;
    let is_large = total.change().abs() >= LEAST_OF_FUNCTION * case.evidence.change_ns.abs();
    (is_large && case.is_forward(total.change())).then_some(())?;
    // Most garbage is collected within its calls.
    let ns = total.change().abs().max(case.garbage_ns().abs()) * case.evidence.change_ns.signum();
    let text = case.takes(&format!("`{name}` and its garbage take"), ns);
    Found::of_function(text, ns, name)
}

fn garbage_collection(case: &Case<'_>) -> Option<Found> {
    let ns = case.garbage_ns();
    let is_consequence = case.found.iter().any(|(_, found)| found.function.is_some());
    (ns != 0.0 && !is_consequence).then_some(())?;
    Found::new(case.takes("garbage collection takes", ns), ns)
}

fn allocation(case: &Case<'_>) -> Option<Found> {
    let own = case.own_ns(allocates).map_or(0.0, |own| own.change());
    let calls = most_changed(case, manages_memory);
    if let Some((name, count)) = calls {
        let ns = own + case.cpu_ns(manages_memory) + case.of_faults_ns();
        return Found::new(format!("memory is allocated: {}", more_calls(case, count.change(), &name)), ns);
    }
    (own != 0.0).then_some(())?;
    Found::new(case.takes("allocating and freeing memory takes", own), own)
}

impl Case<'_> {
    /// The time of page faults, from the profile if there is one.
    fn of_faults_ns(&self) -> f64 {
        let faults = self.evidence.of_usage(Resource::PageFaults).map_or(0.0, |faults| faults.change());
        let seen =
            self.evidence.of_functions(|name| name.starts_with("asm_exc_page_fault"), |time| time.total_ns);
        if seen.base + seen.head > 0.0 {
            return seen.change();
        }
        // Without a profile: what the kernel takes outside of calls, if it is more than usual.
        let cpu = self.evidence.of_usage(Resource::CpuNs).map_or(0.0, |cpu| cpu.change());
        let outside = cpu - self.evidence.of_calls(|_| true, |call| call.cpu_ns).change();
        faults.signum()
            * (faults * FAULT_NS).abs().max(outside * faults.signum()).min(10.0 * (faults * FAULT_NS).abs())
    }
}

/// The time of a minor page fault, without a profile: an allocated and cleared page takes more, a mapped one less.
const FAULT_NS: f64 = 500.0;

fn page_faults(case: &Case<'_>) -> Option<Found> {
    let faults = case.evidence.of_usage(Resource::PageFaults)?;
    (faults.is_at_least(LEAST_COUNT) && !case.has_found("allocation")).then_some(())?;
    let (count, more) = (faults.change().abs(), if faults.change() > 0.0 { "more" } else { "fewer" });
    Found::new(format!("{count:.2} {more} page faults {}", case.per_unit()), case.of_faults_ns())
}

fn copy(case: &Case<'_>) -> Option<Found> {
    (!case.has_found("larger-messages")).then_some(())?;
    if let Some(own) = case.own_ns(copies) {
        let text = case.takes("the payload is copied more often: copies take", own.change());
        return Found::new(text, own.change());
    }
    // Functions that allocate have no names either.
    (!case.has_found("allocation")).then_some(())?;
    let own = case.own_ns(is_unnamed_libc)?.change();
    Found::new(case.takes("unnamed functions of the C library, such as copies, take", own), own)
}

/// A function that takes longer without other calls: on two processors, it may share cache lines with another thread.
fn slower_memory(case: &Case<'_>) -> Option<Found> {
    let (name, own) = case.function()?;
    // Not new: shared memory makes it up to fifty times slower.
    let had_it = own.base.min(own.head) >= 0.02 * own.base.max(own.head);
    let is_explained =
        case.found.iter().any(|(_, found)| found.ns.abs() > 0.5 * case.evidence.change_ns.abs());
    (had_it && case.evidence.is_on_several_cpus && !is_explained).then_some(())?;
    let text = format!(
        "{}, without other calls: memory may be slower (false sharing)",
        case.takes(&format!("`{name}` takes"), own.change())
    );
    Found::of_function(text, own.change(), name)
}

fn function(case: &Case<'_>) -> Option<Found> {
    (!case.has_found("slower-memory") && !case.has_found("function")).then_some(())?;
    let (name, own) = case.function()?;
    let text = case.takes(&format!("`{name}` takes"), own.change());
    Found::of_function(text, own.change(), name)
}

// Resources.

fn of_resource(case: &Case<'_>, resource: Resource, text: &str) -> Option<Found> {
    let used = case.evidence.of_usage(resource)?;
    used.is_at_least(LEAST_SHARE * case.evidence.change_ns.abs()).then_some(())?;
    let (base, head) = (nanoseconds(whole(used.base)), nanoseconds(whole(used.head)));
    let text = format!("{text} {} {} ({base} to {head})", signed_nanoseconds(used.change()), case.per_unit());
    Found::new(text, used.change())
}

fn cpu_time(case: &Case<'_>) -> Option<Found> {
    of_resource(case, Resource::CpuNs, "CPU time")
}

fn waiting_for_cpu(case: &Case<'_>) -> Option<Found> {
    of_resource(case, Resource::ReadyNs, "waiting for a CPU")
}

#[cfg(test)]
mod tests {
    use super::super::evidence::Time;
    use super::*;

    /// Both sides, alike until a test changes one.
    fn alike(change_ns: f64) -> Evidence {
        let socket = Channel {
            kind: "tcp".into(),
            send_bytes: Some(65_536),
            receive_bytes: Some(65_536),
            no_delay: Some(true),
            ..Channel::default()
        };
        let end = Settings { channels: vec![socket], allowed_cpus: vec!["1".into()] };
        let calls = vec![
            call("write", "socket", 2.0, 128.0, 2_000.0),
            call("read", "socket", 2.0, 128.0, 2_000.0),
            call("futex-wait", "", 1.0, 0.0, 1_000.0),
            call("futex-wake", "", 1.0, 0.0, 1_000.0),
        ];
        let own = |own_ns| Time { own_ns, total_ns: own_ns };
        let functions = [("work", 500.0), ("malloc", 100.0), ("__memmove_avx", 100.0)];
        let functions = functions.map(|(name, ns)| (name.to_owned(), own(ns)));
        let side = Side {
            usage: [(Resource::CpuNs, vec![8_000.0; 8]), (Resource::PageFaults, vec![0.0; 8])].into(),
            calls: vec![calls; 3],
            threads: vec![2.0; 3],
            functions: vec![functions.into(); 3],
            settings: vec![vec![end.clone(), end]; 3],
            has_other_processes: false,
            ..Side::default()
        };
        Evidence { unit: "round trip", change_ns, is_on_several_cpus: false, base: side.clone(), head: side }
    }

    fn call(name: &str, on: &str, count: f64, bytes: f64, cpu_ns: f64) -> CallRate {
        CallRate {
            name: name.into(),
            on: (!on.is_empty()).then(|| on.to_owned()),
            outcome: Outcome::Done,
            in_main_thread: true,
            count,
            bytes,
            cpu_ns,
            waited_ns: 0.0,
        }
    }

    impl Side {
        fn more(&mut self, call: &CallRate) {
            self.calls.iter_mut().for_each(|calls| calls.push(call.clone()));
        }

        fn replace(&mut self, call: &CallRate) {
            let same = |other: &&mut CallRate| other.name == call.name;
            let calls = self.calls.iter_mut().filter_map(|calls| calls.iter_mut().find(same));
            calls.for_each(|other| *other = call.clone());
        }

        fn takes(&mut self, name: &str, ns: f64) {
            let time = Time { own_ns: ns, total_ns: ns };
            self.functions.iter_mut().for_each(|functions| _ = functions.insert(name.into(), time));
        }

        fn uses(&mut self, resource: Resource, value: f64) {
            self.usage.insert(resource, vec![value; 8]);
        }

        fn channels(&mut self, change: fn(&mut Channel)) {
            let ends = self.settings.iter_mut().flatten();
            ends.flat_map(|end| &mut end.channels).for_each(change);
        }
    }

    /// Each rule with the evidence for it: the side of the defect, the rule and its sentence.
    #[test]
    fn each_rule_finds_its_cause_in_both_directions() {
        type Row = (fn(&mut Side), &'static str, &'static str);
        let rows: [Row; 25] = [
            (
                |side| side.channels(|channel| channel.no_delay = Some(false)),
                "no-delay",
                "TCP_NODELAY is off, was on",
            ),
            (
                |side| side.channels(|channel| channel.send_bytes = Some(4_096)),
                "buffer-size",
                "send buffer granted 4 KiB, was 64 KiB",
            ),
            (
                |side| side.settings.iter_mut().for_each(|ends| ends[1].allowed_cpus = vec!["0".into()]),
                "affinity",
                "the ends may run on CPU 1 and 0, were on CPU 1 and 1",
            ),
            (
                |side| side.more(&call("fsync", "file", 1.0, 0.0, 3_000.0)),
                "sync-to-disk",
                "+1.00 `fsync` per round trip",
            ),
            (
                |side| side.replace(&call("write", "socket", 2.0, 8_320.0, 5_000.0)),
                "larger-messages",
                "+8 KiB sent per round trip",
            ),
            (
                |side| {
                    side.threads = vec![3.0; 3];
                    side.more(&call("futex-wait", "", 1.0, 0.0, 3_000.0));
                },
                "thread-hop",
                "+1 thread handles each message",
            ),
            (
                |side| side.more(&CallRate { waited_ns: 3_000.0, ..call("nanosleep", "", 1.0, 0.0, 0.0) }),
                "timer",
                "sleeps +3 µs per round trip",
            ),
            (
                |side| side.more(&call("poll", "", 2.0, 0.0, 3_000.0)),
                "polling",
                "+2.00 `poll` per round trip",
            ),
            (
                |side| side.replace(&call("write", "socket", 4.0, 128.0, 5_000.0)),
                "extra-call",
                "+2.00 `write` per round trip",
            ),
            (
                |side| side.replace(&call("read", "socket", 32.0, 128.0, 5_000.0)),
                "chunked-reads",
                "+30.00 reads per round trip for the same bytes",
            ),
            (
                |side| {
                    side.more(&CallRate {
                        outcome: Outcome::Zero,
                        ..call("futex-wake", "", 2.0, 0.0, 3_000.0)
                    });
                },
                "wake-without-waiter",
                "+2.00 futex wakes per round trip, although no thread waits",
            ),
            (
                |side| side.more(&CallRate { waited_ns: 3_000.0, ..call("futex-wait", "", 0.5, 0.0, 100.0) }),
                "lock-wait",
                "+0.50 futex waits per round trip: a thread holds a lock",
            ),
            (
                |side| side.more(&call("write", "file", 1.0, 50.0, 3_000.0)),
                "log-write",
                "+1.00 `write` per round trip to a file or standard error",
            ),
            (
                |side| side.more(&call("sched_yield", "", 3.0, 0.0, 3_000.0)),
                "busy-wait",
                "+3.00 `sched_yield` per round trip",
            ),
            (
                |side| side.takes("v8::internal::Heap::CollectGarbage(...)", 3_000.0),
                "garbage-collection",
                "garbage collection takes +3 µs CPU per round trip",
            ),
            (
                |side| side.takes("malloc", 3_100.0),
                "allocation",
                "allocating and freeing memory takes +3 µs CPU per round trip",
            ),
            (
                |side| side.more(&call("munmap", "", 1.0, 0.0, 3_000.0)),
                "allocation",
                "memory is allocated: +1.00 `munmap` per round trip",
            ),
            (
                |side| side.uses(Resource::PageFaults, 12.0),
                "page-faults",
                "12.00 more page faults per round trip",
            ),
            (
                |side| side.takes("__memmove_avx", 3_100.0),
                "copy",
                "the payload is copied more often: copies take +3 µs CPU per round trip",
            ),
            (
                |side| side.takes("[libc.so.6]", 3_000.0),
                "copy",
                "unnamed functions of the C library, such as copies, take +3 µs CPU per round trip",
            ),
            (
                |side| {
                    side.takes("v8::internal::JsonParser", 3_000.0);
                    side.takes("v8::internal::Heap::Scavenge", 1_000.0);
                },
                "function",
                "`v8::internal::JsonParser` and its garbage take +3 µs CPU per round trip",
            ),
            (
                |side| {
                    side.takes("v8::internal::Heap::Scavenge", 3_000.0);
                    side.threads = vec![9.0; 3];
                    side.more(&call("futex-wake", "", 4.0, 0.0, 100.0));
                },
                "garbage-collection",
                "garbage collection takes +3 µs CPU per round trip",
            ),
            (|side| side.takes("checksum", 3_000.0), "function", "`checksum` takes +3 µs CPU per round trip"),
            (
                |side| side.more(&call("newfstatat", "", 1.0, 0.0, 3_000.0)),
                "extra-call",
                "+1.00 `newfstatat` per round trip",
            ),
            (
                |side| side.uses(Resource::CpuNs, 11_000.0),
                "cpu-time",
                "CPU time +3 µs per round trip (8 µs to 11 µs)",
            ),
        ];
        for (change, slug, text) in rows {
            let mut evidence = alike(3_400.0);
            change(&mut evidence.head);
            let (findings, rest) = explain(&evidence);
            assert_eq!(findings.len(), 1, "{slug}: {findings:?}");
            assert_eq!((findings[0].rule, findings[0].text.as_str()), (slug, text));
            assert!(findings[0].explains_ns > 2_900.0, "{findings:?}");
            assert!((findings[0].explains_ns + rest - 3_400.0).abs() < 1e-6, "{slug}: {rest}");

            // The same change back is an improvement.
            let (back, _) = explain(&Evidence {
                change_ns: -3_400.0,
                base: evidence.head.clone(),
                head: evidence.base.clone(),
                ..evidence.clone()
            });
            assert_eq!(back.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [slug], "{back:?}");
            assert!(back[0].explains_ns < -2_900.0, "{back:?}");

            // A change of the time in the other direction has another reason.
            let (other, rest) = explain(&Evidence { change_ns: -3_400.0, ..evidence });
            let settings = ["no-delay", "buffer-size", "affinity"];
            assert!(settings.contains(&slug) || other.is_empty() && rest == -3_400.0, "{slug}: {other:?}");
        }
    }

    #[test]
    fn lost_batching_needs_several_messages_in_a_call() {
        let mut evidence = alike(3_400.0);
        evidence.base.replace(&call("write", "socket", 0.1, 128.0, 200.0));
        let (findings, _) = explain(&evidence);
        assert_eq!(findings[0].rule, "lost-batching", "{findings:?}");
        assert_eq!(findings[0].text, "2.00 sends per round trip, was 0.10: messages no longer share a call");
    }

    #[test]
    fn slower_function_on_several_processors_may_share_memory() {
        let mut evidence = Evidence { is_on_several_cpus: true, ..alike(3_400.0) };
        evidence.head.takes("work", 3_500.0);
        let (findings, _) = explain(&evidence);
        assert_eq!((findings[0].rule, findings[0].function.as_deref()), ("slower-memory", Some("work")));
    }

    #[test]
    fn equal_sides_explain_nothing() {
        assert_eq!(explain(&alike(3_400.0)), (Vec::new(), 3_400.0));
    }

    #[test]
    fn overlapping_repetitions_are_noise() {
        let mut evidence = alike(3_400.0);
        evidence.head.more(&call("fsync", "file", 1.0, 0.0, 3_000.0));
        evidence.head.calls[0].pop();
        assert_eq!(explain(&evidence).0, []);
    }

    #[test]
    fn no_part_of_the_change_counts_twice() {
        let mut evidence = alike(3_400.0);
        evidence.head.more(&call("newfstatat", "", 1.0, 0.0, 2_000.0));
        evidence.head.takes("checksum", 1_800.0);
        evidence.head.uses(Resource::CpuNs, 11_400.0);
        let (findings, rest) = explain(&evidence);
        let found: Vec<_> = findings.iter().map(|finding| (finding.rule, finding.explains_ns)).collect();
        assert_eq!((found, rest), (vec![("extra-call", 2_000.0), ("function", 1_400.0)], 0.0));
    }

    #[test]
    fn serialization_is_of_what_only_one_side_has() {
        let mut evidence = alike(3_400.0);
        evidence.base.takes("v8::internal::Deserializer", 5_000.0);
        evidence.head.takes("v8::internal::Deserializer", 7_000.0);
        evidence.head.takes("v8::internal::JsonParser", 3_000.0);
        let (findings, _) = explain(&evidence);
        assert_eq!(findings[0].function.as_deref(), Some("v8::internal::JsonParser"), "{findings:?}");
    }

    #[test]
    fn range_has_the_estimates_without_each_repetition() {
        let mut evidence = alike(3_400.0);
        for (calls, cpu_ns) in evidence.head.calls.iter_mut().zip([1_000.0, 2_000.0, 4_000.0]) {
            calls.push(call("newfstatat", "", 1.0, 0.0, cpu_ns));
        }
        let (findings, _) = explain(&evidence);
        assert_eq!(findings[0].explains_ns, 2_000.0);
        // The middle of 1 and 2 µs, and that of 2 and 4 µs.
        assert_eq!(findings[0].explains_range_ns, [1_500.0, 3_000.0]);
    }

    #[test]
    fn waits_that_only_the_observation_causes_are_no_lock() {
        for (function, expected) in [("futex_wait_[k]", vec!["lock-wait"]), ("futex_wake_[k]", vec![])] {
            let mut evidence = alike(3_400.0);
            evidence.head.more(&CallRate { waited_ns: 3_000.0, ..call("futex-wait", "", 0.5, 0.0, 100.0) });
            evidence.head.takes(function, 1_000.0);
            let rules: Vec<_> = explain(&evidence).0.iter().map(|finding| finding.rule).collect();
            assert_eq!(rules, expected);
        }
    }

    #[test]
    fn time_of_larger_messages_comes_from_the_profile() {
        let mut evidence = alike(3_400.0);
        // The observation of calls that wait takes longer than larger messages.
        evidence.head.replace(&call("write", "socket", 2.0, 8_320.0, 1_000.0));
        evidence.base.takes("ksys_write_[k]", 2_000.0);
        evidence.head.takes("ksys_write_[k]", 5_000.0);
        let (findings, _) = explain(&evidence);
        assert_eq!((findings[0].rule, findings[0].explains_ns), ("larger-messages", 3_000.0));
    }

    #[test]
    fn setting_ranks_before_its_symptoms() {
        let mut evidence = alike(3_400.0);
        evidence.head.channels(|channel| channel.send_bytes = Some(4_096));
        evidence.head.replace(&call("write", "socket", 32.0, 128.0, 5_000.0));
        evidence.head.takes("checksum", 1_000.0);
        evidence.head.uses(Resource::CpuNs, 12_000.0);
        let (findings, _) = explain(&evidence);
        let found: Vec<_> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(found, ["buffer-size", "function"], "{findings:?}");
    }
}
