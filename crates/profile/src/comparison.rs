//! The stacks of two sides in one tree.

use crate::{EndStacks, Stack, Time};
use roundtrip_wire::profile::{FRAMES_MAX, ProfileComparison, ProfileOfEnd, STACK_BYTES_MAX};
use std::collections::{BTreeMap, HashMap};

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
    let mut functions = Functions::default();
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
        frames_left -= tree.add(frames, side, time, &mut functions);
    }
    ProfileComparison {
        base_messages: base.messages,
        head_messages: head.messages,
        functions: functions.names,
        ends: trees.into_iter().map(|(end, tree)| tree.to_wire(end)).collect(),
    }
}

/// There are at most [`FRAMES_MAX`].
fn position(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[derive(Default)]
struct Functions {
    names: Vec<String>,
    places: HashMap<String, u32>,
}

impl Functions {
    fn place(&mut self, name: &str) -> u32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = position(self.names.len());
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }
}

#[derive(Default)]
struct Tree {
    /// The caller, the function, and the own time on each side.
    frames: Vec<(Option<u32>, u32, [Time; 2])>,
    places: HashMap<(Option<u32>, u32), u32>,
}

impl Tree {
    /// Adds a stack; returns the number of new frames.
    fn add(&mut self, frames: &[String], side: usize, time: Time, functions: &mut Functions) -> usize {
        let before = self.frames.len();
        let mut parent = None;
        for frame in frames {
            let key = (parent, functions.place(frame));
            let next = position(self.frames.len());
            let place = *self.places.entry(key).or_insert(next);
            if place == next {
                self.frames.push((key.0, key.1, [Time::default(); 2]));
            }
            parent = Some(place);
        }
        if let Some(place) = parent {
            self.frames[place as usize].2[side] += time;
        }
        self.frames.len() - before
    }

    fn to_wire(&self, name: &str) -> ProfileOfEnd {
        let column = |of: fn(&[Time; 2]) -> u64| self.frames.iter().map(|(.., times)| of(times)).collect();
        ProfileOfEnd {
            name: name.to_owned(),
            parents: self.frames.iter().map(|(parent, ..)| *parent).collect(),
            functions: self.frames.iter().map(|(_, function, _)| *function).collect(),
            base_on_cpu_ns: column(|times| times[0].on_cpu_ns),
            base_waiting_ns: column(|times| times[0].waiting_ns),
            head_on_cpu_ns: column(|times| times[1].on_cpu_ns),
            head_waiting_ns: column(|times| times[1].waiting_ns),
        }
    }
}

/// The stacks of both sides, in the groups `base` and `head`.
pub fn separate(profile: &ProfileComparison) -> Vec<EndStacks> {
    let base = |end: &ProfileOfEnd, place: usize| Time {
        on_cpu_ns: end.base_on_cpu_ns[place],
        waiting_ns: end.base_waiting_ns[place],
    };
    let head = |end: &ProfileOfEnd, place: usize| Time {
        on_cpu_ns: end.head_on_cpu_ns[place],
        waiting_ns: end.head_waiting_ns[place],
    };
    let side = |group: &str, time_of: &dyn Fn(&ProfileOfEnd, usize) -> Time| -> Vec<EndStacks> {
        let of_end = |end: &ProfileOfEnd| EndStacks {
            group: group.to_owned(),
            end: end.name.clone(),
            stacks: stacks(profile, end, |place| time_of(end, place)),
        };
        profile.ends.iter().map(of_end).collect()
    };
    let mut all = side("base", &base);
    all.extend(side("head", &head));
    all
}

fn stacks(profile: &ProfileComparison, end: &ProfileOfEnd, time_of: impl Fn(usize) -> Time) -> Vec<Stack> {
    let mut stacks: Vec<Stack> = Vec::new();
    for place in 0..end.parents.len() {
        let time = time_of(place);
        if time == Time::default() {
            continue;
        }
        let mut frames = Vec::new();
        let mut next = Some(place);
        // The report was checked: a caller stands before what it calls.
        while let Some(place) = next {
            let function = end.functions[place] as usize;
            frames.push(profile.functions[function].clone());
            next = end.parents[place].map(|parent| parent as usize);
        }
        frames.reverse();
        stacks.push(Stack { frames, time });
    }
    stacks
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
