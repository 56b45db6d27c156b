//! Ranks the transports of one machine that have comparable results.

use super::answer;
use super::{
    AdviceChange, AdviceGroup, AdvisedLatency, BehindFirst, MeasuredSize, OVER, RankedTransport,
    UnrankedTransport,
};
use crate::charts::crossover::{self, comparable_facts};
use crate::charts::members;
use crate::charts::sweep::Facts;
use roundtrip_advisor::ranking::{Behind, LEFT_OUT_MAX, Ranked};
use roundtrip_advisor::{Figure, Line, Measured, rank};
use roundtrip_stats::{Distribution, crossover as crossing};
use roundtrip_storage::run::Outcome;
use roundtrip_wire::TransportInfo;
use roundtrip_wire::size_profile::SizeHistogram;
use std::collections::BTreeMap;

/// A series of one size, with its newest point.
#[derive(Debug)]
pub struct Member {
    /// The series and its point.
    pub of_a_size: members::Member,
    /// None if retention deleted it.
    pub(super) histogram: Option<Vec<u8>>,
    /// The run's other facts about the case.
    pub outcome: Outcome,
}

/// What the advice is for.
#[derive(Debug)]
pub struct Wanted {
    /// The distribution of message sizes.
    pub sizes: SizeHistogram,
    /// The statistic to rank by.
    pub by: Figure,
    /// Messages per second, if known.
    pub rate_per_second: Option<f64>,
}

/// A transport with its results by message size.
struct Candidate<'a> {
    transport: &'a TransportInfo,
    facts: &'a Facts,
    members: Vec<&'a Member>,
}

/// The groups of one machine, those with the most results first.
pub fn of_machine<'m>(members: impl IntoIterator<Item = &'m Member>, wanted: &Wanted) -> Vec<AdviceGroup> {
    let members: Vec<&Member> = members.into_iter().collect();
    let lines = members::lines(OVER, members.iter().map(|member| &member.of_a_size));
    let mut groups: BTreeMap<(BTreeMap<&str, &str>, bool), Vec<Candidate<'_>>> = BTreeMap::new();
    for line in &lines {
        let places = line.members.iter().filter_map(|&(_, place)| members.get(place).copied());
        let (over, within): (Vec<&Member>, Vec<&Member>) =
            places.partition(|member| member.of_a_size.point.oversubscribed);
        for (oversubscribed, members) in [(true, over), (false, within)] {
            let Some(first) = members.first() else { continue };
            let transport = &first.of_a_size.series.transport;
            let candidate = Candidate { transport, facts: &line.facts, members };
            groups.entry((comparable_facts(&line.facts), oversubscribed)).or_default().push(candidate);
        }
    }
    let mut groups: Vec<AdviceGroup> = groups
        .into_iter()
        .map(|((case, oversubscribed), candidates)| group(&case, oversubscribed, candidates, wanted))
        .collect();
    // Stable, so that groups with equal counts stay ordered by case.
    groups.sort_by_key(|group| std::cmp::Reverse(group.ranking.len()));
    groups
}

fn group(
    case: &BTreeMap<&str, &str>,
    oversubscribed: bool,
    candidates: Vec<Candidate<'_>>,
    wanted: &Wanted,
) -> AdviceGroup {
    let members = candidates.iter().flat_map(|candidate| &candidate.members).map(|member| &member.of_a_size);
    // Run ids begin with the time.
    let newest = members.max_by_key(|member| member.point.run_id);
    let environment_id = newest.map_or(0, |member| member.point.environment_id);
    let machine = newest.map(|member| member.series.machine.clone()).unwrap_or_default();
    let distinguished_by = distinguishing_facts(&candidates);
    let mut not_ranked = Vec::new();
    let mut lines = Vec::new();
    let mut ranked_candidates = Vec::new();
    for mut candidate in candidates {
        match candidate.line(environment_id, wanted.by) {
            Ok(line) => {
                lines.push(line);
                ranked_candidates.push(candidate);
            }
            Err(because) => not_ranked.push(candidate.unranked(&distinguished_by, because)),
        }
    }
    let found = rank(&lines, &wanted.sizes, wanted.by);
    for &(place, above_share) in &found.not_ranked {
        let [_, longest] = lines[place].measured_bytes();
        let because = answer::too_short(above_share, longest, LEFT_OUT_MAX);
        not_ranked.push(ranked_candidates[place].unranked(&distinguished_by, because));
    }
    let ranking: Vec<RankedTransport> = found
        .ranked
        .iter()
        .filter_map(|ranked| {
            let candidate = &ranked_candidates[ranked.line];
            candidate.ranked(ranked, &lines[ranked.line], &distinguished_by, wanted)
        })
        .collect();
    let places: Vec<usize> = found.ranked.iter().map(|ranked| ranked.line).collect();
    let place_of = |line: usize| places.iter().position(|&place| place == line);
    let would_change: Vec<AdviceChange> = found
        .would_change
        .iter()
        .filter_map(|change| Some(AdviceChange { factor: change.factor, place: place_of(change.line)? }))
        .collect();
    let measured: Vec<_> = places.iter().map(|&line| ranked_candidates[line].measured()).collect();
    let crossovers = measured.first().map_or_else(Vec::new, |first| {
        let others = measured.iter().enumerate().skip(1);
        let found = others.flat_map(|(place, other)| crossover::of_pair([0, place], first, other));
        // A crossover that is open on both sides says nothing.
        found.filter(|crossover| crossover.from.is_some() || crossover.to.is_some()).collect()
    });
    AdviceGroup {
        machine,
        environment_id,
        case: case.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        oversubscribed,
        answer: answer::answer(&ranking, &would_change, wanted.by),
        ranking,
        not_ranked,
        crossovers,
        would_change,
    }
}

/// The facts that differ between transports, except the transport itself.
fn distinguishing_facts(candidates: &[Candidate<'_>]) -> Vec<String> {
    let Some(first) = candidates.first() else { return Vec::new() };
    let names = candidates.iter().flat_map(|candidate| candidate.facts.keys());
    let mut names: Vec<String> = names
        .filter(|name| name.as_str() != "transport")
        .filter(|name| candidates.iter().any(|other| other.facts.get(*name) != first.facts.get(*name)))
        .cloned()
        .collect();
    names.sort();
    names.dedup();
    names
}

impl Candidate<'_> {
    /// The line of the results in one environment. Removes the results of other environments.
    ///
    /// # Errors
    /// Why it cannot be ranked, as a sentence.
    fn line(&mut self, environment_id: i64, by: Figure) -> Result<Line, String> {
        let batch = self.members.first().map_or(1, |member| member.of_a_size.series.methodology.batch);
        if let Some(because) = by.unknown_in_batches(batch) {
            return Err(because);
        }
        self.members.retain(|member| member.of_a_size.point.environment_id == environment_id);
        if self.members.is_empty() {
            return Err("Measured in an older environment of the machine: measure it again.".into());
        }
        self.members.retain(|member| !member.of_a_size.point.lossy);
        if self.members.is_empty() {
            return Err("It lost messages.".into());
        }
        let measured: Vec<Measured> = self.members.iter().filter_map(|member| member.decoded(by)).collect();
        Line::new(&measured, by.repetition_ppm())
            .ok_or_else(|| "Its distributions were deleted by the retention settings.".into())
    }

    fn measured(&self) -> Vec<crossing::Measured> {
        let at_size = |member: &&Member| crossover::measured_at(member.of_a_size.x, &member.of_a_size.point);
        self.members.iter().filter_map(at_size).collect()
    }

    fn facts_of(&self, names: &[String]) -> BTreeMap<String, String> {
        let fact = |name: &String| Some((name.clone(), self.facts.get(name)?.clone()));
        names.iter().filter_map(fact).collect()
    }

    fn unranked(&self, distinguished_by: &[String], because: String) -> UnrankedTransport {
        UnrankedTransport {
            transport: self.transport.clone(),
            distinguishing: self.facts_of(distinguished_by),
            because,
        }
    }

    fn ranked(
        &self,
        ranked: &Ranked,
        line: &Line,
        distinguished_by: &[String],
        wanted: &Wanted,
    ) -> Option<RankedTransport> {
        let first = self.members.first()?;
        let expected = |of: fn(&Member) -> Option<f64>| {
            ranked.mixture.expected_cost(line, |bytes| {
                of(self.members.iter().find(|member| member.of_a_size.x == bytes)?)
            })
        };
        let (cpu_ns, wakes) = (expected(Member::cpu_ns), expected(Member::wakes));
        let rate = wanted.rate_per_second;
        Some(RankedTransport {
            transport: self.transport.clone(),
            distinguishing: self.facts_of(distinguished_by),
            receive: first.of_a_size.series.methodology.receive.clone(),
            latency_ns: AdvisedLatency {
                mean: ranked.mixture.mean_ns,
                p50: ranked.mixture.p50_ns,
                p98: ranked.mixture.p98_ns,
                p99: ranked.mixture.p99_ns,
            },
            cpu_ns_per_message: cpu_ns,
            wakes_per_message: wakes,
            cpus: cpu_ns.zip(rate).map(|(ns, rate)| ns * rate / 1e9),
            wakes_per_second: wakes.zip(rate).map(|(wakes, rate)| wakes * rate),
            behind_first: ranked.behind.map(BehindFirst::from),
            below_measured_share: ranked.mixture.below_share(),
            above_measured_share: ranked.mixture.above_share(),
            measured: self.members.iter().map(|member| MeasuredSize::from(*member)).collect(),
        })
    }
}

impl Member {
    fn cpu_ns(&self) -> Option<f64> {
        self.outcome.cpu_ns_per_message.map(|ns| ns as f64)
    }

    /// How often an end sleeps and is woken per message.
    fn wakes(&self) -> Option<f64> {
        self.outcome.wakes_per_1000_messages.map(|wakes| wakes as f64 / 1_000.0)
    }

    /// The size, the times, and the figure of each repetition, for the uncertainty.
    fn decoded(&self, by: Figure) -> Option<Measured> {
        let point = &self.of_a_size.point;
        let ends = [point.latency_ns_min, point.latency_ns_max, point.latency_ns_sum];
        let [min_ns, max_ns, sum_ns] = ends.map(i64::cast_unsigned);
        let distribution =
            Distribution::of_stored(self.histogram.as_deref()?, (min_ns, max_ns, sum_ns)).ok()?;
        let repetitions = match by {
            Figure::Mean | Figure::P50 => &point.repetition_p50_ns,
            Figure::P98 | Figure::P99 => &point.repetition_p99_ns,
        };
        let repetitions_ns = repetitions.iter().map(|ns| ns.cast_unsigned()).collect();
        Some(Measured { message_bytes: self.of_a_size.x, distribution, repetitions_ns })
    }
}

impl From<Behind> for BehindFirst {
    fn from(behind: Behind) -> Self {
        let [low, high] = behind.interval.map_or([None; 2], |ends| ends.map(Some));
        Self { ratio: behind.ratio, low, high, is_sure: behind.is_sure() }
    }
}

impl From<&Member> for MeasuredSize {
    fn from(member: &Member) -> Self {
        let point = &member.of_a_size.point;
        Self {
            message_bytes: member.of_a_size.x,
            series_id: point.series_id,
            run_id: point.run_id,
            commit_sha: point.commit_sha.clone(),
            p50_ns: point.latency_ns_p50,
            p98_ns: point.latency_ns_p98,
            p99_ns: point.latency_ns_p99,
        }
    }
}
