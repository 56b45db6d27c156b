//! Places commits in their project's order, from a report and the stored commits.
//!
//! An agent in a full clone sends each commit's ordinal. In a shallow clone it cannot, so the ordinal follows
//! from neighbours (a child comes one after its first parent). Without neighbours, the commit gets an
//! estimate after all others, until its ordinal is known. A known ordinal never changes, because a commit's
//! ancestors do not change.

use std::collections::HashMap;

#[derive(Clone, Copy, Debug)]
pub(super) struct Link<'a> {
    pub(super) sha: &'a str,
    pub(super) first_parent: Option<&'a str>,
    pub(super) stated: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) ordinal: i64,
    pub(super) is_estimate: bool,
}

/// Assigns ordinals to a chain of commits, newest first, and their first parents. `known` has the stored ordinals;
/// `last_ordinal` is the project's largest.
pub(super) fn place<'a>(
    chain: &[Link<'a>],
    known: &'a HashMap<String, Place>,
    last_ordinal: i64,
) -> HashMap<&'a str, Place> {
    let mut places: HashMap<&str, Place> = known.iter().map(|(sha, place)| (sha.as_str(), *place)).collect();
    for link in chain {
        let is_certain = places.get(link.sha).is_some_and(|place| !place.is_estimate);
        if let (Some(ordinal), false) = (link.stated, is_certain) {
            places.insert(link.sha, Place { ordinal, is_estimate: false });
        }
    }
    climb(chain, &mut places);
    descend(chain, &mut places);
    climb(chain, &mut places);
    let mut last_ordinal = places.values().map(|place| place.ordinal).fold(last_ordinal, i64::max);
    for link in chain.iter().rev() {
        if places.contains_key(link.sha) {
            continue;
        }
        let parent = link.first_parent.and_then(|parent| places.get(parent));
        let ordinal = parent.map_or(last_ordinal, |parent| parent.ordinal).saturating_add(1);
        last_ordinal = last_ordinal.max(ordinal);
        places.insert(link.sha, Place { ordinal, is_estimate: true });
    }
    places
}

/// From parent to child: one more.
fn climb<'a>(chain: &[Link<'a>], places: &mut HashMap<&'a str, Place>) {
    for link in chain.iter().rev() {
        if let Some(parent) = link.first_parent.and_then(|parent| places.get(parent)).copied() {
            improve(places, link.sha, parent.ordinal.saturating_add(1), parent.is_estimate);
        }
    }
}

/// From child to parent: one less.
fn descend<'a>(chain: &[Link<'a>], places: &mut HashMap<&'a str, Place>) {
    for link in chain {
        let Some(child) = places.get(link.sha).copied() else { continue };
        if let Some(parent) = link.first_parent.filter(|_| child.ordinal > 1) {
            improve(places, parent, child.ordinal - 1, child.is_estimate);
        }
    }
}

/// A certain ordinal replaces an estimate; an estimate only fills a gap.
fn improve<'a>(places: &mut HashMap<&'a str, Place>, sha: &'a str, ordinal: i64, is_estimate: bool) {
    match places.get(sha) {
        Some(place) if !place.is_estimate || is_estimate => {}
        _ => {
            places.insert(sha, Place { ordinal, is_estimate });
        }
    }
}

/// Stored commits with estimated ordinals that the `certain` ones now place: their descendants by first
/// parent.
pub(super) fn settle<'a>(
    certain: impl IntoIterator<Item = (&'a str, i64)>,
    estimates: &'a [(String, String)],
) -> Vec<(&'a str, i64)> {
    let mut children: HashMap<&str, Vec<&str>> = HashMap::new();
    for (sha, first_parent) in estimates {
        children.entry(first_parent).or_default().push(sha);
    }
    let mut settled = Vec::new();
    let mut parents: Vec<(&str, i64)> = certain.into_iter().collect();
    while let Some((parent, ordinal)) = parents.pop() {
        // Removed, so that no commit is visited twice, even with cyclic parents.
        for child in children.remove(parent).unwrap_or_default() {
            let place = (child, ordinal.saturating_add(1));
            settled.push(place);
            parents.push(place);
        }
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link<'a>(sha: &'a str, first_parent: &'a str, stated: Option<i64>) -> Link<'a> {
        Link { sha, first_parent: Some(first_parent).filter(|parent| !parent.is_empty()), stated }
    }

    /// The ordinals of the chain, in its order.
    fn placed(chain: &[Link<'_>], known: &[(&str, i64, bool)], last_ordinal: i64) -> Vec<(i64, bool)> {
        let known = known
            .iter()
            .map(|&(sha, ordinal, is_estimate)| (sha.to_owned(), Place { ordinal, is_estimate }))
            .collect();
        let places = place(chain, &known, last_ordinal);
        chain.iter().map(|link| (places[link.sha].ordinal, places[link.sha].is_estimate)).collect()
    }

    #[test]
    fn a_stated_ordinal_places_the_whole_chain() {
        let chain = [link("c", "b", Some(7)), link("b", "a", None), link("a", "", None)];
        assert_eq!(placed(&chain, &[], 0), [(7, false), (6, false), (5, false)]);
    }

    #[test]
    fn a_stored_parent_places_its_child() {
        let chain = [link("b", "a", None)];
        assert_eq!(placed(&chain, &[("a", 41, false)], 90), [(42, false)]);
    }

    #[test]
    fn a_stored_ancestor_places_the_commits_between() {
        let chain = [link("d", "c", None), link("c", "b", None)];
        assert_eq!(placed(&chain, &[("b", 2, false)], 2), [(4, false), (3, false)]);
    }

    #[test]
    fn unrelated_commits_are_estimated_after_all_others() {
        let chain = [link("y", "x", None), link("x", "", None)];
        assert_eq!(placed(&chain, &[], 10), [(12, true), (11, true)]);
    }

    #[test]
    fn a_certain_ordinal_replaces_an_estimate_and_places_neighbours() {
        let stored = [("a", 11, true), ("b", 12, true)];
        let chain = [link("b", "a", Some(3)), link("a", "", None)];
        assert_eq!(placed(&chain, &stored, 12), [(3, false), (2, false)]);
    }

    #[test]
    fn certain_ordinals_never_change() {
        assert_eq!(placed(&[link("a", "", Some(9))], &[("a", 5, false)], 5), [(5, false)]);
    }

    #[test]
    fn an_estimate_stays_until_the_ordinal_is_known() {
        assert_eq!(placed(&[link("a", "", None)], &[("a", 11, true)], 20), [(11, true)]);
    }

    #[test]
    fn a_child_corrects_a_stored_estimate() {
        let known = HashMap::from([("a".to_owned(), Place { ordinal: 30, is_estimate: true })]);
        let places = place(&[link("b", "a", Some(5))], &known, 30);
        assert_eq!(places["a"], Place { ordinal: 4, is_estimate: false });
    }

    #[test]
    fn ordinals_are_at_least_one() {
        let chain = [link("b", "a", Some(1)), link("a", "", None)];
        let places = placed(&chain, &[], 0);
        assert!(places.iter().all(|&(ordinal, _)| ordinal >= 1), "{places:?}");
    }

    #[test]
    fn settling_a_commit_settles_its_descendants() {
        let estimates = [("c".to_owned(), "b".to_owned()), ("d".to_owned(), "c".to_owned())];
        let mut settled = settle([("b", 2)], &estimates);
        settled.sort_unstable();
        assert_eq!(settled, [("c", 3), ("d", 4)]);
    }

    #[test]
    fn cyclic_parents_terminate() {
        let estimates = [("a".to_owned(), "b".to_owned()), ("b".to_owned(), "a".to_owned())];
        assert!(settle([("a", 1)], &estimates).len() <= 2);
        let chain = [link("a", "b", None), link("b", "a", None)];
        assert_eq!(placed(&chain, &[], 0).len(), 2);
    }
}
