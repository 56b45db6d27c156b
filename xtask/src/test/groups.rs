//! The table of all test groups, with their tiers and dependencies.

use super::{Context, Tier, contract, end_to_end, rust, web_ui};
use crate::screen::Step;
use crate::tally::{Outcome, Tally};
use crate::{action, compose, cross, docs, lab, libraries, linters, notebooks, tidy};
use anyhow::{Context as _, Result, ensure};
use std::path::PathBuf;

/// A group of steps and tests.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) tier: Tier,
    /// The groups that must pass first.
    pub(crate) needs: &'static [&'static str],
    pub(crate) run: Run,
}

type Run = Box<dyn Fn(&Context, &mut Tally) -> Result<()> + Send + Sync>;

/// The steps of a row in [`STEPS`].
enum Steps {
    Single(fn(&Context, &Step) -> Result<Outcome>),
    Each(fn(&Context, &mut Tally) -> Result<()>),
}
type StepRow = (Tier, &'static str, &'static [&'static str], &'static [&'static str], Steps);
type ProgramRow = (Tier, &'static str, &'static str, &'static [&'static str]);

use Steps::{Each, Single};
use Tier::{All, Check, Test};

/// All steps except Rust test programs. A step follows the steps that it needs. `reads` are the files that it
/// depends on, by prefix or suffix of their paths: `check` skips a step that has passed since they changed. A
/// step without `reads` always runs.
#[rustfmt::skip]
const STEPS: &[StepRow] = &[
    // tier  name            needs                            reads
    (Check, "rust format",   &[],                             &[".rs", "rustfmt.toml"],        Single(rust::format)),
    (Check, "web install",   &[],                             &[],                             Single(|_, step| web_ui::install(step))),
    (Check, "web build",     &["web install"],                &[],                             Single(|_, step| web_ui::build(step))),
    (Check, "rust build",    &["web build"],                  &[],                             Single(rust::build_tests)),
    (Check, "test database", &["rust build"],                 &[],                             Single(rust::start_database)),
    (Check, "clippy",        &["rust build"],                 &[],                             Single(|_, step| rust::clippy(step))),
    (Test,  "lab",           &["rust build"],                 &[],                             Each(|context, tally| lab::run(&context.tests()?.programs, tally))),
    (Test,  "API contract",  &["rust build"],                 &[],                             Single(contract::conforms)),
    (Test,  "notebooks",     &["rust build"],                 &[],                             Single(|context, step| notebooks::run(&context.tests()?.programs, step))),
    (Test,  "browser",       &["rust build"],                 &[],                             Each(end_to_end::run)),
    (Check, "web types",     &["web install"],                &["web/"],                       Single(|_, step| web_ui::types(step))),
    (Check, "web lint",      &["web install"],                &["web/"],                       Single(|_, step| web_ui::lint(step))),
    (Check, "tidy",          &[],                             &[],                             Single(|_, _| tidy::holds())),
    (Check, "web tests",     &["web install"],                &["web/", "server/openapi.json"], Single(|_, step| web_ui::unit_tests(step))),
    (Test,  "doc tests",     &["rust build"],                 &[],                             Single(|_, step| rust::doc_tests(step))),
    (Test,  "rust docs",     &["clippy"],                     &[],                             Single(|_, step| rust::docs(step))),
    (Test,  "generated",     &["rust build", "web install"],  &[],                             Single(rust::generated_files_are_fresh)),
    (Test,  "web visual",    &["web install"],                &["web/"],                       Single(|_, step| web_ui::screenshots_match(step))),
    (Test,  "web scripts",   &["web build"],                  &[],                             Single(|_, _| web_ui::scripts_are_small())),
    (Test,  "workflows",     &[],                             &[],                             Single(|_, step| linters::workflows(step))),
    (Test,  "actions",       &["workflows"],                  &[],                             Single(|_, step| linters::actions(step))),
    (Test,  "containers",    &[],                             &[],                             Single(|_, step| linters::containers(step))),
    (Test,  "migrations",    &[],                             &[],                             Single(|_, step| linters::migrations(step))),
    (Test,  "action",        &["rust build"],                 &[],                             Single(|context, step| action::runs(&context.tests()?.programs, step))),
    (All,   "programs",      &["web build", "clippy"],        &[],                             Single(rust::build_programs)),
    (All,   "up, as users",  &["programs"],                   &[],                             Single(end_to_end::up_builds_its_programs)),
    (All,   "compose",       &["programs"],                   &[],                             Each(|_, tally| compose::run(tally))),
    (All,   "docs",          &["programs"],                   &[],                             Each(|_, tally| docs::run(tally))),
    (All,   "libraries",     &["programs"],                   &[],                             Single(|_, step| libraries::run(&libraries::UNBUILT, step))),
    (All,   "cross",         &["programs"],                   &[],                             Each(|_, tally| cross::run_if_begun(tally))),
];

/// The Rust test programs, by package folder and target; `unit` means the tests in the sources. Tests whose
/// path begins with an entry of the last column run only in the last tier, because they repeat faults many
/// times.
#[rustfmt::skip]
const TEST_PROGRAMS: &[ProgramRow] = &[
    // tier  package               target                      in the last tier
    (Check, "server",             "unit",                     &[]),
    (Check, "server",             "unit of roundtrip-server", &[]),
    (Test,  "server",             "it",                       &[]),
    (Test,  "server",             "memory",                   &[]),
    (Test,  "server",             "process",                  &["faults::", "leases::"]),
    (Check, "agents",             "unit of roundtrip",        &[]),
    (Test,  "agents",             "it",                       &[]),
    (Check, "benches",            "unit",                     &[]),
    (Check, "benches",            "unit of bench",            &[]),
    (Test,  "benches",            "external",                 &[]),
    (Test,  "benches",            "it",                       &[]),
    (Test,  "benches",            "model",                    &[]),
    (All,   "benches",            "torture",                  &[]),
    (Check, "crates/advisor",     "unit",                     &[]),
    (Check, "crates/budget",      "unit",                     &[]),
    (Check, "crates/domain",      "unit",                     &[]),
    (Check, "crates/github",      "unit",                     &[]),
    (Check, "crates/github-fake", "unit",                     &[]),
    (Test,  "crates/github-fake", "strict",                   &[]),
    (Check, "crates/import",      "unit",                     &[]),
    (Check, "crates/import",      "it",                       &[]),
    (All,   "crates/import",      "memory",                   &[]),
    (Check, "crates/manual",      "unit",                     &[]),
    (Check, "crates/mcp",         "unit",                     &[]),
    (Check, "crates/profile",     "unit",                     &[]),
    (Check, "crates/stats",       "unit",                     &[]),
    (Check, "crates/storage",     "unit",                     &[]),
    (Check, "crates/wire",        "unit",                     &[]),
    (Check, "crates/wire",        "it",                       &[]),
    (Check, "xtask",              "unit of xtask",            &[]),
    (Check, "xtask",              "it",                       &[]),
];

/// The groups of a tier and of all lower tiers, in the order of their start.
pub(crate) fn up_to(tier: Tier) -> Vec<Group> {
    let mut groups: Vec<Group> = STEPS.iter().map(step_group).collect();
    // The longest steps start first, then these programs. Short steps fill the remaining time.
    let after_long = groups.iter().position(|group| group.name == "browser").map_or(0, |at| at + 1);
    groups.splice(after_long..after_long, TEST_PROGRAMS.iter().flat_map(program_groups));
    groups.push(Group {
        name: "test table".into(),
        tier: Check,
        needs: &["rust build"],
        run: Box::new(|context, tally| tally.step("test table", |_| every_program_is_listed(context))),
    });
    groups.retain(|group| group.tier <= tier);
    groups
}

fn step_group((tier, name, needs, reads, steps): &'static StepRow) -> Group {
    let run: Run = match steps {
        Single(run) => Box::new(|context, tally| {
            tally.step(name, |step| {
                context.unless_unchanged(name, || context.state_of_files(reads), || run(context, step))
            })
        }),
        Each(run) => Box::new(run),
    };
    Group { name: (*name).to_owned(), tier: *tier, needs, run }
}

fn program_groups((tier, package, target, slow): &'static ProgramRow) -> Vec<Group> {
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
        Group { name, tier, needs: &["test database"], run }
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

/// A test program that is in no tier would never run.
fn every_program_is_listed(context: &Context) -> Result<Outcome> {
    let built = &context.tests()?.tests;
    let listed: Vec<_> = TEST_PROGRAMS
        .iter()
        .map(|(_, package, target, ..)| (PathBuf::from(package), (*target).to_owned()))
        .collect();
    for (name @ (package, target), program) in built {
        ensure!(
            listed.contains(name) || rust::has_no_tests(program)?,
            "the tests {target:?} of {} have no tier. Add a row to TEST_PROGRAMS in \
             xtask/src/test/groups.rs.",
            package.display()
        );
    }
    for name @ (package, target) in &listed {
        built.get(name).with_context(|| {
            format!(
                "xtask/src/test/groups.rs lists the tests {target:?} of {}, which do not exist. Remove the \
                 row.",
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
    fn dependencies_are_earlier_and_in_no_higher_tier() {
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
    fn group_names_are_unique() {
        let mut names: Vec<_> = up_to(All).into_iter().map(|group| group.name).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn tiers_include_lower_ones() {
        let names = |tier| up_to(tier).into_iter().map(|group| group.name).collect::<Vec<_>>();
        let (check, test, all) = (names(Check), names(Test), names(All));
        assert!(check.iter().all(|name| test.contains(name)) && test.iter().all(|name| all.contains(name)));
        assert!(check.len() < test.len() && test.len() < all.len());
    }

    #[test]
    fn skips_only_tests_of_the_last_tier() {
        const ROW: ProgramRow = (Test, "p", "t", &["slow::"]);
        let names: Vec<_> = program_groups(&ROW).into_iter().map(|group| (group.name, group.tier)).collect();
        assert_eq!(names, [("p: t".to_owned(), Test), ("p: t, faults".to_owned(), All)]);
    }
}
