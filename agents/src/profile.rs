//! `roundtrip profile`: the functions in which a message spends its time, on a CPU and waiting, from call stacks of its ends.

use crate::cli::ProfileArguments;
use crate::failure::{Failure, OnDisk};
use crate::format::{counted, nanoseconds, whole};
use crate::{output, presets, run, selection};
use fxprof_processed_profile::{
    CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, Profile as FirefoxProfile, SamplingInterval,
    Timestamp, WeightType,
};
use roundtrip_bench::definition::PlannedCase;
use roundtrip_bench::harness::{self, PeerCommand, Probed};
use roundtrip_bench::peer::Role;
use roundtrip_bench::probe::Probe;
use roundtrip_bench::scenario::Pattern;
use roundtrip_bench::transport::End;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A repetition of a millisecond has few samples, so several are added up.
const REPETITIONS: u64 = 10;
/// Functions of an end in the table.
const ROWS: usize = 12;
/// The columns of times, with their spaces.
const TIMES_WIDTH: usize = 44;
const NAME_WIDTH_MIN: usize = 30;

/// All repetitions of a case.
#[derive(Debug)]
struct CaseProfile {
    case: String,
    /// Delivered messages, including those of the warm-up.
    messages: f64,
    /// Stacks, outermost first, by the name of an end.
    ends: BTreeMap<String, BTreeMap<Vec<String>, Time>>,
    lost: u64,
    notes: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Time {
    on_cpu_ns: u64,
    off_cpu_ns: u64,
}

/// The nanoseconds of a state.
type OfState = fn(&Time) -> u64;

/// The states of an end.
const STATES: [(&str, OfState); 2] = [("on CPU", |time| time.on_cpu_ns), ("waiting", |time| time.off_cpu_ns)];

/// Writes a file in its format.
type Write = fn(&[CaseProfile]) -> String;

pub(crate) fn profile(arguments: &ProfileArguments) -> crate::Result<()> {
    // Everything that can fail is checked before measuring.
    let file =
        arguments.output.as_deref().map(|path| format_of(path).map(|write| (path, write))).transpose()?;
    let plan = presets::plan(arguments.preset.as_deref().unwrap_or("quick"))?;
    let plans = if arguments.selection.are_given() {
        selection::select(vec![plan], &arguments.selection)?
    } else {
        vec![plan]
    };
    let peer = run::peer()?;
    let cases: Vec<(&PlannedCase, Duration)> =
        plans.iter().flat_map(|plan| plan.cases.iter().map(|case| (case, plan.deadline))).collect();
    let bar = output::bar(cases.len() as u64 * REPETITIONS, "{wide_bar:.dim} {pos}/{len} repetitions");
    let (mut profiles, mut failures) = (Vec::new(), Vec::new());
    for (case, deadline) in cases {
        match measure(case, &peer, deadline, || bar.inc(1)) {
            Ok(profile) => profiles.push(profile),
            Err(reason) => failures.push(format!("{case}: {reason}")),
        }
    }
    bar.finish_and_clear();
    if profiles.is_empty() {
        return Err(Failure::Other(failures.join("\n")));
    }
    match file {
        Some((path, write)) => std::fs::write(path, write(&profiles)).on_disk(path)?,
        None => output::print(&render(&profiles))?,
    }
    if failures.is_empty() {
        return Ok(());
    }
    let count = counted(failures.len(), "case");
    Err(Failure::Other(format!("{count} without a profile:\n{}", failures.join("\n"))))
}

fn format_of(path: &Path) -> crate::Result<Write> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("folded") => Ok(folded),
        Some("json") => Ok(firefox),
        _ => Err(Failure::Usage(format!(
            "--output {}: expected a name that ends with .folded or .json",
            path.display()
        ))),
    }
}

fn measure(
    case: &PlannedCase,
    peer: &PeerCommand,
    deadline: Duration,
    mut advance: impl FnMut(),
) -> Result<CaseProfile, String> {
    let case = PlannedCase { probe: Some(Probe::Profile), ..case.clone() };
    let mut all = CaseProfile {
        case: case.to_string(),
        messages: 0.0,
        ends: BTreeMap::new(),
        lost: 0,
        notes: BTreeSet::new(),
    };
    for _ in 0..REPETITIONS {
        all.add(&case, harness::probed(&case, peer, deadline)?);
        advance();
    }
    Ok(all)
}

impl CaseProfile {
    fn add(&mut self, case: &PlannedCase, probed: Probed) {
        self.messages += probed.messages(case);
        let profile = probed.profile.unwrap_or_default();
        self.lost += profile.lost;
        self.notes.extend(profile.notes);
        let names: HashMap<u32, String> =
            probed.pids.iter().copied().zip(ends(case, probed.pids.len())).collect();
        for stack in profile.stacks {
            let end = names.get(&stack.pid).map_or("other processes", String::as_str);
            let time = self.ends.entry(end.to_owned()).or_default().entry(stack.frames).or_default();
            time.on_cpu_ns += stack.on_cpu_ns;
            time.off_cpu_ns += stack.off_cpu_ns;
        }
    }
}

/// The names of the ends of so many processes.
fn ends(case: &PlannedCase, processes: usize) -> Vec<String> {
    let roles: Vec<Role> = match case.scenario.pattern() {
        Pattern::Pair(_) => vec![Role::Pair(End::Initiator), Role::Pair(End::Responder)],
        Pattern::Many(_) => (0..case.participants.senders)
            .map(Role::Sender)
            .chain((0..case.participants.receivers).map(Role::Receiver))
            .collect(),
    };
    if roles.len() == processes {
        roles.iter().map(Role::to_string).collect()
    } else {
        vec!["all ends".into()]
    }
}

/// Times of a function, by itself and with the functions that it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Function {
    own: Time,
    total: Time,
}

/// The functions of an end, those with the most own time first.
fn functions(stacks: &BTreeMap<Vec<String>, Time>) -> Vec<(&str, Function)> {
    let mut functions: BTreeMap<&str, Function> = BTreeMap::new();
    let add = |sum: &mut Time, time: &Time| {
        sum.on_cpu_ns += time.on_cpu_ns;
        sum.off_cpu_ns += time.off_cpu_ns;
    };
    for (frames, time) in stacks {
        // Once, if a function calls itself.
        for name in frames.iter().map(String::as_str).collect::<BTreeSet<_>>() {
            add(&mut functions.entry(name).or_default().total, time);
        }
        if let Some(name) = frames.last() {
            add(&mut functions.entry(name).or_default().own, time);
        }
    }
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions
        .sort_by_key(|(_, function)| std::cmp::Reverse(function.own.on_cpu_ns + function.own.off_cpu_ns));
    functions
}

fn render(profiles: &[CaseProfile]) -> String {
    let width = usize::from(output::terminal_width()).saturating_sub(TIMES_WIDTH).max(NAME_WIDTH_MIN);
    let mut text = String::new();
    for profile in profiles {
        text.push_str(&format!("{}, time per message in {REPETITIONS} repetitions\n", profile.case));
        let per_message = |ns: u64| match whole(ns as f64 / profile.messages.max(1.0)) {
            0 => String::new(),
            ns => nanoseconds(ns),
        };
        for (end, stacks) in &profile.ends {
            let functions = functions(stacks);
            let rows = functions.iter().take(ROWS).map(|(name, Function { own, total })| {
                let [cpu, all_cpu, wait, all_wait] =
                    [own.on_cpu_ns, total.on_cpu_ns, own.off_cpu_ns, total.off_cpu_ns].map(per_message);
                [shortened(name, width), cpu, all_cpu, wait, all_wait]
            });
            let header = [end.as_str(), "CPU: own", "total", "waiting: own", "total"];
            text.push_str(&format!("\n{}\n", output::table(header, rows, |column| column > 0)));
        }
        if profile.lost > 0 {
            text.push_str(&format!("\n{} samples were lost.\n", profile.lost));
        }
        profile.notes.iter().for_each(|note| text.push_str(&format!("\n{}\n", output::paragraph(note, 0))));
        text.push('\n');
    }
    text + "Sampling slows messages down. Names that end with _[k] are functions of the kernel."
}

fn shortened(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    // The end of a path names the function.
    let rest: String = name.chars().skip(length - width + 1).collect();
    format!("…{rest}")
}

/// One line for each stack, as `flamegraph.pl`, `inferno` and speedscope read it: the case, the end, whether it waits, its functions, and
/// nanoseconds.
fn folded(profiles: &[CaseProfile]) -> String {
    let mut text = String::new();
    for profile in profiles {
        for (end, stacks) in &profile.ends {
            for (frames, time) in stacks {
                for (state, ns_of) in STATES {
                    let ns = ns_of(time);
                    if ns > 0 {
                        let of_stack = [profile.case.as_str(), end, state].into_iter();
                        let names = of_stack.chain(frames.iter().map(String::as_str));
                        let line: Vec<String> =
                            names.map(|name| name.replace(';', ":").replace('\n', " ")).collect();
                        text.push_str(&format!("{} {ns}\n", line.join(";")));
                    }
                }
            }
        }
    }
    text
}

/// The format of the Firefox Profiler: a process for each case, and for each end a thread with its time on a CPU and one with its
/// waits. A sample is a stack; its weight is the time in microseconds.
fn firefox(profiles: &[CaseProfile]) -> String {
    let start = Timestamp::from_nanos_since_reference(0);
    let interval = SamplingInterval::from_nanos(1_000);
    let mut firefox = FirefoxProfile::new("Roundtrip", SystemTime::now().into(), interval);
    for (pid, profile) in (1..).zip(profiles) {
        let process = firefox.add_process(&profile.case, pid, start);
        for (end, stacks) in &profile.ends {
            for (state, ns_of) in STATES {
                let thread = firefox.add_thread(process, pid, start, false);
                firefox.set_thread_name(thread, &format!("{end}, {state}"));
                firefox.set_thread_samples_weight_type(thread, WeightType::Samples);
                let mut at_ns = 0;
                for (frames, time) in stacks.iter().filter(|(_, time)| ns_of(time) > 0) {
                    let frames: Vec<FrameInfo> = frames
                        .iter()
                        .map(|name| FrameInfo {
                            frame: Frame::Label(firefox.intern_string(name)),
                            category_pair: CategoryHandle::OTHER.into(),
                            flags: FrameFlags::empty(),
                        })
                        .collect();
                    let stack = firefox.intern_stack_frames(thread, frames.into_iter());
                    let weight = i32::try_from(ns_of(time).div_ceil(1_000)).unwrap_or(i32::MAX);
                    let at = Timestamp::from_nanos_since_reference(at_ns);
                    firefox.add_sample(thread, at, stack, CpuDelta::ZERO, weight);
                    at_ns += ns_of(time);
                }
            }
        }
    }
    // It has only texts and numbers, which JSON can represent.
    serde_json::to_string(&firefox).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profiles() -> Vec<CaseProfile> {
        let stack = |frames: &[&str], on_cpu_ns, off_cpu_ns| {
            (frames.iter().map(|&frame| frame.to_owned()).collect(), Time { on_cpu_ns, off_cpu_ns })
        };
        let stacks = [
            stack(&["main", "send"], 3_000, 0),
            stack(&["main", "main", "receive"], 1_000, 8_000),
            stack(&["main", "a;b"], 0, 2_000),
        ];
        let ends = BTreeMap::from([("initiator".to_owned(), BTreeMap::from(stacks))]);
        let notes = BTreeSet::from(["Kernel functions are missing.".to_owned()]);
        vec![CaseProfile { case: "roundtrip/pipe".into(), messages: 2.0, ends, lost: 1, notes }]
    }

    #[test]
    fn folded_has_a_line_for_each_stack_and_state() {
        let expected = "roundtrip/pipe;initiator;waiting;main;a:b 2000\n\
            roundtrip/pipe;initiator;on CPU;main;main;receive 1000\n\
            roundtrip/pipe;initiator;waiting;main;main;receive 8000\n\
            roundtrip/pipe;initiator;on CPU;main;send 3000\n";
        assert_eq!(folded(&profiles()), expected);
    }

    #[test]
    fn firefox_has_a_thread_for_each_state_with_the_time_as_weight() {
        let profile: serde_json::Value = serde_json::from_str(&firefox(&profiles())).unwrap();
        assert_eq!(profile["threads"][0]["name"], "initiator, on CPU");
        assert_eq!(profile["threads"][0]["samples"]["weight"], serde_json::json!([1, 3]));
        assert_eq!(profile["threads"][1]["samples"]["weight"], serde_json::json!([2, 8]));
        assert!(profile["meta"]["preprocessedProfileVersion"].is_u64(), "{}", profile["meta"]);
    }

    #[test]
    fn table_has_the_slowest_functions_per_message_and_the_reasons() {
        let text = render(&profiles());
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        let row = |name: &str| rows.iter().position(|row| row.first() == Some(&name)).unwrap();
        assert!(row("receive") < row("send"), "{text}");
        // A function that calls itself counts once.
        assert_eq!(rows[row("main")], ["main", "2", "µs", "5", "µs"], "{text}");
        assert_eq!(
            rows[row("receive")],
            ["receive", "500", "ns", "500", "ns", "4", "µs", "4", "µs"],
            "{text}"
        );
        assert!(
            text.contains("1 samples were lost") && text.contains("Kernel functions are missing"),
            "{text}"
        );
    }

    #[test]
    fn unknown_format_names_the_expected_ones() {
        let error = format_of(Path::new("stacks.txt")).unwrap_err().to_string();
        assert!(error.contains("stacks.txt") && error.contains(".folded"), "{error}");
    }

    #[test]
    fn long_name_keeps_its_end() {
        assert_eq!(shortened("module::Type::function", 10), "…:function");
        assert_eq!(shortened("function", 10), "function");
    }
}
