//! The stacks of two sides in one tree.

use crate::{EndStacks, Stack, Time};
use indexmap::{IndexMap, IndexSet};
use roundtrip_wire::profile::{FRAMES_MAX, ProfileComparison, ProfileOfEnd, STACK_BYTES_MAX};
use std::collections::BTreeMap;

/// The ending of the names of kernel functions.
pub const KERNEL: &str = "_[k]";

/// The stacks of one side, and the delivered messages during which they were sampled.
#[derive(Clone, Debug, Default)]
pub struct SideStacks {
    /// Delivered messages.
    pub messages: u64,
    /// Times by end and stack.
    pub ends: BTreeMap<String, BTreeMap<Vec<String>, Time>>,
}

/// Merges two sides into trees. Above [`FRAMES_MAX`] frames or [`STACK_BYTES_MAX`], the stacks with the least time are left out.
pub fn merge(base: &SideStacks, head: &SideStacks) -> ProfileComparison {
    let mut functions: IndexSet<String> = IndexSet::new();
    let mut trees: BTreeMap<&str, Tree> = BTreeMap::new();
    let sides = [base, head].into_iter().enumerate();
    let mut stacks: Vec<(&str, &[String], usize, Time)> = sides
        .flat_map(|(side, stacks)| stacks.ends.iter().map(move |(end, stacks)| (side, end, stacks)))
        .flat_map(|(side, end, stacks)| {
            stacks.iter().map(move |(frames, time)| (end.as_str(), frames.as_slice(), side, *time))
        })
        .collect();
    stacks.sort_by_key(|(.., time)| std::cmp::Reverse(time.sum_ns()));
    let (mut frames_left, mut bytes_left) = (FRAMES_MAX, STACK_BYTES_MAX);
    for (end, frames, side, time) in stacks {
        let bytes: usize = frames.iter().map(|name| name.len() + 1).sum();
        if frames.len() > frames_left || bytes > bytes_left {
            break;
        }
        bytes_left -= bytes;
        let tree = trees.entry(end).or_default();
        let before = tree.len();
        add(tree, &mut functions, frames, side, time);
        frames_left -= tree.len() - before;
    }
    ProfileComparison {
        base_messages: base.messages,
        head_messages: head.messages,
        functions: functions.into_iter().collect(),
        ends: trees.iter().map(|(end, tree)| to_wire(end, tree)).collect(),
    }
}

/// Frames in the order of their first stack: the caller, the function, and the own time on each side.
type Tree = IndexMap<(Option<usize>, usize), [Time; 2]>;

/// Adds a stack of a side.
fn add(tree: &mut Tree, functions: &mut IndexSet<String>, frames: &[String], side: usize, time: Time) {
    let mut parent = None;
    for frame in frames {
        let function = functions.get_index_of(frame);
        let function = function.unwrap_or_else(|| functions.insert_full(frame.clone()).0);
        let entry = tree.entry((parent, function));
        parent = Some(entry.index());
        entry.or_default();
    }
    if let Some((_, times)) = parent.and_then(|place| tree.get_index_mut(place)) {
        times[side] += time;
    }
}

fn to_wire(name: &str, tree: &Tree) -> ProfileOfEnd {
    // There are at most `FRAMES_MAX`.
    let position = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    let column = |of: fn(&[Time; 2]) -> u64| tree.values().map(of).collect();
    ProfileOfEnd {
        name: name.to_owned(),
        parents: tree.keys().map(|(parent, _)| parent.map(position)).collect(),
        functions: tree.keys().map(|(_, function)| position(*function)).collect(),
        base_on_cpu_ns: column(|times| times[0].on_cpu_ns),
        base_waiting_ns: column(|times| times[0].waiting_ns),
        head_on_cpu_ns: column(|times| times[1].on_cpu_ns),
        head_waiting_ns: column(|times| times[1].waiting_ns),
    }
}

/// The time of a frame on a side.
type OfSide = fn(&ProfileOfEnd, usize) -> Time;

/// The sides, with their names in files.
const SIDES: [(&str, OfSide); 2] = [
    ("base", |end, place| Time {
        on_cpu_ns: end.base_on_cpu_ns[place],
        waiting_ns: end.base_waiting_ns[place],
    }),
    ("head", |end, place| Time {
        on_cpu_ns: end.head_on_cpu_ns[place],
        waiting_ns: end.head_waiting_ns[place],
    }),
];

/// The stacks of both sides, in the groups `base` and `head`. The profile must be valid: a caller stands before what it calls.
pub fn separate(profile: &ProfileComparison) -> Vec<EndStacks> {
    let of_side = |(group, time_of): (&'static str, OfSide)| {
        profile.ends.iter().map(move |end| {
            let stack = |place| Stack { frames: frames(profile, end, place), time: time_of(end, place) };
            let has_time = |place: &usize| time_of(end, *place) != Time::default();
            let stacks = (0..end.parents.len()).filter(has_time).map(stack).collect();
            EndStacks { group: group.to_owned(), end: end.name.clone(), stacks }
        })
    };
    SIDES.into_iter().flat_map(of_side).collect()
}

/// The functions of a frame and its callers, outermost first.
fn frames(profile: &ProfileComparison, end: &ProfileOfEnd, place: usize) -> Vec<String> {
    let caller = |place: &usize| end.parents[*place].map(|parent| parent as usize);
    let name = |place: usize| profile.functions[end.functions[place] as usize].clone();
    let mut frames: Vec<String> = std::iter::successors(Some(place), caller).map(name).collect();
    frames.reverse();
    frames
}

/// Replaces the names of all functions, except for those of the kernel, by numbers.
pub fn withhold_names(profile: &mut ProfileComparison) {
    for (place, name) in profile.functions.iter_mut().enumerate() {
        if !name.ends_with(KERNEL) {
            *name = format!("function {}", place + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(messages: u64, stacks: &[(&str, &str, u64)]) -> SideStacks {
        let mut side = SideStacks { messages, ..SideStacks::default() };
        for (end, frames, on_cpu_ns) in stacks {
            let frames = frames.split(' ').map(str::to_owned).collect();
            let time = Time { on_cpu_ns: *on_cpu_ns, waiting_ns: 1 };
            side.ends.entry((*end).to_owned()).or_default().insert(frames, time);
        }
        side
    }

    fn both() -> ProfileComparison {
        let base = side(10, &[("initiator", "main send", 7), ("responder", "main", 1)]);
        let head = side(20, &[("initiator", "main send", 9), ("initiator", "main encode write_[k]", 3)]);
        merge(&base, &head)
    }

    #[test]
    fn common_frames_are_merged_and_callers_stand_first() {
        let profile = both();
        assert_eq!((profile.base_messages, profile.head_messages), (10, 20));
        let end = &profile.ends[0];
        assert_eq!(end.name, "initiator");
        let names: Vec<&str> =
            end.functions.iter().map(|&place| profile.functions[place as usize].as_str()).collect();
        assert_eq!(names, ["main", "send", "encode", "write_[k]"]);
        assert_eq!(end.parents, [None, Some(0), Some(0), Some(2)]);
        assert_eq!(end.base_on_cpu_ns, [0, 7, 0, 0]);
        assert_eq!(end.head_on_cpu_ns, [0, 9, 0, 3]);
    }

    #[test]
    fn separated_sides_have_their_own_stacks() {
        let ends = separate(&both());
        let lines = crate::folded::write(&ends);
        let expected = "base;initiator;on CPU;main;send 7\n\
            base;initiator;waiting;main;send 1\n\
            base;responder;on CPU;main 1\n\
            base;responder;waiting;main 1\n\
            head;initiator;on CPU;main;send 9\n\
            head;initiator;waiting;main;send 1\n\
            head;initiator;on CPU;main;encode;write_[k] 3\n\
            head;initiator;waiting;main;encode;write_[k] 1\n";
        assert_eq!(lines, expected);
    }

    #[test]
    fn too_many_frames_leave_out_the_shortest_times() {
        let names: Vec<String> = (0..=FRAMES_MAX).map(|number| format!("f{number}")).collect();
        let stacks: Vec<(&str, &str, u64)> =
            names.iter().zip(1..).map(|(name, ns)| ("initiator", name.as_str(), ns)).collect();
        let profile = merge(&side(1, &stacks), &SideStacks::default());
        assert_eq!(profile.functions.len(), FRAMES_MAX);
        assert!(!profile.functions.contains(&"f0".to_owned()));
    }

    #[test]
    fn withheld_names_keep_the_kernel_and_differ() {
        let mut profile = both();
        withhold_names(&mut profile);
        assert_eq!(profile.functions, ["function 1", "function 2", "function 3", "write_[k]"]);
    }
}
