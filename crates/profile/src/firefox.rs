//! The format of the Firefox Profiler.

use crate::{EndStacks, STATES};
use fxprof_processed_profile::{
    CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, Profile, SamplingInterval, Timestamp, WeightType,
};
use std::time::SystemTime;

/// A process for each group, and for each end a thread with its time on a CPU and one with its waits. A sample is a stack; its
/// weight is the time in microseconds.
pub fn write(ends: &[EndStacks]) -> String {
    let start = Timestamp::from_nanos_since_reference(0);
    let interval = SamplingInterval::from_nanos(1_000);
    let mut profile = Profile::new("Roundtrip", SystemTime::now().into(), interval);
    for (pid, ends) in (1..).zip(ends.chunk_by(|one, other| one.group == other.group)) {
        let process = profile.add_process(&ends[0].group, pid, start);
        for EndStacks { end, stacks, .. } in ends {
            for (state, ns_of) in STATES {
                let thread = profile.add_thread(process, pid, start, false);
                profile.set_thread_name(thread, &format!("{end}, {state}"));
                profile.set_thread_samples_weight_type(thread, WeightType::Samples);
                let mut at_ns = 0;
                for stack in stacks {
                    let ns = ns_of(&stack.time);
                    if ns == 0 {
                        continue;
                    }
                    let frames: Vec<FrameInfo> = stack
                        .frames
                        .iter()
                        .map(|name| FrameInfo {
                            frame: Frame::Label(profile.intern_string(name)),
                            category_pair: CategoryHandle::OTHER.into(),
                            flags: FrameFlags::empty(),
                        })
                        .collect();
                    let frames = profile.intern_stack_frames(thread, frames.into_iter());
                    let weight = i32::try_from(ns.div_ceil(1_000)).unwrap_or(i32::MAX);
                    let at = Timestamp::from_nanos_since_reference(at_ns);
                    profile.add_sample(thread, at, frames, CpuDelta::ZERO, weight);
                    at_ns += ns;
                }
            }
        }
    }
    // It has only texts and numbers, which JSON can represent.
    serde_json::to_string(&profile).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn has_a_thread_for_each_state_with_the_time_as_weight() {
        let profile: serde_json::Value = serde_json::from_str(&super::write(&crate::tests::ends())).unwrap();
        assert_eq!(profile["threads"][0]["name"], "initiator, on CPU");
        assert_eq!(profile["threads"][0]["samples"]["weight"], json!([1, 3]));
        assert_eq!(profile["threads"][1]["samples"]["weight"], json!([2, 8]));
        assert_eq!(profile["threads"][2]["processName"], "roundtrip/pipe");
        assert!(profile["meta"]["preprocessedProfileVersion"].is_u64(), "{}", profile["meta"]);
    }
}
