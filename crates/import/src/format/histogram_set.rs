//! `HistogramSet` of Chromium (Catapult): a JSON array of histograms and of their shared diagnostics.
//!
//! Histograms with the same name, stories, label and unit are repetitions of one benchmark. The stories are part of
//! its name, also the benchmark and the bot if they differ from those of an earlier histogram; the label (the build, if a
//! file compares several) is the variant. `sampleValues` may be a random part of the samples, so they count as samples only
//! if there are as many as were counted. Otherwise the stated mean and extremes become a summary; bins are not turned into
//! values. Histograms in `ms` are times, unless more is better. Other units are measures.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::format_probe::FormatProbe;
use crate::json::{self, List, Loose, visited};
use crate::quantity::Quantity;
use crate::time::Scale;
use crate::{Statistic, Summary, VALUES_MAX};
use roundtrip_wire::Better;
use serde::Deserialize;
use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess};
use std::collections::HashMap;

pub(super) const READER: Reader =
    Reader { slug: "histogram-set", title: "Chromium HistogramSet (JSON)", detect: is_histogram_set, read };

/// Whether a file is a `HistogramSet`, of times or of anything else.
pub(crate) fn is_histogram_set(probe: &FormatProbe<'_>) -> bool {
    let figures = ["running", "sampleValues", "allBins", "binBoundaries"];
    probe.outline().elements().iter().any(|element| {
        element.has("name") && element.has("unit") && figures.iter().any(|name| element.has(name))
    })
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "an object")]
struct Element {
    name: Option<String>,
    unit: Option<String>,
    guid: Option<String>,
    values: Texts,
    diagnostics: Diagnostics,
    sample_values: Samples,
    running: List<Loose, 7>,
}

/// The diagnostics of a histogram that distinguish benchmarks or are facts.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "an object")]
struct Diagnostics {
    stories: Diagnostic,
    labels: Diagnostic,
    bots: Diagnostic,
    os_names: Diagnostic,
    os_versions: Diagnostic,
    architectures: Diagnostic,
    benchmarks: Diagnostic,
    chromium_commit_positions: Diagnostic,
    chromium_revisions: Diagnostic,
}

/// A shared diagnostic, named by its id, or an inline one.
#[derive(Default)]
enum Diagnostic {
    #[default]
    None,
    Shared(String),
    Own(Texts),
}

visited! { Diagnostic, "a text or an object", deserialize_any,
    fn visit_str<E>(self, guid: &str) -> Result<Diagnostic, E> {
        Ok(Diagnostic::Shared(guid.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Diagnostic, A::Error> {
        let mut texts = Texts::default();
        while let Some(name) = map.next_key::<String>()? {
            if name == "values" {
                texts = map.next_value()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Diagnostic::Own(texts))
    }
}

/// The numbers of a list of at most [`VALUES_MAX`] values, and how many other values it has.
#[derive(Default)]
struct Samples {
    numbers: Vec<f64>,
    others: usize,
}

visited! { Samples, "a list", deserialize_seq,
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Samples, A::Error> {
        let mut samples = Samples::default();
        while let Some(value) = seq.next_element::<Loose>()? {
            if samples.numbers.len() + samples.others == VALUES_MAX {
                return Err(A::Error::custom(format!("expected at most {VALUES_MAX} elements")));
            }
            match value.number() {
                Some(number) => samples.numbers.push(number),
                None => samples.others += 1,
            }
        }
        Ok(samples)
    }
}

/// The first texts and numbers of a list, separated by commas; empty for any other value.
#[derive(Default)]
struct Texts(String);

const TEXTS_MAX: usize = 16;
visited! { Texts, "a list or an object", deserialize_any,
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Texts, A::Error> {
        let (mut texts, mut count) = (String::new(), 0);
        while let Some(value) = seq.next_element::<Loose>()? {
            if let Some(text) = value.fact().filter(|_| count < TEXTS_MAX) {
                texts += if count == 0 { "" } else { "," };
                texts += &text;
                count += 1;
            }
        }
        Ok(Texts(texts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Texts, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Texts::default())
    }
}

/// The most elements of the array. Most of them are shared diagnostics, few are histograms.
pub(crate) const ELEMENTS_MAX: usize = 600_000;

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let elements = json::list::<Element, ELEMENTS_MAX>(text)?;
    let mut shared = HashMap::new();
    elements.each(|_, element| {
        shared.extend(element.guid.map(|guid| (guid, element.values.0)));
        Ok(())
    })?;
    let mut sources = Sources::default();
    elements.each(|index, element| read_element(index, element, &shared, &mut sources, collector))
}

/// The benchmark and the bot of the first histogram of each name, stories and label.
#[derive(Default)]
struct Sources(HashMap<(String, Option<String>), [String; 2]>);

impl Sources {
    /// Adds the benchmark and the bot to the name if they differ from the first.
    fn distinguish(&mut self, entry: Entry, source: [String; 2]) -> Entry {
        let key = (entry.name.clone(), entry.variant.clone());
        let first = self.0.entry(key).or_insert_with(|| source.clone());
        let other: Vec<_> = first
            .iter()
            .zip(source)
            .zip(["benchmark", "bot"])
            .filter(|((first, this), _)| *first != this)
            .map(|((_, this), name)| format!("{name} = {this}"))
            .collect();
        match other.is_empty() {
            true => entry,
            false => Entry { name: format!("{} ({})", entry.name, other.join(", ")), ..entry },
        }
    }
}

/// `shared` are the texts of diagnostics by their ids.
fn read_element(
    index: usize,
    element: Element,
    shared: &HashMap<String, String>,
    sources: &mut Sources,
    collector: &mut Collector,
) -> Result<(), Fault> {
    let (Some(name), Some(unit)) = (&element.name, &element.unit) else { return Ok(()) };
    let texts = |diagnostic: &Diagnostic| match diagnostic {
        Diagnostic::None => None,
        Diagnostic::Shared(guid) => shared.get(guid).cloned(),
        Diagnostic::Own(texts) => Some(texts.0.clone()),
    };
    let diagnostics = &element.diagnostics;
    let (bots, benchmarks) = (texts(&diagnostics.bots), texts(&diagnostics.benchmarks));
    collector.fact("host", bots.as_ref());
    collector.fact("os", texts(&diagnostics.os_names));
    collector.fact("os_release", texts(&diagnostics.os_versions));
    collector.fact("architecture", texts(&diagnostics.architectures));
    collector.fact("benchmark", benchmarks.as_ref());
    collector.fact("commit_position", texts(&diagnostics.chromium_commit_positions));
    collector.fact("commit", texts(&diagnostics.chromium_revisions));
    let Some(values) = Values::from_unit(unit) else {
        collector.skip(format!("{name}: skipped; {unit} is a point in time"));
        return Ok(());
    };
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let stories =
        filled(texts(&diagnostics.stories)).map(|stories| format!(" {stories}")).unwrap_or_default();
    let entry =
        Entry { variant: filled(texts(&diagnostics.labels)), ..Entry::new(format!("{name}{stories}"), 1) };
    let entry = sources.distinguish(entry, [benchmarks, bots].map(Option::unwrap_or_default));
    histogram(&entry, element, &values, &format!("[{index}]"), collector)
}

/// The meaning of a histogram's values.
enum Values {
    /// Times of an operation, in milliseconds.
    Times,
    /// Another quantity, and the factor of its values.
    Measure(Quantity, f64),
}

impl Values {
    /// `None` for points in time. A unit without a direction is better if lower, a rate if higher.
    fn from_unit(unit: &str) -> Option<Self> {
        let (base, stated) = if let Some(base) = unit.strip_suffix("_biggerIsBetter") {
            (base, Some(Better::Higher))
        } else if let Some(base) = unit.strip_suffix("_smallerIsBetter") {
            (base, Some(Better::Lower))
        } else {
            (unit, None)
        };
        let lower = stated.unwrap_or(Better::Lower);
        let higher = stated.unwrap_or(Better::Higher);
        Some(match base {
            "tsMs" => return None,
            "ms" | "msBestFitFormat" if lower == Better::Lower => Self::Times,
            "ms" | "msBestFitFormat" => Self::Measure(Quantity::new(base, "ns", higher).whole(), 1e6),
            "sizeInBytes" => Self::Measure(Quantity::new(base, "B", lower).whole(), 1.0),
            "bytesPerSecond" => Self::Measure(Quantity::new(base, "B/s", higher).whole(), 1.0),
            "Hz" => Self::Measure(Quantity::new(base, "Hz", higher), 1.0),
            "count" => Self::Measure(Quantity::new(base, "", lower), 1.0),
            "n%" | "unitless" | "sigma" => Self::Measure(Quantity::fine(base, "", lower), 1.0),
            _ => Self::Measure(Quantity::fine(base, base, lower), 1.0),
        })
    }

    fn stored(&self, value: f64) -> Result<u64, String> {
        match self {
            Self::Times => Scale::per_one(1e6).time(value),
            Self::Measure(quantity, factor) => quantity.stored(value * factor),
        }
    }
}

fn histogram(
    entry: &Entry,
    element: Element,
    values: &Values,
    path: &str,
    collector: &mut Collector,
) -> Result<(), Fault> {
    let Samples { numbers, others } = element.sample_values;
    let running = Running::from_figures(&element.running.0);
    let is_all = running.as_ref().is_some_and(|running| running.count == numbers.len() as f64);
    if others > 0 {
        collector.skip(format!("{}: skipped {others} samples that are not numbers", entry.name));
    }
    let (entry, is_time) = match values {
        Values::Times => (entry.clone(), true),
        Values::Measure(quantity, _) => (entry.of(quantity), false),
    };
    let member = if is_all && !numbers.is_empty() { "sampleValues" } else { "running" };
    let place = Place::member(format!("{path}.{member}"));
    let added = if member == "sampleValues" {
        let stored = numbers.into_iter().map(|value| values.stored(value)).collect::<Result<Vec<_>, _>>();
        stored.map(|stored| collector.samples(&entry, stored, &place))
    } else if let Some(running) = running {
        let summary = running.summary(values);
        summary.map(|summary| {
            collector.warn(format!("{}: the file does not contain all samples", entry.name));
            collector.summary(&entry, summary, &place)
        })
    } else {
        collector.skip(format!("{}: skipped; samples incomplete and no mean", entry.name));
        return Ok(());
    };
    match added {
        Ok(added) => added,
        Err(problem) if is_time => Err(place.fault(problem)),
        // Differences of sizes or counts may be negative.
        Err(problem) => {
            collector.skip(format!("{}: skipped; {problem}", entry.name));
            Ok(())
        }
    }
}

pub(crate) struct Running {
    pub(crate) count: f64,
    pub(crate) max: Option<f64>,
    mean: f64,
    pub(crate) min: Option<f64>,
}

impl Running {
    /// Reads the list by position: count, max, mean of the logarithms, mean, min, sum, variance.
    pub(crate) fn from_figures(figures: &[Loose]) -> Option<Self> {
        let [count, max, _, mean, min, _, _] = figures else { return None };
        let count = count.number().filter(|count| *count >= 1.0)?;
        Some(Self { count, max: max.number(), mean: mean.number()?, min: min.number() })
    }

    fn summary(&self, values: &Values) -> Result<Summary, String> {
        let stored = |value: Option<f64>| value.map(|value| values.stored(value)).transpose();
        Ok(Summary {
            min_ns: stored(self.min)?,
            max_ns: stored(self.max)?,
            count: json::whole(self.count),
            ..Summary::new(Statistic::Mean, values.stored(self.mean)?)
        })
    }
}
