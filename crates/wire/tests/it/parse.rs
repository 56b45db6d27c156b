//! Reports that the types and rules reject, with the field in the error.

use roundtrip_wire::report::limit;
use roundtrip_wire::{
    Acknowledged, Commit, CommitSha, Delivery, Invalid, MeasuredProgram, ProfileComparison, ProfileOfEnd,
    ProgramOrigin, RunId, RunReport, Slug,
};
use std::collections::BTreeMap;
use uuid::Uuid;

fn report() -> RunReport {
    serde_json::from_str(include_str!("../golden/v1/full.json")).unwrap()
}

fn broken_by(change: impl FnOnce(&mut RunReport)) -> Invalid {
    let mut report = report();
    change(&mut report);
    report.check().unwrap_err()
}

#[test]
fn report_without_a_commit_stays_local() {
    let mut report = report();
    report.commit = Commit::absent(report.started_at);
    assert_eq!(report.check_local(), Ok(()));
    assert_eq!(report.check().unwrap_err().pointer, "/commit/sha");
}

#[test]
fn profiles_are_trees_in_equal_columns() {
    let profile = || ProfileComparison {
        base_messages: 1,
        head_messages: 1,
        functions: vec!["main".into(), "x".repeat(4_096)],
        ends: vec![ProfileOfEnd {
            name: "initiator".into(),
            parents: vec![None, Some(0)],
            functions: vec![0, 1],
            base_on_cpu_ns: vec![1, 2],
            base_waiting_ns: vec![0, 0],
            head_on_cpu_ns: vec![1, 2],
            head_waiting_ns: vec![0, 0],
        }],
    };
    let invalid = |change: fn(&mut ProfileOfEnd)| {
        let Invalid { pointer, .. } = broken_by(|report| {
            let mut profile = profile();
            change(&mut profile.ends[0]);
            report.results[0].profile = Some(profile);
        });
        pointer.strip_prefix("/results/0/profile/ends").unwrap().to_owned()
    };
    assert_eq!(invalid(|end| end.head_waiting_ns.push(0)), "/0/head_waiting_ns");
    assert_eq!(invalid(|end| end.functions[1] = 2), "/0/functions/1");
    assert_eq!(invalid(|end| end.parents[1] = Some(1)), "/0/parents/1");
    // Each frame calls the next one, so the stacks have more than 16 MiB of names.
    let deep = |end: &mut ProfileOfEnd| {
        end.parents = (0..500).map(|frame: u32| frame.checked_sub(1)).collect();
        end.functions = vec![1; 500];
        let [on_cpu, waiting] = [vec![1; 500], vec![0; 500]];
        (end.base_on_cpu_ns, end.head_on_cpu_ns) = (on_cpu.clone(), on_cpu);
        (end.base_waiting_ns, end.head_waiting_ns) = (waiting.clone(), waiting);
    };
    assert_eq!(invalid(deep), "/0");
    let mut valid = report();
    valid.results[0].profile = Some(profile());
    assert_eq!(valid.check(), Ok(()));
}

#[test]
fn slugs_are_lower_case_words_joined_by_single_hyphens() {
    for text in ["a", "ring-futex", "2proc", "x86-64", &"a".repeat(64)] {
        assert_eq!(Slug::parse(text).unwrap().as_str(), text);
    }
    for text in ["", "-", "a-", "-a", "a--b", "A", "a_b", "a b", "ä", "a\0", &"a".repeat(65)] {
        assert!(Slug::parse(text).is_err(), "{text:?}");
        assert!(serde_json::from_value::<Slug>(text.into()).is_err(), "{text:?}");
    }
}

#[test]
fn any_name_becomes_a_slug() {
    for name in ["", "---", "ÄÖÜ", "Lab Mac_2.local", &"x-".repeat(64)] {
        let slug = Slug::from_name(name);
        assert_eq!(Slug::parse(slug.as_str()).unwrap(), slug, "{name:?}");
    }
}

#[test]
fn commits_have_full_object_names() {
    for digits in [40, 64] {
        assert!(CommitSha::parse(&"a".repeat(digits)).is_ok());
    }
    for text in ["", "abc", &"a".repeat(41), &"A".repeat(40), &"g".repeat(40)] {
        assert!(CommitSha::parse(text).is_err(), "{text:?}");
        assert!(serde_json::from_value::<CommitSha>(text.into()).is_err(), "{text:?}");
    }
}

#[test]
fn runs_are_identified_by_uuids_of_version_7() {
    let drawn = RunId::draw();
    assert_eq!(RunId::try_from(drawn.as_uuid()).unwrap(), drawn);
    for other in [Uuid::nil(), Uuid::max(), "6fa459ea-ee8a-4ca4-894e-db77e160355e".parse().unwrap()] {
        assert!(RunId::try_from(other).is_err(), "{other}");
    }
}

#[test]
fn programs_are_optional() {
    let json = serde_json::to_value(report()).unwrap();
    assert!(json.get("programs").is_none(), "older servers and agents have none");
    let program = serde_json::json!({
        "transport": "our-queue", "origin": "commit", "files": {"./my-ipc": "a".repeat(64)},
    });
    let mut with_programs = json;
    with_programs["programs"] = serde_json::json!([program]);
    let report: RunReport = serde_json::from_value(with_programs).unwrap();
    assert_eq!(report.programs[0].origin, ProgramOrigin::Commit);
    assert_eq!(serde_json::to_value(&report.programs[0]).unwrap(), program);
}

#[test]
fn violations_have_a_json_pointer() {
    type Change = fn(&mut RunReport);
    fn long() -> String {
        "x".repeat(limit::TEXT_BYTES_MAX + 1)
    }
    let cases: &[(&str, Change)] = &[
        ("/schema_version", |report| report.schema_version = 2),
        ("/finished_at", |report| report.finished_at = report.commit.committed_at),
        ("/branch", |report| report.branch = Some("a\0".into())),
        ("/commit/subject", |report| report.commit.subject = long()),
        ("/commit/first_parent_ordinal", |report| report.commit.first_parent_ordinal = Some(0)),
        ("/history/1/author", |report| report.history[1].author = "\0".into()),
        ("/commit/parents", |report| {
            report.commit.parents = vec![report.commit.sha.clone(); limit::PARENTS_MAX + 1];
        }),
        ("/environment/stable/a~1b", |report| {
            report.environment.stable.insert("a/b".into(), "\0".into());
        }),
        ("/canaries/1/unsupported", |report| report.canaries[1].unsupported = Some("\0".into())),
        ("/suite/version", |report| report.suite.version = long()),
        ("/programs/0/files/.~1ours", |report| {
            report.programs = vec![MeasuredProgram {
                transport: Slug::from_name("ours"),
                variant: None,
                origin: ProgramOrigin::Found,
                files: [("./ours".to_owned(), long())].into(),
                code: BTreeMap::new(),
            }];
        }),
        ("/results/0/methodology/payload", |report| report.results[0].methodology.payload = "\0".into()),
        ("/results/0/failures/0/reason", |report| report.results[0].failures[0].reason = long()),
        ("/results/0/repetitions/1/disturbed/0", |report| {
            report.results[0].repetitions[1].disturbed[0] = "\0".into();
        }),
        ("/results/0/repetitions/0/count", |report| report.results[0].repetitions[0].count = 0),
        ("/results/0/repetitions/0/min_ns", |report| report.results[0].repetitions[0].min_ns = 10_000),
        ("/results/0/repetitions/0/sum_ns", |report| report.results[0].repetitions[0].sum_ns = 1),
        ("/results/1/repetitions/0/accepted", |report| report.results[1].repetitions[0].accepted = 513),
        ("/results/1/repetitions/0/ends/0/delivery/delivered", |report| {
            let delivery = Delivery { delivered: 513, ..Delivery::default() };
            report.results[1].repetitions[0].ends[0].delivery = Some(delivery);
        }),
        ("/results/0/case/senders", |report| report.results[0].case.senders = Some(0)),
        ("/results/2/case/messages", |report| report.results[2].case.messages = Some(0)),
        ("/results/2/repetitions", |report| report.results[2].unsupported = None),
        ("/results/0/unsupported", |report| report.results[0].unsupported = Some("no".into())),
        ("/results/3", |report| report.results.push(report.results[2].clone())),
    ];
    for (pointer, change) in cases {
        assert_eq!(broken_by(change).pointer, *pointer);
    }
}

#[test]
fn each_receiver_can_get_all_accepted_messages() {
    let mut report = report();
    let repetition = &mut report.results[1].repetitions[0];
    let delivery = Delivery { delivered: repetition.accepted, ..Delivery::default() };
    for end in &mut repetition.ends {
        end.delivery = Some(delivery);
    }
    assert_eq!(report.check(), Ok(()));
    report.results[1].repetitions[0].accepted -= 1;
    assert_eq!(
        report.check().unwrap_err().to_string(),
        "delivered 512 is larger than accepted 511: a receiver cannot get what the transport did not take"
    );
}

#[test]
fn one_loss_makes_a_result_lossy() {
    let report = report();
    assert!(report.results.iter().all(|result| !result.is_lossy()));
    let mut result = report.results[0].clone();
    result.repetitions[1].delivered -= 1;
    assert!(result.is_lossy());
    let mut result = report.results[0].clone();
    result.repetitions[0].out_of_order = 1;
    assert!(result.is_lossy());
}

#[test]
fn parses_an_installation_and_a_count() {
    let installation = "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b";
    for count in ["0", "41", "9223372036854775806"] {
        assert!(format!("{installation} {count}").parse::<Acknowledged>().is_ok(), "{count}");
    }
    for text in [
        "",
        installation,
        &format!("{installation} -1"),
        &format!("{installation} 9223372036854775807"),
        &format!("{installation}  1"),
        "lab-1 41",
    ] {
        assert!(text.parse::<Acknowledged>().is_err(), "{text}");
    }
}
