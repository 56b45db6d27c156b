//! `HistogramSet` of Chromium (Catapult): a JSON array of histograms and of their shared diagnostics.
//!
//! Histograms with the same name, stories and label are repetitions of one benchmark. The stories are part of
//! its name; the label (the build, if a file compares several) is the variant. `sampleValues` may be a random
//! part of the samples, so they count as samples only if there are as many as were counted. Otherwise the
//! stated mean and extremes become a summary; bins are not turned into values. Only histograms in `ms` are
//! times. Those in which more is better are left out.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::format_probe::FormatProbe;
use crate::json::{self, List, Loose, visited};
use crate::time::Scale;
use crate::{Statistic, Summary, VALUES_MAX};
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
pub(crate) const ELEMENTS_MAX: usize = 200_000;

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    let elements = json::list::<Element, ELEMENTS_MAX>(text)?;
    let mut shared = HashMap::new();
    elements.each(|_, element| {
        shared.extend(element.guid.map(|guid| (guid, element.values.0)));
        Ok(())
    })?;
    elements.each(|index, element| read_element(index, element, &shared, collector))
}

/// `shared` are the texts of diagnostics by their ids.
fn read_element(
    index: usize,
    element: Element,
    shared: &HashMap<String, String>,
    collector: &mut Collector,
) -> Result<(), Fault> {
    let (Some(name), Some(unit)) = (&element.name, &element.unit) else { return Ok(()) };
    let texts = |diagnostic: &Diagnostic| match diagnostic {
        Diagnostic::None => None,
        Diagnostic::Shared(guid) => shared.get(guid).cloned(),
        Diagnostic::Own(texts) => Some(texts.0.clone()),
    };
    let diagnostics = &element.diagnostics;
    collector.fact("host", texts(&diagnostics.bots));
    collector.fact("os", texts(&diagnostics.os_names));
    collector.fact("os_release", texts(&diagnostics.os_versions));
    collector.fact("architecture", texts(&diagnostics.architectures));
    collector.fact("benchmark", texts(&diagnostics.benchmarks));
    collector.fact("commit_position", texts(&diagnostics.chromium_commit_positions));
    collector.fact("commit", texts(&diagnostics.chromium_revisions));
    if !matches!(
        unit.as_str(),
        "ms" | "ms_smallerIsBetter" | "msBestFitFormat" | "msBestFitFormat_smallerIsBetter"
    ) {
        collector.warn(format!("{name}: skipped; its unit {unit} is not a time where lower is better"));
        return Ok(());
    }
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let stories =
        filled(texts(&diagnostics.stories)).map(|stories| format!(" {stories}")).unwrap_or_default();
    let entry =
        Entry { variant: filled(texts(&diagnostics.labels)), ..Entry::new(format!("{name}{stories}"), 1) };
    histogram(&entry, element, &format!("[{index}]"), collector)
}

fn histogram(entry: &Entry, element: Element, path: &str, collector: &mut Collector) -> Result<(), Fault> {
    let Samples { numbers, others } = element.sample_values;
    let running = Running::from_figures(&element.running.0);
    let is_all = running.as_ref().is_some_and(|running| running.count == numbers.len() as f64);
    if others > 0 {
        collector.warn(format!("{}: skipped {others} samples that are not numbers", entry.name));
    }
    if is_all && !numbers.is_empty() {
        let place = Place::member(format!("{path}.sampleValues"));
        let times = numbers.into_iter().map(|value| scale().time(value)).collect::<Result<_, _>>();
        let times = times.map_err(|problem| place.fault(problem))?;
        return collector.samples(entry, times, &place);
    }
    let Some(running) = running else {
        collector.warn(format!("{}: skipped; samples incomplete and no mean", entry.name));
        return Ok(());
    };
    let place = Place::member(format!("{path}.running"));
    let summary = running.summary().map_err(|problem| place.fault(problem))?;
    collector.warn(format!("{}: the file does not contain all samples", entry.name));
    collector.summary(entry, summary, &place)
}

/// In milliseconds.
fn scale() -> Scale {
    Scale::per_one(1e6)
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

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 2^53")]
    fn summary(&self) -> Result<Summary, String> {
        let time = |value: Option<f64>| value.map(|value| scale().time(value)).transpose();
        Ok(Summary {
            min_ns: time(self.min)?,
            max_ns: time(self.max)?,
            count: (self.count <= 9e15).then_some(self.count as u64),
            ..Summary::new(Statistic::Mean, scale().time(self.mean)?)
        })
    }
}
