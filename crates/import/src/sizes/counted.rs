//! [`Counted`]: takes over what a format reads, bucket by bucket, and holds the bounds.

use super::fewer;
use crate::error::{Fault, Place};
use crate::{VALUES_MAX, text};
use roundtrip_wire::size_profile::{BUCKETS_MAX, InvalidSizes, SizeBucket, SizeHistogram};

/// What a file has said so far.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// Those with messages, in ascending order.
    buckets: Vec<SizeBucket>,
    last: Option<SizeBucket>,
    stated_count: Option<f64>,
    warnings: Vec<String>,
}

impl Counted {
    /// The next bucket, by size; it may be empty.
    pub(super) fn add(&mut self, bucket: SizeBucket, place: &Place) -> Result<(), Fault> {
        check(self.last, bucket, place)?;
        if self.buckets.len() == VALUES_MAX {
            return Err(place
                .clone()
                .fault(format!("expected at most {VALUES_MAX} buckets or different sizes")));
        }
        self.last = Some(bucket);
        self.buckets.extend(Some(bucket).filter(|bucket| bucket.count > 0));
        Ok(())
    }

    /// How many messages there are, as the file says beside the buckets.
    pub(super) fn state_count(&mut self, count: Option<f64>) {
        self.stated_count = count;
    }

    pub(super) fn warn(&mut self, warning: &str) {
        self.warnings.push(text::cut(warning, text::LONG));
    }

    pub(super) fn finish(mut self) -> Result<(SizeHistogram, Vec<String>), Fault> {
        let found = self.buckets.len();
        let buckets = fewer(&self.buckets, BUCKETS_MAX);
        if buckets.len() < found {
            let widest = buckets.iter().map(width).fold(0.0, f64::max);
            self.warn(&format!(
                "{found} buckets or different sizes are put together into {}, since there may be {BUCKETS_MAX}: in the \
                 widest the longest message is {:.2} % longer than the shortest",
                buckets.len(),
                widest * 100.0
            ));
        }
        let sizes = SizeHistogram::new(buckets).map_err(|invalid| {
            Place::default().fault(match invalid {
                InvalidSizes::Empty => "expected at least one message, found none".into(),
                invalid => invalid.to_string(),
            })
        })?;
        if let Some(stated) = self.stated_count.filter(|&stated| stated != sizes.count() as f64) {
            self.warn(&format!("the file states {stated} messages, and its buckets have {}", sizes.count()));
        }
        Ok((sizes, self.warnings))
    }
}

/// Whether a bucket may stand in a histogram, after the one before. What a histogram may be is its own to say.
pub(super) fn check(before: Option<SizeBucket>, bucket: SizeBucket, place: &Place) -> Result<(), Fault> {
    match SizeHistogram::new(before.into_iter().chain([bucket]).collect()) {
        Ok(_) | Err(InvalidSizes::Empty) => Ok(()),
        Err(invalid) => Err(place.clone().fault(invalid.to_string())),
    }
}

/// By what share of its shortest message the longest is longer.
fn width(bucket: &SizeBucket) -> f64 {
    (bucket.to_bytes - bucket.from_bytes) as f64 / bucket.from_bytes.max(1) as f64
}
