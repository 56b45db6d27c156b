//! `roundtrip transports`: the page of the docs on transports, scenarios and presets. It is made of what the suite declares for
//! all systems and asks no machine anything, so that it is the same wherever it is made.

use crate::failure::Failure;
use crate::output;
use roundtrip_bench::definition::{self, Plan};
use roundtrip_bench::harness::{asks_programs, takes_part};
use roundtrip_bench::mechanism::Mechanism;
use roundtrip_bench::program;
use roundtrip_bench::ring::Waiting;
use roundtrip_bench::scenario::{self, Pattern, Scenario};
use roundtrip_bench::system::{Home, System};
use roundtrip_bench::transport::{self, OnFull};
use roundtrip_wire::TransportInfo;

const HEAD: &str = "\
# Transports, scenarios and presets

What the suite can measure, on every system. `roundtrip list` says the same of the machine it is run on, with the reason for each
transport that is not available there; [platforms](platforms.md) has what was run where. This page is written by `cargo xtask gen`
from `benches/src/transport/`, `benches/src/scenario/` and `benches/definitions/`.
";

const SYSTEMS: &str = "
## Which system has which

\u{2713} available, \u{2013} not on this system. What is available can still be refused by a machine, such as message queues that are
too long for its limits: then the report says why. A control is a transport that no commit of the measured repository can have
changed.

";

const SCENARIOS: &str = "
## Scenarios

| scenario | what is sent, and what a time is of | shortest message | asks of a transport |
|---|---|--:|---|
";

const PRESETS: &str = "
## Presets

How many cases each has on a system, before the system or the machine refuses any; [definitions](definition.md) are what they are written in.

";

pub(crate) fn print() -> crate::Result<()> {
    output::print(page()?.trim_end())
}

fn listed() -> Vec<Mechanism> {
    let transports = transport::ALL.iter().map(|transport| Mechanism::Suite(*transport));
    let mut all: Vec<Mechanism> = transports.chain(program::of_suite().map(Mechanism::from)).collect();
    all.sort_by_key(|listed| listed.info().slug);
    all
}

fn homes(listed: &Mechanism) -> &'static [Home] {
    match listed {
        Mechanism::Suite(transport) => transport.systems(),
        Mechanism::Program(program) => program.systems,
    }
}

fn is_for(listed: &Mechanism, scenario: &dyn Scenario, on: System) -> bool {
    match listed {
        Mechanism::Suite(transport) => takes_part(*transport, scenario, Some(on)).is_ok(),
        Mechanism::Program(_) => asks_programs(scenario),
    }
}

fn remarks(listed: &Mechanism) -> Vec<&'static str> {
    let manner = listed.manner();
    let mut remarks = Vec::new();
    if listed.program().is_some() {
        remarks.push("A program, which the suite starts.");
    }
    if manner.on_full == OnFull::Drop {
        remarks.push("It may lose messages, which are counted.");
    }
    if manner.waiting == Waiting::Spin {
        remarks.push("Who waits never sleeps.");
    } else if listed.is_ring() {
        remarks.push("Who waits may also spin, or spin for a while before sleeping.");
    }
    if listed.info().control {
        remarks.push("A control.");
    }
    remarks
}

/// A preset, as each system has it, in the order of [`System::ALL`].
struct Preset {
    name: &'static str,
    plans: Vec<Plan>,
}

impl Preset {
    fn all() -> crate::Result<Vec<Self>> {
        let of = |name| {
            let plans = System::ALL.map(|system| definition::preset_on(name, Some(system)));
            let plans = plans.into_iter().collect::<Result<_, _>>();
            Ok(Self { name, plans: plans.map_err(|error| Failure::Other(error.to_string()))? })
        };
        definition::names().map(of).collect()
    }

    fn systems_with(&self, info: &TransportInfo) -> Vec<System> {
        let measures = |plan: &Plan| plan.cases.iter().any(|case| case.transport.info().slug == info.slug);
        let systems = System::ALL.into_iter().zip(&self.plans);
        systems.filter(|(_, plan)| measures(plan)).map(|(system, _)| system).collect()
    }
}

fn page() -> crate::Result<String> {
    let (all, presets) = (listed(), Preset::all()?);
    let mut page = format!("{HEAD}{SYSTEMS}{}", systems(&all));
    let mut families: Vec<String> = all.iter().map(|listed| listed.info().family.to_string()).collect();
    families.sort();
    families.dedup();
    for family in families {
        page.push_str(&format!("\n## Family `{family}`\n"));
        for listed in all.iter().filter(|listed| listed.info().family.as_str() == family) {
            page.push_str(&section(listed, &presets));
        }
    }
    page.push_str(SCENARIOS);
    for scenario in scenario::ALL {
        let (slug, about) = (scenario.slug(), scenario.about());
        page.push_str(&format!(
            "| `{slug}` | {about} | {} B | {} |\n",
            scenario.message_bytes_min(),
            asked(*scenario)
        ));
    }
    page.push_str(PRESETS);
    page.push_str(&format!("| preset | {} | what it is for |\n", titles(&System::ALL)));
    page.push_str(&format!("|---|{}---|\n", "--:|".repeat(System::ALL.len())));
    for Preset { name, plans } in &presets {
        let counts: Vec<String> = plans.iter().map(|plan| plan.cases.len().to_string()).collect();
        let about = plans.first().map_or("", |plan| &plan.about);
        page.push_str(&format!("| `{name}` | {} | {about} |\n", counts.join(" | ")));
    }
    Ok(page)
}

fn systems(all: &[Mechanism]) -> String {
    let mut table =
        format!("| transport | {} |\n|---|{}\n", titles(&System::ALL), "---|".repeat(System::ALL.len()));
    for listed in all {
        let cells = System::ALL.map(|system| match homes(listed).iter().find(|home| home.system == system) {
            None => "\u{2013}".to_owned(),
            Some(Home { condition: None, .. }) => "\u{2713}".to_owned(),
            Some(Home { condition: Some(condition), .. }) => format!("\u{2713} {condition}"),
        });
        let slug = listed.info().slug;
        table.push_str(&format!("| [`{slug}`](#{slug}) | {} |\n", cells.join(" | ")));
    }
    table
}

fn section(listed: &Mechanism, presets: &[Preset]) -> String {
    let info = listed.info();
    let homes: Vec<System> = homes(listed).iter().map(|home| home.system).collect();
    let mut text = format!("\n### `{}`\n\n**{}.** {}", info.slug, info.title, info.semantics);
    for remark in remarks(listed) {
        text.push_str(&format!(" {remark}"));
    }
    text.push('\n');
    if homes.is_empty() {
        return text;
    }
    let taken = scenario::ALL.iter().filter_map(|scenario| {
        let on: Vec<System> =
            homes.iter().copied().filter(|system| is_for(listed, *scenario, *system)).collect();
        within(scenario.slug(), &on, &homes)
    });
    text.push_str(&format!("\nScenarios: {}.", taken.collect::<Vec<_>>().join(", ")));
    let measured = presets.iter().filter_map(|preset| {
        let on: Vec<System> =
            preset.systems_with(&info).into_iter().filter(|system| homes.contains(system)).collect();
        within(preset.name, &on, &homes)
    });
    let measured = measured.collect::<Vec<_>>().join(", ");
    if measured.is_empty() {
        return text + " No preset measures it.\n";
    }
    text + &format!(" Presets: {measured}.\n")
}

/// A name, with the systems that it is for where that is not all of those there are; nothing where it is for none.
fn within(name: &str, on: &[System], all: &[System]) -> Option<String> {
    match on {
        [] => None,
        on if on == all => Some(format!("`{name}`")),
        on => {
            let titles: Vec<&str> = on.iter().map(|system| system.title()).collect();
            Some(format!("`{name}` ({})", titles.join(", ")))
        }
    }
}

fn asked(scenario: &dyn Scenario) -> &'static str {
    match scenario.pattern() {
        Pattern::Many(_) => "to be a ring",
        Pattern::Pair(_) if scenario.needs_handles() => {
            "to pass descriptors, or what a system has in their place"
        }
        Pattern::Pair(_) if scenario.asks() => "nothing",
        Pattern::Pair(_) => "messages without an answer",
    }
}

fn titles(systems: &[System]) -> String {
    systems.iter().map(|system| system.title()).collect::<Vec<_>>().join(" | ")
}
