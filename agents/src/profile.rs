//! `roundtrip profile`: the functions in which a message spends its time, on a CPU and waiting, from call stacks of its ends.

use crate::cli::ProfileArguments;
use crate::failure::{Failure, OnDisk};
use crate::format::{counted, nanoseconds, whole};
use crate::{output, presets, run, selection};
use roundtrip_bench::definition::PlannedCase;
use roundtrip_bench::harness::{self, PeerCommand, Probed};
use roundtrip_bench::peer::Role;
use roundtrip_bench::probe::Probe;
use roundtrip_bench::scenario::Pattern;
use roundtrip_bench::sys::profiling::Profile;
use roundtrip_bench::transport::End;
use roundtrip_profile::comparison::SideStacks;
use roundtrip_profile::{EndStacks, Format, Stack, Time};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

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
    stacks: SideStacks,
    lost: u64,
    notes: BTreeSet<String>,
}

pub(crate) fn profile(arguments: &ProfileArguments) -> crate::Result<()> {
    // Everything that can fail is checked before measuring.
    let file =
        arguments.output.as_deref().map(|path| format_of(path).map(|format| (path, format))).transpose()?;
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
        Some((path, format)) => std::fs::write(path, format.write(&ends(profiles))).on_disk(path)?,
        None => output::print(&render(&profiles))?,
    }
    if failures.is_empty() {
        return Ok(());
    }
    let count = counted(failures.len(), "case");
    Err(Failure::Other(format!("{count} without a profile:\n{}", failures.join("\n"))))
}

fn format_of(path: &Path) -> crate::Result<Format> {
    Format::of_file(&path.to_string_lossy()).ok_or_else(|| {
        let expected = "expected a name that ends with .folded, .json or .pb.gz";
        Failure::Usage(format!("--output {}: {expected}", path.display()))
    })
}

fn ends(profiles: Vec<CaseProfile>) -> Vec<EndStacks> {
    let of_case = |CaseProfile { case, stacks, .. }: CaseProfile| {
        stacks.ends.into_iter().map(move |(end, stacks)| EndStacks {
            group: case.clone(),
            end,
            stacks: stacks.into_iter().map(|(frames, time)| Stack { frames, time }).collect(),
        })
    };
    profiles.into_iter().flat_map(of_case).collect()
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
        stacks: SideStacks::default(),
        lost: 0,
        notes: BTreeSet::new(),
    };
    for _ in 0..REPETITIONS {
        let probed = harness::probed(&case, peer, deadline)?;
        if let Some(profile) = &probed.profile {
            add_stacks(&mut all.stacks, &case, &probed, profile);
            all.lost += profile.lost;
            all.notes.extend(profile.notes.iter().cloned());
        }
        advance();
    }
    Ok(all)
}

/// Adds the stacks of a repetition.
pub(crate) fn add_stacks(sum: &mut SideStacks, case: &PlannedCase, probed: &Probed, profile: &Profile) {
    sum.messages += whole(probed.messages(case));
    let names: HashMap<u32, String> =
        probed.pids.iter().copied().zip(end_names(case, probed.pids.len())).collect();
    for stack in &profile.stacks {
        let end = names.get(&stack.pid).map_or("other processes", String::as_str);
        let time = sum.ends.entry(end.to_owned()).or_default().entry(stack.frames.clone()).or_default();
        *time += Time { on_cpu_ns: stack.on_cpu_ns, waiting_ns: stack.off_cpu_ns };
    }
}

/// The names of the ends of so many processes.
fn end_names(case: &PlannedCase, processes: usize) -> Vec<String> {
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
    for (frames, time) in stacks {
        // Once, if a function calls itself.
        for name in frames.iter().map(String::as_str).collect::<BTreeSet<_>>() {
            functions.entry(name).or_default().total += *time;
        }
        if let Some(name) = frames.last() {
            functions.entry(name).or_default().own += *time;
        }
    }
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions.sort_by_key(|(_, function)| std::cmp::Reverse(function.own.sum_ns()));
    functions
}

fn render(profiles: &[CaseProfile]) -> String {
    let width = usize::from(output::terminal_width()).saturating_sub(TIMES_WIDTH).max(NAME_WIDTH_MIN);
    let mut text = String::new();
    for profile in profiles {
        text.push_str(&format!("{}, time per message in {REPETITIONS} repetitions\n", profile.case));
        let per_message = |ns: u64| match whole(ns as f64 / profile.stacks.messages.max(1) as f64) {
            0 => String::new(),
            ns => nanoseconds(ns),
        };
        for (end, stacks) in &profile.stacks.ends {
            let functions = functions(stacks);
            let rows = functions.iter().take(ROWS).map(|(name, Function { own, total })| {
                let [cpu, all_cpu, wait, all_wait] =
                    [own.on_cpu_ns, total.on_cpu_ns, own.waiting_ns, total.waiting_ns].map(per_message);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn profiles() -> Vec<CaseProfile> {
        let stack = |frames: &[&str], on_cpu_ns, waiting_ns| {
            (frames.iter().map(|&frame| frame.to_owned()).collect(), Time { on_cpu_ns, waiting_ns })
        };
        let stacks = [
            stack(&["main", "send"], 3_000, 0),
            stack(&["main", "main", "receive"], 1_000, 8_000),
            stack(&["main", "a;b"], 0, 2_000),
        ];
        let ends = BTreeMap::from([("initiator".to_owned(), BTreeMap::from(stacks))]);
        let notes = BTreeSet::from(["Kernel functions are missing.".to_owned()]);
        let stacks = SideStacks { messages: 2, ends };
        vec![CaseProfile { case: "roundtrip/pipe".into(), stacks, lost: 1, notes }]
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
