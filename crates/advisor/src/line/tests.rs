//! How a line covers a profile.

use super::*;
use crate::Figure;
use proptest::prelude::*;

pub(crate) fn measured(message_bytes: u64, samples: &[u64]) -> Measured {
    let distribution = Distribution::of_samples(samples.to_vec()).unwrap();
    Measured { message_bytes, distribution, repetitions_ns: samples.to_vec() }
}

pub(crate) fn line(measured: &[Measured]) -> Line {
    Line::new(measured, Figure::P50.repetition_ppm()).unwrap()
}

fn flat(sizes: &[u64]) -> Line {
    line(&sizes.iter().map(|&size| measured(size, &[100])).collect::<Vec<_>>())
}

fn cover(line: &Line, sizes: &str) -> Cover {
    line.cover(&sizes.parse().unwrap())
}

#[test]
fn maps_a_measured_size_to_itself() {
    let pieces = cover(&flat(&[8, 64, 512]), "64:3,512:1").pieces;
    assert_eq!(
        pieces,
        [Piece { knot: 1, toward_next: 0.0, mass: 0.75 }, Piece { knot: 2, toward_next: 0.0, mass: 0.25 }]
    );
}

#[test]
fn splits_a_size_between_its_measured_neighbours() {
    let pieces = cover(&flat(&[100, 200]), "125:1").pieces;
    assert_eq!(pieces, [Piece { knot: 0, toward_next: 0.25, mass: 1.0 }]);
}

#[test]
fn reports_messages_outside_the_measured_sizes() {
    let found = cover(&flat(&[100, 200]), "1-99:1,150:1,201-999:2");
    assert_eq!((found.below_share, found.above_share), (0.25, 0.5));
    assert_eq!(found.pieces[0], Piece { knot: 0, toward_next: 0.0, mass: 0.25 });
    let mass: f64 = found.pieces.iter().map(|piece| piece.mass).sum();
    assert!((mass - 0.5).abs() < 1e-12);
}

#[test]
fn splits_a_bucket_at_the_measured_sizes() {
    // Of 50..=249, 50 sizes are below 100, 101 from 100 to 200, and 49 above.
    let found = cover(&flat(&[100, 200]), "50-249:1");
    assert!((found.below_share - 0.25).abs() < 1e-12 && (found.above_share - 0.245).abs() < 1e-12);
}

#[test]
fn spreads_a_bucket_evenly_over_its_sizes() {
    let found = cover(&flat(&[0, 1_000_000]), "1000-8999:1");
    let mean: f64 = found.pieces.iter().map(|piece| piece.mass * piece.toward_next * 1e6).sum();
    assert!((mean - 4_999.5).abs() < 1e-6, "{mean}");
}

/// Of ten repetitions with 100 operations, one is ten times as slow: it makes up the p99 of all operations,
/// but not the p99 of the other nine.
#[test]
fn includes_slow_repetitions_in_the_interval() {
    let samples: Vec<u64> = (0..1_000).map(|nth| if nth < 100 { 500 } else { 50 }).collect();
    let distribution = Distribution::of_samples(samples).unwrap();
    let mut repetitions_ns = vec![50; 10];
    repetitions_ns[0] = 500;
    let measured = Measured { message_bytes: 64, distribution, repetitions_ns };
    let line = Line::new(&[measured], Figure::P99.repetition_ppm()).unwrap();
    let [below, _] = line.knots[0].uncertainty;
    assert!((below - 10_f64.ln()).abs() < 1e-3, "down to what most repetitions have: {below}");
}

#[test]
fn grid_covers_all_probability() {
    let grid = Grid::get();
    assert!((grid.mass.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(grid.ppm.is_sorted() && grid.ppm.len() == 370);
}

proptest! {
    #[test]
    fn counts_each_message_once(
        knots in proptest::collection::btree_set(0_u64..5_000, 1..8),
        buckets in proptest::collection::vec((1_u64..900, 0_u64..900, 1_u64..50), 1..12),
    ) {
        let mut begin = 0;
        let buckets = buckets.iter().map(|&(gap, width, count)| {
            let from_bytes = begin + gap;
            begin = from_bytes + width;
            SizeBucket { from_bytes, to_bytes: begin, count }
        });
        let sizes = SizeHistogram::new(buckets.collect()).unwrap();
        let found = flat(&knots.into_iter().collect::<Vec<_>>()).cover(&sizes);
        let mass: f64 = found.pieces.iter().map(|piece| piece.mass).sum();
        prop_assert!((mass + found.above_share - 1.0).abs() < 1e-9, "{found:?}");
        prop_assert!(found.pieces.iter().all(|piece| (0.0..=1.0).contains(&piece.toward_next) && piece.mass > 0.0));
    }
}
