//! The one table of what is tested: which tier each group belongs to, and what it needs.

use super::{Context, Tier, contract, end_to_end, rust, web_ui};
use crate::screen::Step;
use crate::tally::{Outcome, Tally};
use crate::{action, compose, cross, docs, lab, linters, tidy};
use anyhow::{Context as _, Result, ensure};
use std::path::PathBuf;

/// Steps and tests that belong together.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) tier: Tier,
    pub(crate) room: Room,
    /// The groups that must have passed before.
    pub(crate) needs: &'static [&'static str],
    pub(crate) run: Run,
}

/// How much of the machine a group needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// Another group may run next to it.
    Lane,
    /// It measures, or starts more than one group's share: nothing else may run.
    Machine,
}

type Run = Box<dyn Fn(&Context, &mut Tally) -> Result<()> + Send + Sync>;
type One = fn(&Context, &Step) -> Result<Outcome>;
type Many = fn(&Context, &mut Tally) -> Result<()>;

/// What a row of [`STEPS`] runs.
enum Steps {
    One(One),
    Many(Many),
}
type StepRow = (Tier, &'static str, Room, &'static [&'static str], &'static [&'static str], Steps);
type ProgramRow = (Tier, &'static str, &'static str, Room, &'static [&'static str]);

use Room::{Lane, Machine};
use Steps::{Many as Each, One as Single};
use Tier::{All, Check, Test};

/// Everything but the programs of Rust tests. What a step needs stands above it; `reads` are the files that a step depends on, by
/// the beginning or the ending of their paths: `check` leaves a step out that has passed since these changed. A step without
/// them always runs.
#[rustfmt::skip]
const STEPS: &[StepRow] = &[
    // tier  name            room     needs                            reads
    (Check, "rust format",   Lane,    &[],                             &[".rs", "rustfmt.toml"],        Single(rust::format)),
    (Check, "web install",   Lane,    &[],                             &[],                             Single(|_, step| web_ui::install(step))),
    (Check, "web build",     Lane,    &["web install"],                &[],                             Single(|_, step| web_ui::build(step))),
    (Check, "rust build",    Lane,    &["web build"],                  &[],                             Single(rust::build_tests)),
    (Check, "web types",     Lane,    &["web install"],                &["web/"],                       Single(|_, step| web_ui::types(step))),
    (Check, "web lint",      Lane,    &["web install"],                &["web/"],                       Single(|_, step| web_ui::lint(step))),
    (Check, "tidy",          Lane,    &[],                             &[],                             Single(|_, _| tidy::holds())),
    (Check, "test database", Lane,    &["rust build"],                 &[],                             Single(rust::start_database)),
    (Check, "clippy",        Lane,    &["rust build"],                 &[],                             Single(|_, step| rust::clippy(step))),
    (Check, "web tests",     Lane,    &["web install"],                &["web/", "server/openapi.json"], Single(|_, step| web_ui::unit_tests(step))),
    (Test,  "doc tests",     Lane,    &["rust build"],                 &[],                             Single(|_, step| rust::doc_tests(step))),
    (Test,  "rust docs",     Lane,    &["clippy"],                     &[],                             Single(|_, step| rust::docs(step))),
    (Test,  "generated",     Lane,    &["rust build", "web install"],  &[],                             Single(rust::generated_files_are_fresh)),
    (Test,  "web scripts",   Lane,    &["web build"],                  &[],                             Single(|_, _| web_ui::scripts_are_few())),
    (Test,  "workflows",     Lane,    &[],                             &[],                             Single(|_, step| linters::workflows(step))),
    (Test,  "actions",       Lane,    &["workflows"],                  &[],                             Single(|_, step| linters::actions(step))),
    (Test,  "containers",    Lane,    &[],                             &[],                             Single(|_, step| linters::containers(step))),
    (Test,  "migrations",    Lane,    &[],                             &[],                             Single(|_, step| linters::migrations(step))),
    (Test,  "API contract",  Lane,    &["rust build"],                 &[],                             Single(contract::holds)),
    (Test,  "browser",       Lane,    &["rust build"],                 &[],                             Each(end_to_end::run)),
    (Test,  "action",        Lane,    &["rust build"],                 &[],                             Single(|context, step| action::runs(&context.tests()?.programs, step))),
    (Test,  "lab",           Machine, &["rust build"],                 &[],                             Each(|context, tally| lab::run(&context.tests()?.programs, tally))),
    (All,   "programs",      Lane,    &["web build", "clippy"],        &[],                             Single(rust::build_programs)),
    (All,   "up, as users",  Lane,    &["programs"],                   &[],                             Single(end_to_end::up_builds_its_programs)),
    (All,   "compose",       Lane,    &["programs"],                   &[],                             Each(|_, tally| compose::run(tally))),
    (All,   "docs",          Lane,    &["programs"],                   &[],                             Each(|_, tally| docs::run(tally))),
    (All,   "cross",         Lane,    &["programs"],                   &[],                             Each(|_, tally| cross::run_if_begun(tally))),
];

/// The programs of Rust tests, by the folder of their package and their target; `unit` are the tests within the sources. The tests
/// whose path begins with one of the words in the last column run in the last tier only: they repeat faults at many moments.
#[rustfmt::skip]
const TEST_PROGRAMS: &[ProgramRow] = &[
    // tier  package               target                      room     in the last tier
    (Check, "server",             "unit",                     Lane,    &[]),
    (Check, "server",             "unit of roundtrip-server", Lane,    &[]),
    (Test,  "server",             "it",                       Lane,    &[]),
    (Test,  "server",             "memory",                   Lane,    &[]),
    (Test,  "server",             "process",                  Lane,    &["faults::", "leases::"]),
    (Check, "agents",             "unit of roundtrip",        Lane,    &[]),
    (Test,  "agents",             "it",                       Lane,    &[]),
    (Check, "benches",            "unit",                     Lane,    &[]),
    (Check, "benches",            "unit of bench",            Lane,    &[]),
    (Test,  "benches",            "external",                 Lane,    &[]),
    (Test,  "benches",            "it",                       Lane,    &[]),
    (Test,  "benches",            "model",                    Lane,    &[]),
    (All,   "benches",            "torture",                  Lane,    &[]),
    (Check, "crates/advisor",     "unit",                     Lane,    &[]),
    (Check, "crates/budget",      "unit",                     Lane,    &[]),
    (Check, "crates/domain",      "unit",                     Lane,    &[]),
    (Check, "crates/github",      "unit",                     Lane,    &[]),
    (Check, "crates/github-fake", "unit",                     Lane,    &[]),
    (Test,  "crates/github-fake", "strict",                   Lane,    &[]),
    (Check, "crates/import",      "unit",                     Lane,    &[]),
    (Check, "crates/import",      "it",                       Lane,    &[]),
    (Check, "crates/manual",      "unit",                     Lane,    &[]),
    (Check, "crates/stats",       "unit",                     Lane,    &[]),
    (Check, "crates/storage",     "unit",                     Lane,    &[]),
    (Check, "crates/wire",        "unit",                     Lane,    &[]),
    (Check, "crates/wire",        "it",                       Lane,    &[]),
    (Check, "xtask",              "unit of xtask",            Lane,    &[]),
    (Check, "xtask",              "it",                       Lane,    &[]),
];

/// Every group of a tier and of those below it, in the order in which they start.
pub(crate) fn up_to(tier: Tier) -> Vec<Group> {
    let mut groups: Vec<Group> = STEPS.iter().map(of_step).collect();
    // The long tests start as soon as they are built; what is left of the steps fills the other lane.
    let after_build = groups.iter().position(|group| group.name == "test database").map_or(0, |at| at + 1);
    groups.splice(after_build..after_build, TEST_PROGRAMS.iter().flat_map(of_program));
    groups.push(Group {
        name: "test table".into(),
        tier: Check,
        room: Lane,
        needs: &["rust build"],
        run: Box::new(|context, tally| tally.step("test table", |_| every_program_is_listed(context))),
    });
    groups.retain(|group| group.tier <= tier);
    groups
}

fn of_step((tier, name, room, needs, reads, steps): &'static StepRow) -> Group {
    let run: Run = match steps {
        Single(run) => Box::new(|context, tally| {
            tally.step(name, |step| {
                context.unless_unchanged(name, || context.state_of_files(reads), || run(context, step))
            })
        }),
        Each(run) => Box::new(run),
    };
    Group { name: (*name).to_owned(), tier: *tier, room: *room, needs, run }
}

fn of_program((tier, package, target, room, slow): &'static ProgramRow) -> Vec<Group> {
    let name = format!("{package}: {target}");
    let group = |name: String, tier: Tier, arguments: Vec<String>| {
        let title = name.clone();
        let run: Run = Box::new(move |context, tally| {
            tally.step(&title, |step| {
                let state = || context.state_of_program(package, target);
                context.unless_unchanged(&title, state, || {
                    rust::run_tests(context, package, target, &arguments, step)
                })
            })
        });
        Group { name, tier, room: *room, needs: &["test database"], run }
    };
    let skipped = slow.iter().flat_map(|word| ["--skip".to_owned(), (*word).to_owned()]).collect();
    let mut groups = vec![group(name.clone(), *tier, skipped)];
    if !slow.is_empty() {
        groups.push(group(
            format!("{name}, faults"),
            All,
            slow.iter().map(|word| (*word).to_owned()).collect(),
        ));
    }
    groups
}

/// A program of tests that is built but stands in no tier would never run.
fn every_program_is_listed(context: &Context) -> Result<Outcome> {
    let built = &context.tests()?.tests;
    let listed: Vec<_> = TEST_PROGRAMS
        .iter()
        .map(|(_, package, target, ..)| (PathBuf::from(package), (*target).to_owned()))
        .collect();
    for (name @ (package, target), program) in built {
        ensure!(
            listed.contains(name) || rust::has_no_tests(program)?,
            "the tests {target:?} of {} are in no tier: add a row to TEST_PROGRAMS in xtask/src/test/groups.rs",
            package.display()
        );
    }
    for name @ (package, target) in &listed {
        built.get(name).with_context(|| {
            format!(
                "xtask/src/test/groups.rs lists the tests {target:?} of {}, which cargo does not build: remove the row",
                package.display()
            )
        })?;
    }
    Ok(Outcome::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_needs_only_groups_above_it_of_its_own_tier_or_a_lower_one() {
        let groups = up_to(All);
        for (index, group) in groups.iter().enumerate() {
            for need in group.needs {
                let above = groups[..index].iter().find(|other| other.name == *need);
                let above =
                    above.unwrap_or_else(|| panic!("{} needs {need}, which is not above it", group.name));
                assert!(above.tier <= group.tier, "{} needs {need} of a higher tier", group.name);
            }
        }
    }

    #[test]
    fn names_of_groups_are_unique() {
        let mut names: Vec<_> = up_to(All).into_iter().map(|group| group.name).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn every_tier_holds_those_below_it() {
        let names = |tier| up_to(tier).into_iter().map(|group| group.name).collect::<Vec<_>>();
        let (check, test, all) = (names(Check), names(Test), names(All));
        assert!(check.iter().all(|name| test.contains(name)) && test.iter().all(|name| all.contains(name)));
        assert!(check.len() < test.len() && test.len() < all.len());
    }

    #[test]
    fn tests_that_move_to_the_last_tier_are_left_out_of_the_first_and_nothing_else_is() {
        const ROW: ProgramRow = (Test, "p", "t", Lane, &["slow::"]);
        let names: Vec<_> = of_program(&ROW).into_iter().map(|group| (group.name, group.tier)).collect();
        assert_eq!(names, [("p: t".to_owned(), Test), ("p: t, faults".to_owned(), All)]);
    }
}
