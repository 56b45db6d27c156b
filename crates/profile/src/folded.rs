//! Folded stacks, as `flamegraph.pl`, `inferno` and speedscope read them.

use crate::{EndStacks, STATES, Stack};

/// One line for each stack and state: the group, the end, the state, the functions, and nanoseconds.
pub fn write(ends: &[EndStacks]) -> String {
    let mut text = String::new();
    for EndStacks { group, end, stacks } in ends {
        for Stack { frames, time } in stacks {
            for (state, ns_of) in STATES {
                let ns = ns_of(time);
                if ns > 0 {
                    let names = [group.as_str(), end, state].into_iter();
                    let names = names.chain(frames.iter().map(String::as_str));
                    let line: Vec<String> =
                        names.map(|name| name.replace(';', ":").replace('\n', " ")).collect();
                    text.push_str(&format!("{} {ns}\n", line.join(";")));
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn has_a_line_for_each_stack_and_state() {
        let expected = "roundtrip/pipe;initiator;waiting;main;a:b 2000\n\
            roundtrip/pipe;initiator;on CPU;main;main;receive 1000\n\
            roundtrip/pipe;initiator;waiting;main;main;receive 8000\n\
            roundtrip/pipe;initiator;on CPU;main;send 3000\n\
            roundtrip/pipe;responder;on CPU;main;receive 500\n";
        assert_eq!(super::write(&crate::tests::ends()), expected);
    }
}
