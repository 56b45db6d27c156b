//! What every mechanism of this system must do.

use super::*;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

/// Longer than any wake-up takes: only a test that fails waits for all of it.
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(1);
const TURNS: u32 = 2_000;

fn here() -> impl Iterator<Item = &'static dyn Mechanism> {
    HERE.iter().copied().filter(|mechanism| mechanism.support().is_ok())
}

/// Two players take turns, and each sleeps until it is its turn.
struct Game {
    mechanism: &'static dyn Mechanism,
    /// Whether a player wakes the other when it falls asleep itself, instead of before.
    together: bool,
    turn: AtomicU32,
    spots: [Spot; 2],
}

impl Game {
    fn play(&self, me: u8) {
        let (own, other) = (&self.spots[usize::from(me)], &self.spots[usize::from(1 - me)]);
        self.mechanism.settle(own).unwrap();
        let mut owed = false;
        for turn in (u32::from(me)..TURNS).step_by(2) {
            self.wait_for(turn, own, owed.then_some(other));
            self.turn.store(turn + 1, SeqCst);
            owed = other.word.swap(AWAKE, SeqCst) == ASLEEP;
            if owed && !self.together {
                self.mechanism.wake(other);
                owed = false;
            }
        }
        if owed {
            self.mechanism.wake(other);
        }
    }

    fn wait_for(&self, turn: u32, own: &Spot, mut owed: Option<&Spot>) {
        own.word.store(ASLEEP, SeqCst);
        while self.turn.load(SeqCst) < turn {
            let out_of_patience = match owed.take() {
                Some(other) => self.mechanism.wake_and_sleep(other, own, Some(LONG)),
                None => self.mechanism.sleep(own, Some(LONG)),
            };
            assert!(!out_of_patience, "{}: a wake-up was lost", self.mechanism.slug());
            own.word.store(ASLEEP, SeqCst);
        }
        own.word.store(AWAKE, SeqCst);
        if let Some(other) = owed {
            self.mechanism.wake(other);
        }
    }
}

#[test]
fn two_threads_wake_each_other() {
    for (mechanism, together) in here().flat_map(|mechanism| [(mechanism, false), (mechanism, true)]) {
        let game = Game { mechanism, together, turn: AtomicU32::new(0), spots: Default::default() };
        thread::scope(|scope| {
            scope.spawn(|| game.play(0));
            scope.spawn(|| game.play(1));
        });
        assert_eq!(game.turn.into_inner(), TURNS);
    }
}

#[test]
fn a_wake_up_before_the_sleep_is_not_lost() {
    for mechanism in here() {
        let spot = Spot::default();
        mechanism.settle(&spot).unwrap();
        spot.word.store(ASLEEP, SeqCst);
        spot.word.store(AWAKE, SeqCst);
        mechanism.wake(&spot);
        // A spot may be settled again, and keeps what it knows.
        mechanism.settle(&spot).unwrap();
        for patience in [Some(LONG), None] {
            assert!(!mechanism.sleep(&spot, patience), "{}", mechanism.slug());
            mechanism.wake(&spot);
        }
    }
}

#[test]
fn patience_ends() {
    for mechanism in here() {
        let spot = Spot::default();
        mechanism.settle(&spot).unwrap();
        for patience in [SHORT, Duration::from_nanos(1), Duration::ZERO] {
            spot.word.store(ASLEEP, SeqCst);
            // Returning for no reason is allowed.
            while !mechanism.sleep(&spot, Some(patience)) {}
        }
    }
}

#[test]
fn wake_ups_that_nobody_asked_for_do_not_keep_anybody_awake() {
    for mechanism in here().filter(|mechanism| mechanism.unasked().is_ok()) {
        let spot = Spot::default();
        mechanism.settle(&spot).unwrap();
        for _ in 0..TURNS {
            mechanism.wake(&spot);
        }
        spot.word.store(ASLEEP, SeqCst);
        let returns = (0..TURNS).take_while(|_| !mechanism.sleep(&spot, Some(SHORT))).count();
        assert!(returns <= 10, "{}: returned {returns} times before it slept", mechanism.slug());
    }
}

#[test]
fn every_mechanism_is_found_by_its_name_or_says_where_it_is() {
    assert!(HERE.is_sorted_by_key(|mechanism| mechanism.slug()));
    for (slug, home) in HOMES {
        match find(slug) {
            Ok(mechanism) => assert_eq!(mechanism.slug(), slug),
            Err(reason) => assert!(reason.to_string().ends_with(home), "{reason}"),
        }
    }
    for mechanism in HERE {
        assert!(HOMES.iter().any(|(slug, _)| *slug == mechanism.slug()), "{}", mechanism.slug());
    }
}
