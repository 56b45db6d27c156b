//! The evidence of a changed case: what each side does per message. Usage comes from the measured repetitions, calls and
//! functions from separate ones with a probe.

use crate::profile;
use crate::usage::Resource;
use roundtrip_bench::definition::PlannedCase;
use roundtrip_bench::harness::Probed;
use roundtrip_bench::sys::descriptors::Settings;
use roundtrip_bench::sys::profiling::{Profile, Stack};
use roundtrip_bench::sys::tracing::{Calls, Outcome};
use roundtrip_profile::comparison::SideStacks;
use roundtrip_wire::CaseResult;
use std::collections::BTreeMap;

/// The evidence of both sides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// The unit: `round trip` or `message`.
    pub(crate) unit: &'static str,
    /// Change of the time of a message.
    pub(crate) change_ns: f64,
    /// Whether the ends ran on different processors.
    pub(crate) is_on_several_cpus: bool,
    pub(crate) base: Side,
    pub(crate) head: Side,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    /// Of a message, by repetition.
    pub(crate) usage: BTreeMap<Resource, Vec<f64>>,
    /// The calls of a message, by repetition.
    pub(crate) calls: Vec<Vec<CallRate>>,
    /// The threads that make calls for most messages, by repetition.
    pub(crate) threads: Vec<f64>,
    /// The time of a message in each function, by repetition.
    pub(crate) functions: Vec<BTreeMap<String, Time>>,
    /// The call stacks of all repetitions.
    pub(crate) stacks: SideStacks,
    /// The settings of each end, by repetition.
    pub(crate) settings: Vec<Vec<Settings>>,
    /// Whether processes other than its ends make calls for most messages.
    pub(crate) has_other_processes: bool,
}

/// Calls of the same kind, per message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallRate {
    pub(crate) name: String,
    pub(crate) on: Option<String>,
    pub(crate) outcome: Outcome,
    /// Whether the first thread of an end makes them.
    pub(crate) in_main_thread: bool,
    pub(crate) count: f64,
    pub(crate) bytes: f64,
    pub(crate) cpu_ns: f64,
    pub(crate) waited_ns: f64,
}

/// Processor time of a function per message: its own in user mode, and with the functions and the kernel that it calls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Time {
    pub(crate) own_ns: f64,
    pub(crate) total_ns: f64,
}

/// The change of a figure per message, with the differences between the extreme repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Difference {
    pub(crate) base: f64,
    pub(crate) head: f64,
    bounds: [f64; 2],
}

impl Difference {
    /// Of the values of both sides, by repetition.
    pub(crate) fn of(base: &[f64], head: &[f64]) -> Self {
        let end = |values: &[f64], pick: fn(f64, f64) -> f64| {
            values.iter().copied().reduce(pick).unwrap_or_default()
        };
        let bounds = [end(head, f64::min) - end(base, f64::max), end(head, f64::max) - end(base, f64::min)];
        Self { base: median(base), head: median(head), bounds }
    }

    pub(crate) fn change(&self) -> f64 {
        self.head - self.base
    }

    /// Whether all repetitions of one side are above all of the other, by at least `least`.
    pub(crate) fn is_at_least(&self, least: f64) -> bool {
        (self.bounds[0] > 0.0 || self.bounds[1] < 0.0) && self.change().abs() >= least
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |place: usize| sorted.get(place).copied().unwrap_or_default();
    f64::midpoint(at(sorted.len().saturating_sub(1) / 2), at(sorted.len() / 2))
}

impl Evidence {
    /// Drops what only one side has in several repetitions: it cannot be compared.
    pub(crate) fn drop_one_sided(&mut self) {
        let has = |count: fn(&Side) -> usize| count(&self.base) >= 2 && count(&self.head) >= 2;
        let (has_calls, has_functions) = (has(|side| side.calls.len()), has(|side| side.functions.len()));
        for side in [&mut self.base, &mut self.head] {
            if !has_calls {
                side.calls.clear();
                side.threads.clear();
                side.settings.clear();
            }
            if !has_functions {
                side.functions.clear();
            }
        }
    }

    /// The evidence without one of the repetitions with a probe, for each. Two are left on each side.
    pub(crate) fn without_each(&self) -> Vec<Self> {
        let count = |side: &Side| side.calls.len().max(side.functions.len());
        let without =
            |index| Self { base: self.base.without(index), head: self.head.without(index), ..*self };
        (0..count(&self.base).max(count(&self.head))).map(without).collect()
    }

    /// A figure of the calls that `picks`.
    pub(crate) fn of_calls(
        &self,
        picks: impl Fn(&CallRate) -> bool,
        figure: fn(&CallRate) -> f64,
    ) -> Difference {
        let values = |side: &Side| -> Vec<f64> {
            let sum = |calls: &Vec<CallRate>| calls.iter().filter(|call| picks(call)).map(figure).sum();
            side.calls.iter().map(sum).collect()
        };
        Difference::of(&values(&self.base), &values(&self.head))
    }

    /// A time of the functions that `picks`.
    pub(crate) fn of_functions(&self, picks: impl Fn(&str) -> bool, time: fn(&Time) -> f64) -> Difference {
        let values = |side: &Side| -> Vec<f64> {
            let sum = |functions: &BTreeMap<String, Time>| {
                functions.iter().filter(|(name, _)| picks(name)).map(|(_, all)| time(all)).sum()
            };
            side.functions.iter().map(sum).collect()
        };
        Difference::of(&values(&self.base), &values(&self.head))
    }

    pub(crate) fn of_usage(&self, resource: Resource) -> Option<Difference> {
        let of = |side: &Side| side.usage.get(&resource).filter(|values| !values.is_empty()).cloned();
        // Extremes of many repetitions overlap, so compare the quartiles.
        Some(Difference::of(&middle(of(&self.base)?), &middle(of(&self.head)?)))
    }

    /// The names of the calls of both sides.
    pub(crate) fn call_names(&self) -> Vec<&str> {
        let calls = [&self.base, &self.head].into_iter().flat_map(|side| side.calls.iter().flatten());
        let mut names: Vec<&str> = calls.map(|call| call.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The names of the functions of both sides.
    pub(crate) fn function_names(&self) -> Vec<&str> {
        let functions = [&self.base, &self.head].into_iter().flat_map(|side| &side.functions);
        let mut names: Vec<&str> = functions.flat_map(BTreeMap::keys).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The values between the quartiles.
fn middle(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let quarter = values.len() / 4;
    values[quarter..values.len() - quarter].to_vec()
}

impl Side {
    fn without(&self, index: usize) -> Self {
        fn rest<T: Clone>(values: &[T], index: usize) -> Vec<T> {
            let is_left = |place: usize| place != index || values.len() <= 2;
            values
                .iter()
                .enumerate()
                .filter(|(place, _)| is_left(*place))
                .map(|(_, value)| value.clone())
                .collect()
        }
        Self {
            usage: self.usage.clone(),
            calls: rest(&self.calls, index),
            threads: rest(&self.threads, index),
            functions: rest(&self.functions, index),
            settings: rest(&self.settings, index),
            stacks: SideStacks::default(),
            has_other_processes: self.has_other_processes,
        }
    }

    /// The usage of the measured repetitions. A program's counters begin before its warm-up.
    pub(crate) fn measured(result: &CaseResult, case: Option<&PlannedCase>) -> Self {
        let usage = Resource::ALL.into_iter().map(|resource| {
            let values = resource.values(result).1;
            let share = case
                .filter(|_| resource != Resource::ElapsedNs)
                .map_or(1.0, |case| case.work.recorded_share());
            (resource, values.into_iter().map(|value| value * share).collect())
        });
        Self { usage: usage.collect(), ..Self::default() }
    }

    /// Adds a repetition with the system calls of both ends. `overhead_ns` is that of the observation of a call.
    pub(crate) fn add_calls(&mut self, case: &PlannedCase, probed: &Probed, overhead_ns: [f64; 2]) {
        let messages = probed.messages(case);
        if messages == 0.0 {
            return;
        }
        // No call takes less than nothing.
        let frequent = probed.inside.threads.iter().flat_map(|thread| &thread.calls);
        let frequent = frequent.filter(|calls| calls.count as f64 >= 0.2 * messages);
        let least = |ns: fn(&Calls) -> u64| {
            let each = frequent.clone().map(|calls| ns(calls) as f64 / calls.count as f64);
            each.reduce(f64::min).unwrap_or(f64::MAX)
        };
        let overhead_ns = [
            overhead_ns[0].min(0.9 * least(|calls| calls.on_cpu_ns)),
            overhead_ns[1].min(least(|calls| calls.waited_ns)),
        ];
        let per_message = |ns: u64, count: u64, overhead_ns: f64| {
            (ns as f64 - count as f64 * overhead_ns).max(0.0) / messages
        };
        let mut calls = Vec::new();
        let mut threads = 0.0;
        for thread in &probed.inside.threads {
            let all: u64 = thread.calls.iter().map(|calls| calls.count).sum();
            let is_active = all as f64 >= 0.3 * messages;
            threads += f64::from(is_active);
            self.has_other_processes |= is_active && !probed.pids.contains(&thread.process);
            calls.extend(thread.calls.iter().map(|calls| CallRate {
                name: calls.name.clone(),
                on: calls.on.clone(),
                outcome: calls.outcome,
                in_main_thread: probed.pids.contains(&thread.thread),
                count: calls.count as f64 / messages,
                bytes: calls.bytes as f64 / messages,
                cpu_ns: per_message(calls.on_cpu_ns, calls.count, overhead_ns[0]),
                waited_ns: per_message(calls.waited_ns, calls.count, overhead_ns[1]),
            }));
        }
        self.calls.push(calls);
        // An end may spin without a call.
        self.threads.push(threads.max(2.0));
        self.settings.push(probed.inside.settings.clone());
    }

    /// Adds a repetition with a profile.
    pub(crate) fn add_profile(&mut self, case: &PlannedCase, probed: &Probed, profile: &Profile) {
        let messages = probed.messages(case);
        if messages == 0.0 {
            return;
        }
        let mut functions: BTreeMap<String, Time> = BTreeMap::new();
        for Stack { frames, on_cpu_ns, .. } in &profile.stacks {
            let ns = *on_cpu_ns as f64 / messages;
            if let Some(last) = frames.last() {
                functions.entry(last.clone()).or_default().own_ns += ns;
            }
            let mut seen: Vec<&String> = frames.iter().collect();
            seen.sort_unstable();
            seen.dedup();
            for name in seen {
                functions.entry(name.clone()).or_default().total_ns += ns;
            }
        }
        self.functions.push(functions);
        profile::add_stacks(&mut self.stacks, case, probed, profile);
    }
}

/// Whether the ends of a case ran on different processors.
pub(crate) fn uses_several_cpus(result: &CaseResult) -> bool {
    let ends = result.repetitions.iter().flat_map(|repetition| &repetition.ends);
    let mut cpus: Vec<u32> = ends.flat_map(|end| end.cpus_seen.iter().copied()).collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus.len() > 1
}
