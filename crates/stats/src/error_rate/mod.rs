//! How often is what is said wrong, and what would be found? Told of the data themselves, not of a simulation.
//!
//! - [`history`]: of changes in series, by series without a change that are put together from what a series really scatters.
//! - [`halves`]: of comparisons, by runs whose repetitions are compared with each other.
//!
//! Both are computed with the rules that are shipped, give counts that can be added up, and are the same for the same seed.

pub mod halves;
pub mod history;
