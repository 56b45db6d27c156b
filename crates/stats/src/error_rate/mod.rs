//! False-positive and detection rates, computed from real measurements instead of an assumed distribution.
//!
//! - [`history`]: change detection, on series without a change that are resampled from the noise of a real series.
//! - [`halves`]: comparisons, on runs whose repetitions are compared with each other.
//!
//! Both apply the shipped rules, return counts that can be added up, and are reproducible from a seed.

pub mod halves;
pub mod history;
