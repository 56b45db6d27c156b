//! [`Graph`]: the stored commits and their parents, and where two lines diverge.
//!
//! The stored graph is incomplete: agents send first parents only, so the other parents of a merge are often
//! unknown, and a shallow clone has no parents at its bottom. An answer says if a better one could lie beyond
//! such an end. An end is never treated as a root.

use roundtrip_storage::graph::StoredCommit;
use std::collections::{HashMap, HashSet};

/// Commits and their parents.
#[derive(Debug, Default)]
pub struct Graph {
    commits: Vec<Commit>,
    by_sha: HashMap<String, usize>,
}

#[derive(Debug)]
struct Commit {
    sha: String,
    ordinal: i64,
    /// Indices of the stored parents.
    parents: Vec<usize>,
    first_parent: Option<usize>,
    /// Whether it may have parents that are not stored.
    is_end: bool,
}

/// The merge base, as far as known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommonAncestor {
    /// The nearest stored common ancestor.
    pub sha: Option<String>,
    /// Commits with unknown parents that could lead to a nearer merge base. If empty, the answer is certain.
    pub ends: Vec<String>,
}

impl Graph {
    /// A graph of these commits. Parents that are not among them are ends.
    pub fn new(stored: Vec<StoredCommit>) -> Self {
        let by_sha: HashMap<_, _> =
            stored.iter().enumerate().map(|(index, commit)| (commit.sha.clone(), index)).collect();
        let commit = |stored: StoredCommit| {
            let here = |sha: &String| by_sha.get(sha).copied();
            let parents: Vec<_> = stored.parents.iter().filter_map(here).collect();
            // A root has ordinal 1 and is not an estimate. Any other commit without parents is the bottom of
            // a shallow clone.
            let is_root = stored.ordinal == 1 && !stored.ordinal_is_estimate;
            Commit {
                first_parent: stored.parents.first().and_then(here),
                is_end: parents.len() < stored.parents.len() || stored.parents.is_empty() && !is_root,
                parents,
                sha: stored.sha,
                ordinal: stored.ordinal,
            }
        };
        Self { commits: stored.into_iter().map(commit).collect(), by_sha }
    }

    /// The best common ancestor of two commits: one that is not an ancestor of another common ancestor. If
    /// there are several, as after criss-cross merges, the one with the largest ordinal.
    pub fn merge_base(&self, base: &str, head: &str) -> CommonAncestor {
        let (of_base, of_head) = (self.line(base), self.line(head));
        let common: HashSet<_> = of_base.intersection(&of_head).copied().collect();
        // All ancestors of a common ancestor are common. Those that are not a parent of another one are best.
        let parents: HashSet<_> =
            common.iter().flat_map(|index| &self.commits[*index].parents).copied().collect();
        let best: Vec<_> = common.difference(&parents).copied().collect();
        let is_common = |sha: &str| self.by_sha.get(sha).is_some_and(|index| common.contains(index));
        let all = of_base.union(&of_head);
        let ends = if is_common(base) || is_common(head) {
            // Nothing is nearer than one of the two commits.
            Vec::new()
        } else if best.len() > 1 {
            // One may descend from the other by unknown paths.
            self.ends(all)
        } else {
            // Unknown ancestors of common ancestors are not nearer.
            self.ends(all.filter(|index| !common.contains(index)))
        };
        let best = best.into_iter().max_by_key(|index| self.rank(*index));
        self.common_ancestor(best, ends)
    }

    /// Where a commit left the line of first parents that ends at `tip`: the last commit of the line that is
    /// its ancestor. Unlike the best common ancestor, it does not move when the commit is merged into the
    /// line.
    pub fn fork_point(&self, tip: &str, head: &str) -> CommonAncestor {
        let of_head = self.line(head);
        let mut place = self.by_sha.get(tip).copied();
        let mut last = place;
        while let Some(index) = place.filter(|index| !of_head.contains(index)) {
            last = Some(index);
            place = self.commits[index].first_parent;
        }
        match place {
            Some(fork) if self.commits[fork].sha == head => self.common_ancestor(Some(fork), Vec::new()),
            Some(fork) => {
                let behind = self.line(&self.commits[fork].sha);
                let ends = self.ends(of_head.iter().filter(|index| !behind.contains(index)));
                self.common_ancestor(Some(fork), ends)
            }
            None => self.common_ancestor(None, self.ends(of_head.iter().chain(last.iter()))),
        }
    }

    fn line(&self, sha: &str) -> HashSet<usize> {
        let mut found: HashSet<_> = self.by_sha.get(sha).copied().into_iter().collect();
        let mut waiting: Vec<_> = found.iter().copied().collect();
        while let Some(index) = waiting.pop() {
            waiting.extend(self.commits[index].parents.iter().filter(|parent| found.insert(**parent)));
        }
        found
    }

    fn ends<'a>(&self, commits: impl Iterator<Item = &'a usize>) -> Vec<usize> {
        commits.copied().filter(|index| self.commits[*index].is_end).collect()
    }

    fn common_ancestor(&self, best: Option<usize>, mut ends: Vec<usize>) -> CommonAncestor {
        ends.sort_unstable_by_key(|index| std::cmp::Reverse(self.rank(*index)));
        ends.dedup();
        let sha = |index: usize| self.commits[index].sha.clone();
        CommonAncestor { sha: best.map(sha), ends: ends.into_iter().map(sha).collect() }
    }

    fn rank(&self, index: usize) -> (i64, &str) {
        let commit = &self.commits[index];
        (commit.ordinal, &commit.sha)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A random history: the parents of each commit, all before it. The first commit is a root; others may
    /// be.
    fn history() -> impl Strategy<Value = Vec<Vec<usize>>> {
        let parents = (2_usize..14).prop_map(|count| {
            (0..count)
                .map(|index| {
                    prop::collection::btree_set(0..index.max(1), 0..3).prop_map(move |set| (index, set))
                })
                .collect::<Vec<_>>()
        });
        parents.prop_flat_map(|all| all).prop_map(|all| {
            all.into_iter()
                .map(|(index, parents)| {
                    let mut parents: Vec<_> = parents.into_iter().filter(|parent| *parent < index).collect();
                    // Either order of parents is equally likely.
                    if index % 2 == 0 {
                        parents.reverse();
                    }
                    parents
                })
                .collect()
        })
    }

    fn name(index: usize) -> String {
        format!("{index:040x}")
    }

    /// Ordinals as agents send them: commits on the path of first parents.
    fn ordinals(history: &[Vec<usize>]) -> Vec<i64> {
        let mut ordinals: Vec<i64> = Vec::new();
        for parents in history {
            ordinals.push(parents.first().map_or(1, |parent| ordinals[*parent] + 1));
        }
        ordinals
    }

    /// The graph of the visible commits. A shallow clone has commits without parents.
    fn graph(history: &[Vec<usize>], is_hidden: &[bool], is_shallow: &[bool]) -> Graph {
        let ordinals = ordinals(history);
        let stored = |(index, parents): (usize, &Vec<usize>)| StoredCommit {
            sha: name(index),
            ordinal: ordinals[index],
            ordinal_is_estimate: false,
            parents: if is_shallow[index] { Vec::new() } else { parents.iter().copied().map(name).collect() },
        };
        Graph::new(history.iter().enumerate().filter(|(index, _)| !is_hidden[*index]).map(stored).collect())
    }

    /// Whether a commit descends from another one or equals it, by trying all paths.
    fn comes_from(history: &[Vec<usize>], from: usize, to: usize) -> bool {
        from == to || history[from].iter().any(|parent| comes_from(history, *parent, to))
    }

    /// All best common ancestors, by definition.
    fn naive_merge_bases(history: &[Vec<usize>], base: usize, head: usize) -> Vec<usize> {
        let common: Vec<_> = (0..history.len())
            .filter(|index| comes_from(history, base, *index) && comes_from(history, head, *index))
            .collect();
        let is_best =
            |index: &usize| !common.iter().any(|other| other != index && comes_from(history, *other, *index));
        common.iter().copied().filter(is_best).collect()
    }

    fn naive_fork_point(history: &[Vec<usize>], tip: usize, head: usize) -> Option<usize> {
        let mut line = std::iter::successors(Some(tip), |index| history[*index].first().copied());
        line.find(|index| comes_from(history, head, *index))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn a_complete_graph_finds_the_merge_base(history in history()) {
            let whole = graph(&history, &vec![false; history.len()], &vec![false; history.len()]);
            let ordinals = ordinals(&history);
            for base in 0..history.len() {
                for head in 0..history.len() {
                    let best = naive_merge_bases(&history, base, head);
                    let expected = best.into_iter().max_by_key(|index| (ordinals[*index], name(*index)));
                    let found = whole.merge_base(&name(base), &name(head));
                    prop_assert_eq!(&found, &CommonAncestor { sha: expected.map(name), ends: vec![] });
                    prop_assert_eq!(found, whole.merge_base(&name(head), &name(base)));
                    let fork = whole.fork_point(&name(base), &name(head));
                    let expected = naive_fork_point(&history, base, head).map(name);
                    prop_assert_eq!(fork, CommonAncestor { sha: expected, ends: vec![] });
                }
            }
        }

        #[test]
        fn certain_answers_hold_for_any_missing_commits(
            history in history(),
            is_hidden in prop::collection::vec(prop::bool::weighted(0.2), 14),
            is_shallow in prop::collection::vec(prop::bool::weighted(0.1), 14),
        ) {
            let part = graph(&history, &is_hidden, &is_shallow);
            for base in (0..history.len()).filter(|index| !is_hidden[*index]) {
                for head in (0..history.len()).filter(|index| !is_hidden[*index]) {
                    let found = part.merge_base(&name(base), &name(head));
                    if found.ends.is_empty() {
                        let best = naive_merge_bases(&history, base, head);
                        prop_assert_eq!(found.sha.is_none(), best.is_empty());
                        prop_assert!(found.sha.is_none_or(|sha| best.into_iter().map(name).any(|best| best == sha)));
                    }
                    let fork = part.fork_point(&name(base), &name(head));
                    if fork.ends.is_empty() {
                        prop_assert_eq!(fork.sha, naive_fork_point(&history, base, head).map(name));
                    }
                }
            }
        }
    }

    fn line(commits: &[(usize, &[usize])]) -> Graph {
        let stored = |(index, parents): &(usize, &[usize])| StoredCommit {
            sha: name(*index),
            ordinal: i64::try_from(*index).unwrap(),
            ordinal_is_estimate: false,
            parents: parents.iter().copied().map(name).collect(),
        };
        Graph::new(commits.iter().map(stored).collect())
    }

    #[test]
    fn an_unknown_merge_parent_may_lead_to_a_nearer_base() {
        // 3 merged an unknown commit into the line 1, 2, 3; 4 left it at 2.
        let graph = line(&[(1, &[]), (2, &[1]), (3, &[2, 90]), (4, &[2])]);
        let found = graph.merge_base(&name(3), &name(4));
        assert_eq!(found, CommonAncestor { sha: Some(name(2)), ends: vec![name(3)] });
        // Merged commits are not on the first-parent line, so they cannot move the fork point.
        let fork = graph.fork_point(&name(3), &name(4));
        assert_eq!(fork, CommonAncestor { sha: Some(name(2)), ends: vec![] });
    }

    #[test]
    fn one_of_two_bases_may_descend_from_the_other() {
        // Both 6 and 7 merged 4 and 5; the unknown parent of 4 may descend from 5.
        let graph = line(&[(1, &[]), (4, &[1, 90]), (5, &[1]), (6, &[4, 5]), (7, &[4, 5])]);
        let found = graph.merge_base(&name(6), &name(7));
        assert_eq!(found, CommonAncestor { sha: Some(name(5)), ends: vec![name(4)] });
    }

    #[test]
    fn merging_does_not_move_the_fork_point() {
        let graph = line(&[(1, &[]), (2, &[1]), (3, &[1]), (4, &[2, 3])]);
        assert_eq!(graph.merge_base(&name(4), &name(3)).sha, Some(name(3)));
        assert_eq!(graph.fork_point(&name(4), &name(3)).sha, Some(name(1)));
    }

    #[test]
    fn the_bottom_of_a_shallow_clone_is_not_a_root() {
        let graph = line(&[(5, &[]), (6, &[5]), (7, &[])]);
        let found = graph.merge_base(&name(6), &name(7));
        assert_eq!(found, CommonAncestor { sha: None, ends: vec![name(7), name(5)] });
    }
}
