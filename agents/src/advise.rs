//! `roundtrip advise`: ranks transports for given message sizes, using a report or the results on a server.

use crate::advice::{self, Advice, Crossover, Group, Latency, Ranked, Wanted};
use crate::cli::{AdviseArguments, Format};
use crate::failure::Failure;
use crate::format::{bytes, count, digits, nanoseconds, whole};
use crate::libraries::Needs;
use crate::upload::{TIMEOUT, token_in};
use crate::{http, output, remote, report_file};
use clap::ValueEnum;
use roundtrip_wire::Slug;
use roundtrip_wire::size_profile::{self, SizeHistogram, SizeProfile};
use serde_json::Value;
use std::path::Path;

const HEADER: [&str; 9] =
    ["transport", "p50", "p98", "p99", "mean", "processor time", "wake-ups", "behind", "95 % interval"];

pub(crate) fn advise(arguments: &AdviseArguments) -> crate::Result<()> {
    let is_json = arguments.format == Format::Json;
    let (advice, preset) = match &arguments.report {
        Some(path) => (of_report(path, arguments)?, "sizes --output FILE"),
        None => {
            let answer = ask(arguments)?;
            if is_json {
                return output::print_json(&answer);
            }
            let advice = serde_json::from_value(answer).map_err(|error| {
                Failure::Other(format!(
                    "unexpected response from {}: {error}. Do the versions match?",
                    arguments.results.server
                ))
            })?;
            (advice, "sizes --upload URL")
        }
    };
    if is_json {
        return output::print_json(&advice);
    }
    if advice.groups.is_empty() {
        return Err(Failure::NotComparable(format!(
            "No results to rank. Run `roundtrip run --preset {preset}` first."
        )));
    }
    output::print(&render(&advice, arguments.rate.is_some()))
}

fn of_report(path: &Path, arguments: &AdviseArguments) -> crate::Result<Advice> {
    let needs = Needs::new(arguments.waits, arguments.language.as_deref(), &arguments.needs)?;
    let wanted = Wanted {
        sizes: &sizes(arguments)?.1,
        by: arguments.by.map_or(roundtrip_advisor::Figure::P50, Into::into),
        rate: arguments.rate,
        mode: arguments.mode.as_ref(),
        placement: arguments.placement.as_ref(),
        accepts: &|slug| needs.accept(slug),
    };
    let assumptions = vec![
        "A time is a round trip: one message and a reply of the same length, with nothing else in flight.".into(),
        "External programs time themselves, and write a header of eight digits to each message within the time.".into(),
    ];
    Ok(Advice { assumptions, groups: advice::groups(&report_file::read(path)?, &wanted)? })
}

fn ask(arguments: &AdviseArguments) -> crate::Result<Value> {
    let project = remote::project(arguments.results.project.as_ref())?;
    let url = format!("{}/api/v1/projects/{project}/advice", arguments.results.server.trim_end_matches('/'));
    let mut request = http::agent(TIMEOUT).get(&url);
    request = match sizes(arguments)? {
        (Some(profile), _) => request.query("profile", profile),
        (None, sizes) => request.query("sizes", sizes.to_string()),
    };
    let by = arguments.by.and_then(|by| Some(by.to_possible_value()?.get_name().to_owned()));
    let chosen = [
        ("machine", arguments.machine.as_ref().map(Slug::to_string)),
        ("placement", arguments.placement.as_ref().map(Slug::to_string)),
        ("mode", arguments.mode.as_ref().map(Slug::to_string)),
        ("by", by),
        ("rate_per_second", arguments.rate.map(|rate| rate.to_string())),
    ];
    for (name, value) in chosen {
        if let Some(value) = value {
            request = request.query(name, value);
        }
    }
    if let Some(path) = &arguments.results.token_file {
        request = request.header("authorization", format!("Bearer {}", token_in(path)?));
    }
    Ok(http::answer(&url, request.call())?)
}

/// The sizes, and the profile that they are from.
fn sizes(arguments: &AdviseArguments) -> crate::Result<(Option<&'static str>, SizeHistogram)> {
    match (&arguments.profile, &arguments.sizes) {
        (Some(name), _) => {
            let profile = profile(name)?;
            Ok((Some(profile.slug), profile.sizes().map_err(Failure::Other)?))
        }
        (None, Some(text)) => {
            let sizes = text.parse().map_err(|error| Failure::Usage(format!("--sizes: {error}")))?;
            Ok((None, sizes))
        }
        (None, None) => Err(Failure::Usage("pass --profile or --sizes".into())),
    }
}

/// The profile of this name, or the only one whose name begins so.
fn profile(name: &str) -> crate::Result<&'static SizeProfile> {
    let begin_so: Vec<_> =
        size_profile::ALL.iter().filter(|profile| profile.slug.starts_with(name)).collect();
    match (SizeProfile::named(name), &begin_so[..]) {
        (Some(profile), _) => Ok(profile),
        (None, [profile]) => Ok(profile),
        _ => {
            let names: Vec<&str> = size_profile::ALL.iter().map(|profile| profile.slug).collect();
            Err(Failure::Usage(format!(
                "unknown size profile `{name}` in --profile: expected one of {}",
                names.join(", ")
            )))
        }
    }
}

fn render(advice: &Advice, has_rate: bool) -> String {
    let mut text = String::new();
    for group in &advice.groups {
        text.push_str(&format!("{}\n\n{}\n\n", title(group), group.answer));
        if !group.ranking.is_empty() {
            text.push_str(&format!("{}\n\n", table(&group.ranking, has_rate)));
        }
        for line in notes(group) {
            text.push_str(&format!("{line}\n"));
        }
        text.push('\n');
    }
    for assumption in &advice.assumptions {
        text.push_str(&format!("{assumption}\n"));
    }
    text
}

/// As in `lab-1, 2proc, same-cpu`.
fn title(group: &Group) -> String {
    let facts = ["mode", "placement"].iter().filter_map(|name| group.case.get(*name));
    let over = group.oversubscribed.then_some("oversubscribed: more threads than CPUs");
    let parts = [group.machine.as_str()].into_iter().chain(facts.map(String::as_str)).chain(over);
    parts.collect::<Vec<_>>().join(", ")
}

fn table(ranking: &[Ranked], has_rate: bool) -> String {
    let mut header = HEADER;
    if has_rate {
        (header[5], header[6]) = ("processors", "wake-ups/s");
    }
    output::table(header, ranked_cells(ranking, has_rate), |place| place > 0)
}

fn ranked_cells(ranking: &[Ranked], has_rate: bool) -> impl Iterator<Item = [String; 9]> {
    ranking.iter().map(move |ranked| {
        let Latency { mean, p50, p98, p99 } = ranked.latency_ns;
        let [p50, p98, p99, mean] = [p50, p98, p99, mean].map(time);
        let or_unknown = |value: Option<String>| value.unwrap_or_else(|| "?".into());
        let (cpu, wakes) = if has_rate {
            (
                ranked.cpus.map(|cpus| format!("{cpus:.2}")),
                ranked.wakes_per_second.map(|wakes| count(whole(wakes))),
            )
        } else {
            (ranked.cpu_ns_per_message.map(time), ranked.wakes_per_message.map(|wakes| format!("{wakes:.2}")))
        };
        let (behind, interval) = match &ranked.behind_first {
            None => ("first".into(), String::new()),
            Some(behind) => {
                let ends = behind.low.zip(behind.high);
                let interval = ends
                    .map_or("too few".into(), |(low, high)| format!("{} to {}", digits(low), digits(high)));
                let times = format!("{} x", digits(behind.ratio));
                (if behind.is_sure { times } else { format!("~ {times}") }, interval)
            }
        };
        let name = ranked.transport.slug.to_string();
        [name, p50, p98, p99, mean, or_unknown(cpu), or_unknown(wakes), behind, interval]
    })
}

fn notes(group: &Group) -> Vec<String> {
    let name = |place: usize| group.ranking.get(place).map(|ranked| ranked.transport.slug.to_string());
    let crossing = |crossover: &Crossover| {
        let [from, to] = [crossover.from, crossover.to].map(|end| end.map_or("?".into(), bytes));
        let (below, above) = (name(crossover.below)?, name(crossover.above)?);
        Some(format!(
            "Crossover: {above} is faster than {below} from {} ({from} to {to})",
            bytes(crossover.x)
        ))
    };
    let below = group.ranking.iter().map(|ranked| ranked.below_measured_share).fold(0.0, f64::max);
    let below = (below > 0.0).then(|| {
        format!(
            "{:.1} % of the messages are smaller than the smallest measured size; they use its cost",
            below * 100.0
        )
    });
    let unsure = group.ranking.iter().any(Ranked::is_tied);
    let unsure = unsure.then(|| "~ statistically tied with the first".to_owned());
    let unranked = group
        .not_ranked
        .iter()
        .map(|unranked| format!("Not ranked: {}. {}", unranked.transport.slug, unranked.because));
    unsure
        .into_iter()
        .chain(group.crossovers.iter().filter_map(crossing))
        .chain(below)
        .chain(unranked)
        .collect()
}

fn time(ns: f64) -> String {
    nanoseconds(whole(ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_profile_by_prefix() {
        assert_eq!(profile("chromium").unwrap().slug, "chromium-ipc");
        assert_eq!(profile("chromium-ipc").unwrap().slug, "chromium-ipc");
        for name in ["firefox", ""] {
            let failure = profile(name).unwrap_err().to_string();
            assert!(failure.contains("expected one of chromium-ipc, uniform-2-256"), "{failure}");
        }
    }
}
