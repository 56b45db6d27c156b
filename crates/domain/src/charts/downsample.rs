//! Selects the points of a line to draw when a chart cannot show them all.
//!
//! The line is divided into stretches of equal length. Of each stretch, the first and last point are drawn,
//! and the points with the smallest and largest value of each figure, as in M4 (Jugel, Jerzak, Hackenbroich
//! and Markl, VLDB 2014). If a stretch is no wider than a pixel, the picture equals that of all points. All
//! drawn points are measured ones, and every spike is kept.

/// The indices of the points to draw, ascending: at most `count_max`. All columns of `figures` have one value
/// per point. Earlier columns take precedence when there is not enough room.
pub fn drawn(figures: &[&[i64]], count_max: usize) -> Vec<usize> {
    let count = figures.first().map_or(0, |figure| figure.len());
    if count <= count_max {
        return (0..count).collect();
    }
    // Its ends, and two extremes of each figure.
    let of_stretch = 2 + 2 * figures.len();
    let stretches = (count_max / of_stretch).max(1);
    let mut places = Vec::with_capacity(stretches * of_stretch);
    for stretch in 0..stretches {
        let (from, to) = (stretch * count / stretches, (stretch + 1) * count / stretches);
        let begin = places.len();
        places.extend([from, to - 1]);
        for figure in figures {
            let values = || figure[from..to].iter().zip(from..);
            places.extend(values().max_by_key(|&(value, _)| value).map(|(_, place)| place));
            places.extend(values().min_by_key(|&(value, _)| value).map(|(_, place)| place));
        }
        // If there is room for less than one stretch.
        places.truncate(begin + of_stretch.min(count_max));
        places[begin..].sort_unstable();
    }
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_ends_and_extremes_of_every_stretch(
            points in proptest::collection::vec((0..1_000_i64, any::<i64>()), 1..3_000), count_max in 6..700_usize,
        ) {
            let (one, other): (Vec<i64>, Vec<i64>) = points.into_iter().unzip();
            let places = drawn(&[&one, &other], count_max);
            prop_assert!(places.len() <= count_max, "{}", places.len());
            prop_assert!(places.is_sorted_by(|a, b| a < b));
            let stretches = if one.len() <= count_max { one.len() } else { count_max / 6 };
            for stretch in 0..stretches {
                let (from, to) = (stretch * one.len() / stretches, (stretch + 1) * one.len() / stretches);
                let kept: Vec<usize> = places.iter().copied().filter(|place| (from..to).contains(place)).collect();
                prop_assert_eq!((kept.first(), kept.last()), (Some(&from), Some(&(to - 1))));
                for figure in [&one, &other] {
                    let kept = || kept.iter().map(|&place| figure[place]);
                    let all = || figure[from..to].iter().copied();
                    prop_assert_eq!((kept().min(), kept().max()), (all().min(), all().max()));
                }
            }
        }

        #[test]
        fn keeps_all_points_that_fit(figure in proptest::collection::vec(any::<i64>(), 0..300), more in 0..10_usize) {
            let all: Vec<usize> = (0..figure.len()).collect();
            prop_assert_eq!(drawn(&[&figure, &figure], figure.len() + more), all);
        }

        #[test]
        fn with_little_room_draws_ends_then_the_largest_value(
            figure in proptest::collection::vec(any::<i64>(), 7..300), count_max in 2..6_usize,
        ) {
            let places = drawn(&[&figure, &figure], count_max);
            prop_assert!(places.len() <= count_max && places.is_sorted_by(|a, b| a < b));
            prop_assert_eq!((places.first(), places.last()), (Some(&0), Some(&(figure.len() - 1))));
            let largest = places.iter().map(|&place| figure[place]).max();
            prop_assert!(count_max == 2 || largest == figure.iter().copied().max());
        }
    }

    #[test]
    fn keeps_single_spikes_of_every_figure() {
        let flat = vec![100; 10_000];
        let mut spiked = flat.clone();
        spiked[6_543] = 900;
        assert!(drawn(&[&spiked, &flat], 500).contains(&6_543));
        assert!(drawn(&[&flat, &spiked], 500).contains(&6_543));
    }

    #[test]
    fn no_points_draw_nothing() {
        assert_eq!(drawn(&[], 3), [0_usize; 0]);
    }
}
