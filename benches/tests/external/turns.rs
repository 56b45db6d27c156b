//! Two programs that are compared take turns in short parts.

use crate::misbehaviour::{behaving, nobody_left};
use crate::support::{compare, compared};
use crate::{Ran, Test};
use roundtrip_stats::verdict::{Rule, Verdict};
use std::time::Duration;

pub(crate) const TESTS: &[Test] = &[
    ("a_program_that_is_slower_is_found_out_by_as_much", slower),
    ("a_part_that_begins_its_numbers_anew_is_found_out", anew),
    ("a_program_that_hangs_in_a_later_part_is_named_and_the_other_is_not", hangs),
    ("a_comparison_with_a_program_that_cannot_be_measured_is_inconclusive", unsupported),
];

/// Of programs that answer.
const DEADLINE: Duration = Duration::from_secs(60);

fn slower() -> Ran {
    let slower = compare(behaving("tell-the-truth"), behaving("be-slower"), Rule::default(), DEADLINE);
    assert_eq!(slower.row.p50.verdict, Some(Verdict::Regressed), "{slower:?}");
    let change = slower.row.p50.shift.unwrap().estimate.exp_m1();
    assert!((0.09..0.11).contains(&change), "{change}");
    Ok(())
}

fn anew() -> Ran {
    let found = compared(behaving("tell-the-truth"), behaving("begin-each-part-anew"), DEADLINE);
    assert!(found.base.failures.is_empty());
    let told = "the heads that its responder received add up to";
    assert!(found.head.failures.iter().all(|failure| failure.reason.contains(told)), "{found:?}");
    assert_eq!(found.head.failures.len(), 2);
    Ok(())
}

fn hangs() -> Ran {
    let found =
        compared(behaving("hang-in-the-third-part"), behaving("tell-the-truth"), Duration::from_secs(1));
    // Each side also waits for the other one.
    let told = "hang-in-the-third-part: no answer within 2 s, killed";
    assert!(found.base.failures.iter().all(|failure| failure.reason == told), "{found:?}");
    assert_eq!((found.base.failures.len(), found.head.failures.len()), (2, 0));
    nobody_left("hang-in-the-third-part");
    Ok(())
}

fn unsupported() -> Ran {
    let found = compared(behaving("tell-the-truth"), behaving("be-unsupported"), DEADLINE);
    assert_eq!(found.row.p50.verdict, Some(Verdict::Inconclusive));
    assert!(found.head.unsupported.is_some() && found.pairs.is_empty(), "{found:?}");
    Ok(())
}
