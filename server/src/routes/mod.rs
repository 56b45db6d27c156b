//! One file a resource. A handler extracts, calls, maps and responds; its request and response types stand beside
//! it. SQL is in [`crate::db`], statistics in `roundtrip-stats`.

pub mod health;
pub mod ingest;
pub mod machines;
pub mod observed;
pub mod points;
pub mod projects;
pub mod runs;
pub mod series;
pub mod summaries;
