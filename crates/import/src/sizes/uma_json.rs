//! A histogram of Chromium's UMA as JSON: `name` and `buckets`, each with `low`, `high` (excluded) and
//! `count`.
//!
//! Accepted forms: the histogram alone, as `base::HistogramBase::WriteJSON` writes it; in a list; as the
//! member `histogram` or in the list `histograms`, as returned by the devtools methods `Browser.getHistogram`
//! and `Browser.getHistograms` and written by `base::StatisticsRecorder::ToJSON`. Exactly one histogram may
//! have messages. The ASCII graphs of `ToGraphDict` for the page `chrome://histograms` are not read.
//!
//! The last bucket holds all longer messages: `WriteJSON` leaves out its `high`, the protocol returns the
//! largest possible sample. Messages in it have no known size, so they are rejected.

use super::{Counted, Reader, names};
use crate::VALUES_MAX;
use crate::fault::{Fault, Place, cut};
use crate::format_probe::Outline;
use crate::json::{self, List, Loose};
use roundtrip_wire::size_profile::SizeBucket;
use serde::Deserialize;

pub(super) const READER: Reader = Reader {
    slug: "uma-json",
    title: "Chromium UMA histogram (JSON)",
    detect: |probe| {
        let outline = probe.outline();
        let has_buckets = |outline: Option<&Outline>| outline.is_some_and(|outline| outline.has("buckets"));
        let buckets = outline.get("buckets").map(Outline::elements).unwrap_or_default();
        buckets.first().is_some_and(|bucket| bucket.has("low"))
            || has_buckets(outline.get("histogram"))
            || has_buckets(outline.get("histograms").and_then(|list| list.elements().first()))
            || has_buckets(outline.elements().first())
    },
    read,
};

/// `base::HistogramBase::kSampleType_MAX`, the largest `int`: the end of the unbounded bucket.
const SAMPLE_MAX: u64 = 0x7fff_ffff;
/// The most histograms in a file. A browser has several thousand.
const HISTOGRAMS_MAX: usize = 100_000;

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object")]
struct Histogram {
    name: Loose,
    count: Loose,
    buckets: List<Bucket, VALUES_MAX>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Bucket {
    low: u64,
    high: Option<u64>,
    count: u64,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Outer {
    histogram: Option<Histogram>,
    histograms: Option<List<Histogram, HISTOGRAMS_MAX>>,
    #[serde(default)]
    name: Loose,
    #[serde(default)]
    count: Loose,
    buckets: Option<List<Bucket, VALUES_MAX>>,
}

fn read(text: &str, counted: &mut Counted) -> Result<(), Fault> {
    let mut with_messages = histograms(text)?.into_iter().filter(|(_, histogram)| histogram.has_messages());
    let Some((path, histogram)) = with_messages.next() else {
        return Err(Place::default().fault("expected a histogram with messages, found none"));
    };
    let others: Vec<String> = with_messages.map(|(_, other)| other.name()).collect();
    if !others.is_empty() {
        return Err(Place::default().fault(format!(
            "expected one histogram with messages, found {}: {}",
            others.len() + 1,
            names([histogram.name()].into_iter().chain(others))
        )));
    }
    counted.state_count(histogram.count.number());
    for (index, Bucket { low, high, count }) in histogram.buckets.0.into_iter().enumerate() {
        let place = Place::member(format!("{path}buckets[{index}]"));
        match high.filter(|&high| high != SAMPLE_MAX) {
            Some(high) if high <= low => {
                return Err(place.fault(format!("expected `high` above `low` ({low}), found {high}")));
            }
            Some(high) => {
                counted.add(SizeBucket { from_bytes: low, to_bytes: high - 1, count }, &place)?;
            }
            None if count > 0 => {
                return Err(place.fault(format!(
                    "unbounded bucket: {count} messages have {low} bytes or more. Set `high`, or remove the bucket"
                )));
            }
            None => {}
        }
    }
    Ok(())
}

fn histograms(text: &str) -> Result<Vec<(String, Histogram)>, Fault> {
    let listed = |list: List<Histogram, HISTOGRAMS_MAX>, path: &str| {
        let each = list.0.into_iter().enumerate();
        each.map(|(index, histogram)| (format!("{path}[{index}]."), histogram)).collect()
    };
    if text.trim_start().starts_with('[') {
        return Ok(listed(json::read(text)?, ""));
    }
    let Outer { histogram, histograms, name, count, buckets } = json::read(text)?;
    Ok(match (buckets, histogram, histograms) {
        (Some(buckets), _, _) => vec![(String::new(), Histogram { name, count, buckets })],
        (_, Some(histogram), _) => vec![("histogram.".into(), histogram)],
        (_, _, Some(list)) => listed(list, "histograms"),
        _ => {
            return Err(Place::default().fault("expected `buckets`, `histogram` or `histograms`, found none"));
        }
    })
}

impl Histogram {
    fn has_messages(&self) -> bool {
        self.buckets.0.iter().any(|bucket| bucket.count > 0)
    }

    fn name(&self) -> String {
        cut(&self.name.fact().unwrap_or_else(|| "unnamed".into()), 60)
    }
}
