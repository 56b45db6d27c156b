//! `roundtrip transports`: the reference page of transports, scenarios and presets. Built from the suite's declarations for all
//! systems, without looking at this machine, so the output is the same everywhere.

use crate::failure::Failure;
use crate::output;
use roundtrip_bench::definition::{self, Plan};
use roundtrip_bench::harness::{supports_programs, takes_part};
use roundtrip_bench::mechanism::Mechanism;
use roundtrip_bench::program;
use roundtrip_bench::scenario::{self, Pattern, Scenario};
use roundtrip_bench::system::{SupportedSystem, System};
use roundtrip_bench::transport::{self, OnFull};
use roundtrip_wire::TransportInfo;

const HEAD: &str = "\
# Transports, scenarios and presets

The transports, scenarios and presets that the suite can measure, by system. For your machine, run `roundtrip list`.
[Platforms](platforms.md) lists what was run where. Written by `cargo xtask gen`.
";

const SYSTEMS: &str = "
## Availability

\u{2713} available, \u{2013} not on this system. A machine can still lack support, for example if its message queues are too short;
the report then shows the reason.

";

const FAMILIES: &str = "
Unless noted below, a transport supports the scenarios `open-loop`, `roundtrip`, `stream` and `write-and-read`, and is a control: the measured
repository's code cannot affect it.
";

const SCENARIOS: &str = "
## Scenarios

| scenario | traffic and time | shortest message | requires |
|---|---|--:|---|
";

const PRESETS: &str = "
## Presets

Number of cases by system, before unsupported ones are removed. See [definitions](definition.md) for the format.

";

/// Scenarios that most transports support.
const USUAL: [&str; 4] = ["open-loop", "roundtrip", "stream", "write-and-read"];

pub(crate) fn print() -> crate::Result<()> {
    output::print(page()?.trim_end())
}

fn listed() -> Vec<Mechanism> {
    let transports = transport::ALL.iter().map(|transport| Mechanism::Suite(*transport));
    let mut all: Vec<Mechanism> = transports.chain(program::bundled().map(Mechanism::from)).collect();
    all.sort_by_key(|listed| listed.info().slug);
    all
}

fn supported_systems(listed: &Mechanism) -> &'static [SupportedSystem] {
    match listed {
        Mechanism::Suite(transport) => transport.systems(),
        Mechanism::Program(program) => program.systems,
    }
}

fn is_for(listed: &Mechanism, scenario: &dyn Scenario, on: System) -> bool {
    match listed {
        Mechanism::Suite(transport) => takes_part(*transport, scenario, Some(on)).is_ok(),
        Mechanism::Program(_) => supports_programs(scenario),
    }
}

fn remarks(listed: &Mechanism) -> Vec<&'static str> {
    let manner = listed.manner();
    let mut remarks = Vec::new();
    if listed.program().is_some() {
        remarks.push("A program started by the suite.");
    }
    if manner.on_full == OnFull::Drop {
        remarks.push("Lost messages are counted.");
    }
    if !listed.info().control {
        remarks.push("Not a control.");
    }
    remarks
}

/// A preset with its plan for each system, in the order of [`System::ALL`].
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
    let mut page = format!("{HEAD}{SYSTEMS}{}{FAMILIES}", systems(&all));
    let mut families: Vec<String> = all.iter().map(|listed| listed.info().family.to_string()).collect();
    families.sort();
    families.dedup();
    for family in families {
        page.push_str(&format!("\n## Family `{family}`\n"));
        let members = all.iter().filter(|listed| listed.info().family.as_str() == family);
        let mut described: Vec<TransportInfo> = Vec::new();
        for listed in members {
            page.push_str(&section(listed, &presets, &described));
            described.push(listed.info());
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
    page.push_str(&format!("| preset | {} | contents |\n", titles(&System::ALL)));
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
        let cells = System::ALL.map(|system| {
            match supported_systems(listed).iter().find(|home| home.system == system) {
                None => "\u{2013}".to_owned(),
                Some(SupportedSystem { condition: None, .. }) => "\u{2713}".to_owned(),
                Some(SupportedSystem { condition: Some(condition), .. }) => format!("\u{2713} {condition}"),
            }
        });
        let slug = listed.info().slug;
        table.push_str(&format!("| [`{slug}`](#{slug}) | {} |\n", cells.join(" | ")));
    }
    table
}

fn section(listed: &Mechanism, presets: &[Preset], described: &[TransportInfo]) -> String {
    let info = listed.info();
    let homes: Vec<System> = supported_systems(listed).iter().map(|home| home.system).collect();
    let semantics = match described.iter().find(|other| other.semantics == info.semantics) {
        Some(TransportInfo { slug, .. }) => format!("Like [`{slug}`](#{slug})."),
        None => info.semantics.clone(),
    };
    let mut text = format!("\n### `{}`\n\n**{}.** {semantics}", info.slug, info.title);
    for remark in remarks(listed) {
        text.push_str(&format!(" {remark}"));
    }
    text.push('\n');
    if homes.is_empty() {
        return text;
    }
    let supported: Vec<(&str, String)> = scenario::ALL
        .iter()
        .filter_map(|scenario| {
            let on: Vec<System> =
                homes.iter().copied().filter(|system| is_for(listed, *scenario, *system)).collect();
            Some((scenario.slug(), within(scenario.slug(), &on, &homes)?))
        })
        .collect();
    let has_usual = USUAL.iter().all(|usual| supported.iter().any(|(slug, _)| slug == usual));
    let shown = supported.into_iter().filter(|(slug, _)| !has_usual || !USUAL.contains(slug));
    let shown = shown.map(|(_, text)| text).collect::<Vec<_>>().join(", ");
    let measured = presets.iter().filter_map(|preset| {
        let on: Vec<System> =
            preset.systems_with(&info).into_iter().filter(|system| homes.contains(system)).collect();
        within(preset.name, &on, &homes)
    });
    let measured = measured.collect::<Vec<_>>().join(", ");
    let lines = [(if has_usual { "Also" } else { "Only" }, shown), ("Presets", measured)];
    let lines: Vec<String> = lines
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(name, list)| format!("{name}: {list}."))
        .collect();
    if lines.is_empty() { text } else { text + &format!("\n{}\n", lines.join(" ")) }
}

/// A name, followed by its systems unless it applies to all; `None` if it applies to none.
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
        Pattern::Many(_) => "a ring",
        Pattern::Pair(_) if scenario.needs_handles() => "passing of descriptors or handles",
        Pattern::Pair(_) if scenario.asks() => "",
        Pattern::Pair(_) => "one-way messages",
    }
}

fn titles(systems: &[System]) -> String {
    systems.iter().map(|system| system.title()).collect::<Vec<_>>().join(" | ")
}
