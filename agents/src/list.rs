//! `roundtrip list`: every transport with its state on this machine, every scenario, every preset.
//!
//! As JSON: `{"transports": [...], "scenarios": [...], "presets": [...]}`. A transport has `slug`, `title`,
//! `family`, `semantics`, `control`, and `unsupported`, the reason why it cannot run here, or null. A
//! scenario has `slug` and `about`. A preset has `name`, `cases` (their number), and `about`. Members are
//! only ever added.

use crate::cli::{Format, ListArguments};
use crate::failure::Failure;
use crate::output::{self, is_coloured, paragraph, styled};
use clap::builder::styling::{AnsiColor, Style};
use comfy_table::{ContentArrangement, Table, presets};
use indexmap::IndexMap;
use roundtrip_bench::system::{SupportedSystem, System};
use roundtrip_bench::transport::{ChannelSpec, Transport};
use roundtrip_bench::{definition, environment, program, scenario, transport};
use roundtrip_wire::TransportInfo;
use serde::Serialize;

pub(crate) fn list(arguments: &ListArguments) -> crate::Result<()> {
    let listing = Listing::gather()?;
    match arguments.format {
        Format::Json => output::print_json(&listing),
        Format::Human => output::print(&render(&listing, arguments.all, is_coloured())),
    }
}

#[derive(Serialize)]
struct Listing {
    transports: Vec<ListedTransport>,
    scenarios: Vec<ListedScenario>,
    presets: Vec<ListedPreset>,
}

#[derive(Serialize)]
struct ListedTransport {
    #[serde(flatten)]
    info: TransportInfo,
    unsupported: Option<String>,
    /// Whether this system has it, though this machine may lack it.
    #[serde(skip)]
    is_of_system: bool,
}

#[derive(Serialize)]
struct ListedScenario {
    slug: &'static str,
    about: &'static str,
}

#[derive(Serialize)]
struct ListedPreset {
    name: &'static str,
    cases: usize,
    about: String,
}

fn is_here(systems: &[SupportedSystem]) -> bool {
    systems.iter().any(|supported| Some(supported.system) == System::here())
}

/// A small message that every working transport supports.
fn channel(transport: &dyn Transport) -> ChannelSpec {
    ChannelSpec { message_bytes: 64, manner: transport.manner(), ..ChannelSpec::default() }
}

impl Listing {
    fn gather() -> crate::Result<Self> {
        let of_suite = transport::ALL.iter().map(|transport| ListedTransport {
            info: transport.info(),
            unsupported: transport.support(&channel(*transport)).err().map(|reason| reason.to_string()),
            is_of_system: is_here(transport.systems()),
        });
        let programs = program::bundled().map(|program| ListedTransport {
            is_of_system: is_here(program.systems),
            info: program.info,
            unsupported: program.unsupported.map(|reason| reason.to_string()),
        });
        let mut transports: Vec<ListedTransport> = of_suite.chain(programs).collect();
        transports.sort_by(|one, other| one.info.slug.cmp(&other.info.slug));
        let scenarios = scenario::ALL
            .iter()
            .map(|scenario| ListedScenario { slug: scenario.slug(), about: scenario.about() });
        let presets = definition::names().map(|name| {
            let plan = definition::preset(name).map_err(|error| Failure::Other(error.to_string()))?;
            Ok(ListedPreset { name, cases: plan.cases.len(), about: plan.about })
        });
        Ok(Self {
            transports,
            scenarios: scenarios.collect(),
            presets: presets.collect::<crate::Result<_>>()?,
        })
    }
}

fn render(listing: &Listing, has_all: bool, coloured: bool) -> String {
    let heading = |text| styled(text, Style::new().bold(), coloured);
    let shown = listing.transports.iter().filter(|one| has_all || one.is_of_system);
    let shown: Vec<&ListedTransport> = shown.collect();
    let mut text = format!("{}\n\n{}\n", heading("Transports"), transports(&shown, coloured));
    let hidden = listing.transports.len() - shown.len();
    if hidden > 0 {
        text.push_str(&format!("\n  {hidden} more on other systems: roundtrip list --all\n"));
    }
    if let Some(tested) = environment::tested() {
        let tested = format!("This suite was tested {tested}. Treat the results with caution.");
        let tested = styled(&paragraph(&tested, 2), AnsiColor::Yellow.on_default(), coloured);
        text.push_str(&format!("\n{tested}\n"));
    }
    let control = "A control cannot be affected by the measured repository's code.";
    text.push_str(&format!("\n{}\n", paragraph(control, 2)));
    text.push_str(&format!("\n{}\n\n", heading("Scenarios")));
    for scenario in &listing.scenarios {
        text.push_str(&format!("  {}\n{}\n", scenario.slug, paragraph(scenario.about, 4)));
    }
    text.push_str(&format!("\n{}\n\n", heading("Presets")));
    for preset in &listing.presets {
        text.push_str(&format!(
            "  {} ({} cases)\n{}\n",
            preset.name,
            preset.cases,
            paragraph(&preset.about, 4)
        ));
    }
    text
}

/// Supported transports, then the others by reason.
fn transports(transports: &[&ListedTransport], coloured: bool) -> String {
    let here = transports.iter().filter(|one| one.unsupported.is_none());
    let mut text = lines(here.map(|ListedTransport { info, .. }| {
        let control = if info.control { "control" } else { "" };
        [info.slug.as_str(), &info.title, info.family.as_str(), control]
    }));
    let mut by_reason: IndexMap<&str, Vec<&ListedTransport>> = IndexMap::new();
    for &one in transports {
        if let Some(reason) = one.unsupported.as_deref() {
            by_reason.entry(reason).or_default().push(one);
        }
    }
    for (reason, those) in by_reason {
        let reason = paragraph(&format!("Unsupported: {reason}"), 2);
        let titled = styled(&reason, AnsiColor::Yellow.on_default(), coloured);
        let those = those.into_iter();
        let those = lines(those.map(|ListedTransport { info, .. }| [info.slug.as_str(), &info.title]));
        text.push_str(&format!("\n\n{titled}\n{those}"));
    }
    text
}

fn lines<'a, const N: usize>(rows: impl Iterator<Item = [&'a str; N]>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    rows.for_each(|row| _ = table.add_row(row));
    table.trim_fmt().lines().map(|line| format!(" {line}")).collect::<Vec<_>>().join("\n")
}
