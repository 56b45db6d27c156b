//! Linux: `perf_event_open(2)`. One event samples the call stacks of a processor, if that is allowed, or of each thread on
//! it. Another takes the stack of a thread whenever it is switched out. Later threads inherit the events. The events of a
//! processor share a buffer, which a thread empties.

mod ring;
mod symbols;

use self::ring::{Record, Ring};
use self::symbols::Names;
use super::{Profile, Stack};
use crate::sys::Unsupported;
use crate::sys::perf_event::{self, Attributes, CONTEXT_SWITCHES, DISABLED, EXCLUDE_HYPERVISOR, SOFTWARE};
use crate::sys::tree::{self, Tree};
use blazesym::symbolize::Symbolizer;
use rustix::ioctl::{IntegerSetter, Opcode, ioctl, opcode};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Samples per second of processor time. At a higher rate, interrupts take more time than short functions.
const RATE_MAX: u64 = 10_000;
/// In this interval, a pair that switches 100,000 times a second fills a tenth of the smallest buffer.
const DRAIN_INTERVAL: Duration = Duration::from_millis(5);
/// All buffers together.
const BUFFERS_BYTES: usize = 16 << 20;
/// Buffers of this size need no privilege: it is the default of `kernel.perf_event_mlock_kb`, without the first page.
const BUFFER_BYTES_MIN: usize = 512 << 10;
const BUFFER_BYTES_MAX: usize = 8 << 20;

/// The frame for all waiting, if the kernel does not show where.
const WAITING: &str = "[waiting]";
/// The chain that stands for it.
const UNKNOWN: &[u64] = &[];

// From <linux/perf_event.h>.
const CPU_CLOCK: u64 = 0;
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const WAKEUP_IN_BYTES: u64 = 1 << 14;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const USE_CLOCK: u64 = 1 << 25;
const CONTEXT_SWITCH: u64 = 1 << 26;
/// `PERF_SAMPLE_TID`, `_TIME`, `_CALLCHAIN` and `_PERIOD`: [`ring`] reads records with these.
const SAMPLE_TYPE: u64 = 1 << 1 | 1 << 2 | 1 << 5 | 1 << 8;
/// Tells switches from samples of the clock, which have a period in nanoseconds.
const SWITCH_PERIOD: u64 = 1;

#[derive(Debug)]
pub(super) struct Sampler {
    /// Dropped first: closing them ends all sampling.
    events: Vec<OwnedFd>,
    stop: Sender<()>,
    drain: Option<JoinHandle<Records>>,
    pids: Vec<u32>,
    sees_kernel: bool,
}

impl Sampler {
    pub(super) fn attach(pids: &[u32]) -> Result<Self, Unsupported> {
        let clock = |sees_kernel| attributes(CPU_CLOCK, period_ns(), sees_kernel);
        // Tried with this thread, which may always be observed.
        let sees_kernel = perf_event::open(clock(true), Some(0), None).is_ok();
        let places: Vec<(u32, u32)> = pids.iter().flat_map(|&pid| places(pid)).collect();
        let cpus: BTreeSet<u32> = places.iter().map(|(_, cpu)| *cpu).collect();
        // A timer of a whole processor runs on when threads switch. That of a thread is set at each switch, which takes
        // many microseconds in a virtual machine.
        let of_cpus =
            cpus.iter().map(|&cpu| Some((cpu, perf_event::open(clock(sees_kernel), None, Some(cpu)).ok()?)));
        let of_cpus: Option<Vec<(u32, OwnedFd)>> = of_cpus.collect::<Option<_>>().filter(|_| sees_kernel);
        let mut wanted = Vec::new();
        if of_cpus.is_none() {
            wanted.push(clock(sees_kernel));
        }
        if sees_kernel {
            wanted.push(attributes(CONTEXT_SWITCHES, SWITCH_PERIOD, true));
        }
        // Only one event of a thread reports when it continues.
        if let Some(first) = wanted.first_mut() {
            first.flags |= CONTEXT_SWITCH;
        }
        let mut opened = Opened::default();
        for (tid, cpu) in places {
            for &attributes in &wanted {
                match perf_event::open(attributes, Some(tid), Some(cpu)) {
                    Ok(event) => opened.events.entry(cpu).or_default().push(event),
                    // The thread has ended, or the processor is off.
                    Err(error) if matches!(error.raw_os_error(), Some(libc::ESRCH | libc::ENODEV)) => {}
                    Err(error) => return Err(Unsupported::because(explain(&error))),
                }
            }
        }
        for (cpu, event) in of_cpus.into_iter().flatten() {
            opened.events.entry(cpu).or_default().push(event);
        }
        opened.start(pids, sees_kernel).map_err(|error| Unsupported::because(explain(&error)))
    }

    pub(super) fn finish(mut self) -> Profile {
        for event in &self.events {
            // It also stops the events that threads inherited. It cannot fail for an open event.
            let _ = control::<DISABLE>(event, 0);
        }
        let _ = self.stop.send(());
        let records = self.drain.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        records.into_profile(&self.pids, self.sees_kernel)
    }
}

#[derive(Default)]
struct Opened {
    /// By processor.
    events: BTreeMap<u32, Vec<OwnedFd>>,
}

impl Opened {
    /// Lets all events of a processor write to the buffer of its first, and starts them.
    fn start(self, pids: &[u32], sees_kernel: bool) -> io::Result<Sampler> {
        let each = BUFFERS_BYTES / self.events.len().max(1);
        let bytes = each.clamp(BUFFER_BYTES_MIN, BUFFER_BYTES_MAX).next_power_of_two();
        let mut rings = Vec::new();
        for events in self.events.values() {
            if let [first, others @ ..] = &events[..] {
                rings.push(Ring::map(first, bytes)?);
                for event in others {
                    control::<SET_OUTPUT>(event, first.as_raw_fd().unsigned_abs())?;
                }
            }
        }
        let events: Vec<OwnedFd> = self.events.into_values().flatten().collect();
        let (stop, stopped) = mpsc::channel();
        let drain = thread::Builder::new().name("sampler".into()).spawn(move || {
            let mut records = Records::default();
            let mut is_over = false;
            while !is_over {
                is_over = stopped.recv_timeout(DRAIN_INTERVAL) != Err(RecvTimeoutError::Timeout);
                rings.iter().for_each(|ring| ring.drain(&mut |record| records.note(record)));
            }
            records
        })?;
        for event in &events {
            control::<ENABLE>(event, 0)?;
        }
        Ok(Sampler { events, stop, drain: Some(drain), pids: pids.to_vec(), sees_kernel })
    }
}

/// Everything seen, with each stack once.
#[derive(Debug, Default)]
struct Records {
    /// The numbers of stacks, by process and call chain.
    numbers: HashMap<(u32, Vec<u64>), usize>,
    /// Time on a processor for each stack.
    on_cpu_ns: Vec<u64>,
    switches: Vec<Switch>,
    /// The processes of all switches.
    switched: BTreeSet<u32>,
    lost: u64,
}

/// A thread stops in a stack, or continues.
#[derive(Clone, Copy, Debug)]
struct Switch {
    time_ns: u64,
    tid: u32,
    /// `None` if it continues.
    stack: Option<usize>,
}

impl Records {
    fn number(&mut self, pid: u32, chain: Vec<u64>) -> usize {
        let number = *self.numbers.entry((pid, chain)).or_insert(self.on_cpu_ns.len());
        if number == self.on_cpu_ns.len() {
            self.on_cpu_ns.push(0);
        }
        number
    }

    fn note(&mut self, record: Record) {
        match record {
            Record::Sample { pid, tid, time_ns, period, chain } => {
                let stack = self.number(pid, chain);
                if period == SWITCH_PERIOD {
                    self.switched.insert(pid);
                    self.switches.push(Switch { time_ns, tid, stack: Some(stack) });
                } else {
                    self.on_cpu_ns[stack] += period;
                }
            }
            Record::Switch { pid, tid, time_ns, is_out } => {
                self.switched.insert(pid);
                let stack = is_out.then(|| self.number(pid, UNKNOWN.into()));
                self.switches.push(Switch { time_ns, tid, stack });
            }
            Record::Lost(records) => self.lost += records,
        }
    }

    /// The time switched out, and the number of switches, of each stack. A wait counts if it ends: the last one is for
    /// the end of the measurement.
    fn waits(&mut self) -> Vec<(u64, u64)> {
        // Buffers of several processors are emptied one after the other.
        self.switches.sort_by_key(|switch| switch.time_ns);
        let mut waits = vec![(0, 0); self.on_cpu_ns.len()];
        let mut out: HashMap<u32, (u64, usize)> = HashMap::new();
        for &Switch { time_ns, tid, stack } in &self.switches {
            match stack {
                // The first of a switch has its stack, if the kernel shows it.
                Some(stack) => _ = out.entry(tid).or_insert((time_ns, stack)),
                None => {
                    if let Some((since_ns, stack)) = out.remove(&tid) {
                        let (off_cpu_ns, switches) = &mut waits[stack];
                        *off_cpu_ns += time_ns - since_ns;
                        *switches += 1;
                    }
                }
            }
        }
        waits
    }

    fn into_profile(mut self, pids: &[u32], sees_kernel: bool) -> Profile {
        // A processor also runs other processes. Those that inherited events have switched.
        self.numbers.retain(|(pid, _), _| pids.contains(pid) || self.switched.contains(pid));
        let waits = self.waits();
        let mut wanted: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
        for (pid, chain) in self.numbers.keys() {
            wanted.entry(*pid).or_default().extend(symbols::in_process(chain));
        }
        let symbolizer = Symbolizer::new();
        let names: BTreeMap<u32, Names> =
            wanted.iter().map(|(&pid, wanted)| (pid, Names::of(&symbolizer, pid, wanted))).collect();
        // Different addresses in the same functions are one stack.
        let mut stacks: BTreeMap<(u32, Vec<String>), Stack> = BTreeMap::new();
        for ((pid, chain), number) in self.numbers {
            let (on_cpu_ns, (off_cpu_ns, switches)) = (self.on_cpu_ns[number], waits[number]);
            if on_cpu_ns + switches == 0 {
                continue;
            }
            let mut frames: Vec<String> =
                symbols::addresses(&chain).into_iter().rev().filter_map(|at| names[&pid].name(at)).collect();
            if frames.is_empty() {
                frames.push(if chain == UNKNOWN { WAITING } else { "[unknown]" }.into());
            }
            let stack = stacks.entry((pid, frames.clone())).or_insert_with(|| Stack {
                pid,
                frames,
                ..Stack::default()
            });
            stack.on_cpu_ns += on_cpu_ns;
            stack.off_cpu_ns += off_cpu_ns;
            stack.switches += switches;
        }
        let mut notes = Vec::new();
        if !sees_kernel {
            notes.push(without_kernel(&perf_event::paranoid()));
        } else if !symbols::has_kernel_names() {
            notes.push(
                "Kernel functions have no names: set kernel.kptr_restrict to 0, or run it as root.".into(),
            );
        }
        Profile { stacks: stacks.into_values().collect(), lost: self.lost, notes }
    }
}

/// All threads of a process, with each processor that any of them may use: a new thread can move to another's.
fn places(pid: u32) -> Vec<(u32, u32)> {
    let (tree, tasks) = (Tree::system(), format!("/proc/{pid}/task"));
    let tids: Vec<u32> = tree.names(&tasks).iter().filter_map(|tid| tid.parse().ok()).collect();
    let allowed = |tid: &u32| tree.field(&format!("{tasks}/{tid}/status"), "Cpus_allowed_list:");
    let cpus: BTreeSet<u32> = tids.iter().filter_map(allowed).flat_map(|list| tree::numbers(&list)).collect();
    tids.iter().flat_map(|&tid| cpus.iter().map(move |&cpu| (tid, cpu))).collect()
}

fn period_ns() -> u64 {
    let rate_max = Tree::system().number("/proc/sys/kernel/perf_event_max_sample_rate");
    1_000_000_000 / rate_max.unwrap_or(RATE_MAX).clamp(1, RATE_MAX)
}

fn attributes(config: u64, sample_period: u64, sees_kernel: bool) -> Attributes {
    let flags = DISABLED | INHERIT | EXCLUDE_HYPERVISOR | WAKEUP_IN_BYTES | SAMPLE_ID_ALL | USE_CLOCK;
    Attributes {
        kind: SOFTWARE,
        config,
        sample_period,
        sample_type: SAMPLE_TYPE,
        flags: if sees_kernel { flags } else { flags | EXCLUDE_KERNEL },
        // More than any buffer: no thread waits for records, and waking one would cost time.
        wakeup_bytes: u32::MAX,
        clock: libc::CLOCK_MONOTONIC,
        ..Attributes::default()
    }
}

// Requests of an event.
const ENABLE: Opcode = opcode::none(b'$', 0);
const DISABLE: Opcode = opcode::none(b'$', 1);
const SET_OUTPUT: Opcode = opcode::none(b'$', 5);

#[expect(unsafe_code, reason = "a request to the kernel")]
fn control<const REQUEST: Opcode>(event: &OwnedFd, argument: u32) -> io::Result<()> {
    // SAFETY: these requests take a number and touch no memory of this process.
    Ok(unsafe { ioctl(event, IntegerSetter::<REQUEST>::new_usize(argument as usize)) }?)
}

const STILL_WORKS: &str = "`roundtrip run` works without a profile.";

fn explain(error: &io::Error) -> String {
    let reason = match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => refused(error, &perf_event::paranoid()),
        Some(libc::ENOSYS) => "the kernel was built without `perf_event_open`.".into(),
        Some(libc::EMFILE) => {
            "it needs two open files for each thread and CPU: raise `ulimit -n`, or pin with \
                               --placement same-cpu."
                .into()
        }
        _ => format!("`perf_event_open` failed: {error}."),
    };
    format!("{reason} {STILL_WORKS}")
}

/// A level above 2 is an addition of distributions; at 2, a user may observe own processes without the kernel.
fn refused(error: &io::Error, level: &str) -> String {
    match (level.parse::<i32>(), error.raw_os_error()) {
        (Ok(3..), _) => format!(
            "kernel.perf_event_paranoid is {level}. Set it to 2, or to 1 for kernel functions, or give the program \
             CAP_PERFMON."
        ),
        (_, Some(libc::EACCES)) => {
            "a process belongs to another user or is setuid. Run it as your own user, or profile as root."
                .into()
        }
        _ => "`perf_event_open` is not permitted: blocked by a seccomp filter, as in containers.".into(),
    }
}

fn without_kernel(level: &str) -> String {
    format!(
        "Kernel functions and the stacks of waiting threads are missing: kernel.perf_event_paranoid is {level}. Set it to \
         1, or give the program CAP_PERFMON."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_setting_and_what_still_works() {
        let (denied, forbidden) = (libc::EACCES, libc::EPERM);
        let refused = |number, level| refused(&io::Error::from_raw_os_error(number), level);
        assert_eq!(
            refused(denied, "3"),
            "kernel.perf_event_paranoid is 3. Set it to 2, or to 1 for kernel functions, or give the program CAP_PERFMON."
        );
        assert!(refused(denied, "2").contains("setuid"));
        assert!(refused(forbidden, "1").contains("seccomp"));
        assert!(explain(&io::Error::from_raw_os_error(libc::ENOSYS)).contains("`roundtrip run`"));
        assert!(without_kernel("2").contains("waiting threads"));
    }

    #[test]
    fn wait_belongs_to_the_stack_in_which_a_thread_stopped() {
        let mut records = Records::default();
        let sample = |tid, time_ns, period, chain| Record::Sample { pid: 1, tid, time_ns, period, chain };
        let switch = |tid, time_ns, is_out| Record::Switch { pid: 1, tid, time_ns, is_out };
        for record in [
            sample(1, 5, 100_000, vec![7]),
            // It moved: the buffer of the other processor is read first.
            switch(1, 40, false),
            sample(1, 10, SWITCH_PERIOD, vec![8]),
            switch(1, 10, true),
            // Of a thread whose stacks the kernel hides, and of one that still waits.
            switch(2, 20, true),
            switch(2, 50, false),
            sample(1, 60, SWITCH_PERIOD, vec![8]),
        ] {
            records.note(record);
        }
        let waits = records.waits();
        let of = |chain: &[u64]| records.numbers[&(1, chain.to_vec())];
        assert_eq!((waits[of(&[8])], waits[of(UNKNOWN)], waits[of(&[7])]), ((30, 1), (30, 1), (0, 0)));
        assert_eq!(records.on_cpu_ns[of(&[7])], 100_000);
    }
}
