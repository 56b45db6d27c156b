//! Runs groups in parallel.

use super::Context;
use super::groups::Group;
use crate::tally::{Outcome, Tally};
use anyhow::{Result, anyhow};
use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The number of parallel groups. Two keep two cores busy; more would slow each other down and run short of
/// memory.
const LANES: usize = 2;

/// Runs all groups after their dependencies, and adds up their steps. Of the groups that can start, the first
/// one in the list does.
pub(super) fn run(groups: &[Group], context: &Context) -> Result<Tally> {
    let state = Mutex::new(State::new(groups));
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| work(groups, context, &state, &changed));
        }
    });
    let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.error.map_or(Ok(state.tally), Err)
}

fn work(groups: &[Group], context: &Context, state: &Mutex<State>, changed: &Condvar) {
    let mut locked = lock(state);
    while !locked.is_over() {
        let Some(index) = locked.start_next() else {
            locked = changed.wait(locked).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let missing = locked.missing(&groups[index]);
        drop(locked);
        let mut tally = Tally::default();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match missing {
            Some(missing) => {
                let reason = format!("not run: {missing} failed");
                tally.step(&groups[index].name, |_| Ok(Outcome::Skipped(reason)))
            }
            None => (groups[index].run)(context, &mut tally),
        }));
        locked = lock(state);
        let outcome = outcome.unwrap_or_else(|_| Err(anyhow!("{} panicked", groups[index].name)));
        locked.end(index, tally, outcome);
        changed.notify_all();
    }
}

fn lock<'a, 'b>(state: &'a Mutex<State<'b>>) -> MutexGuard<'a, State<'b>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Finished, running and waiting groups.
struct State<'a> {
    groups: &'a [Group],
    waiting: BTreeSet<usize>,
    ended: BTreeSet<&'a str>,
    failed: BTreeSet<&'a str>,
    tally: Tally,
    error: Option<anyhow::Error>,
}

impl<'a> State<'a> {
    fn new(groups: &'a [Group]) -> Self {
        Self {
            groups,
            waiting: (0..groups.len()).collect(),
            ended: BTreeSet::new(),
            failed: BTreeSet::new(),
            tally: Tally::default(),
            error: None,
        }
    }

    fn is_over(&self) -> bool {
        self.waiting.is_empty() || self.error.is_some()
    }

    /// Takes the first group that can start.
    fn start_next(&mut self) -> Option<usize> {
        let can_start =
            |index: &&usize| self.groups[**index].needs.iter().all(|name| self.ended.contains(name));
        let index = *self.waiting.iter().find(can_start)?;
        self.waiting.remove(&index);
        Some(index)
    }

    /// The first failed dependency of the group.
    fn missing(&self, group: &Group) -> Option<&'static str> {
        group.needs.iter().copied().find(|name| self.failed.contains(name))
    }

    fn end(&mut self, index: usize, tally: Tally, outcome: Result<()>) {
        let group = &self.groups[index];
        self.ended.insert(&group.name);
        // A group with a skipped dependency must not run and must not count as passed.
        if !tally.is_clean() || self.missing(group).is_some() {
            self.failed.insert(&group.name);
        }
        self.tally.add(tally);
        if let Err(error) = outcome {
            self.error.get_or_insert(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::Tier;

    fn group(name: &'static str, needs: &'static [&'static str]) -> Group {
        let run = Box::new(|_: &Context, _: &mut Tally| Ok(()));
        Group { name: name.into(), tier: Tier::Check, needs, run }
    }

    fn failing() -> Tally {
        let mut tally = Tally::default();
        tally.step("fails", |_| anyhow::bail!("as it should")).unwrap();
        tally
    }

    #[test]
    fn starts_groups_after_their_dependencies() {
        let groups = [group("a", &[]), group("b", &["a"]), group("c", &[])];
        let mut state = State::new(&groups);
        assert_eq!(state.start_next(), Some(0));
        assert_eq!(state.start_next(), Some(2));
        assert_eq!(state.start_next(), None);
        state.end(0, Tally::default(), Ok(()));
        assert_eq!(state.start_next(), Some(1));
        assert!(state.is_over());
    }

    #[test]
    fn skips_dependents_of_failed_groups() {
        let groups = [group("a", &[]), group("b", &["a"]), group("c", &["b"])];
        let mut state = State::new(&groups);
        state.start_next();
        state.end(0, failing(), Ok(()));
        assert_eq!(state.start_next(), Some(1));
        assert_eq!(state.missing(&groups[1]), Some("a"));
        state.end(1, Tally::default(), Ok(()));
        assert_eq!(state.start_next(), Some(2));
        assert_eq!(state.missing(&groups[2]), Some("b"));
    }

    #[test]
    fn starts_nothing_after_an_interrupt() {
        let groups = [group("a", &[]), group("b", &[])];
        let mut state = State::new(&groups);
        state.start_next();
        state.end(0, Tally::default(), Err(anyhow!("interrupted")));
        assert!(state.is_over());
    }
}
