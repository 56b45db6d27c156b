//! The system under the model checker: mechanisms that never time out while all members live, and the set of live
//! members.

pub mod liveness {
    //! Each view of a ring is a separate process.

    use std::collections::BTreeSet;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    pub type Identity = u64;

    static LAST: AtomicU64 = AtomicU64::new(0);
    static DEAD: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

    /// Creates another identity.
    pub fn own() -> Identity {
        LAST.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Returns the newest identity.
    pub fn last() -> Identity {
        LAST.load(Ordering::Relaxed)
    }

    pub fn is_alive(process: Identity) -> bool {
        !DEAD.lock().unwrap().contains(&process)
    }

    pub fn die(process: Identity) {
        DEAD.lock().unwrap().insert(process);
    }

    /// Resets the identities before each execution.
    pub fn reset() {
        DEAD.lock().unwrap().clear();
    }
}

pub mod shared_memory {
    //! The model's memory is in `support`.

    use std::ptr::NonNull;

    pub struct Mapping;

    impl Mapping {
        pub fn address(&self) -> NonNull<u8> {
            unreachable!("the model maps nothing")
        }

        pub fn bytes(&self) -> usize {
            0
        }
    }
}

pub mod wake {
    //! Sleeping on an address, and for a token.

    use loom::sync::atomic::{AtomicU32, Ordering};
    use loom::sync::{Condvar, Mutex};
    use std::io;

    pub const AWAKE: u32 = 0;
    pub const ASLEEP: u32 = 1;

    pub trait Mechanism: Sync {
        fn slug(&self) -> &'static str;
        fn prepare(&self, spot: &Spot) -> io::Result<()>;
        fn sleep(&self, spot: &Spot);
        fn wake(&self, spot: &Spot);
    }

    #[derive(Default)]
    pub struct Spot {
        pub word: AtomicU32,
        /// Stored wake-ups.
        tokens: Mutex<u32>,
        woken: Condvar,
    }

    /// Like a futex: comparing the word and falling asleep is one step.
    pub struct Address;
    /// Like a semaphore.
    pub struct Token;

    impl Mechanism for Address {
        fn slug(&self) -> &'static str {
            "address"
        }

        fn prepare(&self, _spot: &Spot) -> io::Result<()> {
            Ok(())
        }

        fn sleep(&self, spot: &Spot) {
            let tokens = spot.tokens.lock().unwrap();
            if spot.word.load(Ordering::SeqCst) == ASLEEP {
                drop(spot.woken.wait(tokens).unwrap());
            }
        }

        fn wake(&self, spot: &Spot) {
            let _tokens = spot.tokens.lock().unwrap();
            spot.woken.notify_one();
        }
    }

    impl Mechanism for Token {
        fn slug(&self) -> &'static str {
            "token"
        }

        fn prepare(&self, _spot: &Spot) -> io::Result<()> {
            Ok(())
        }

        fn sleep(&self, spot: &Spot) {
            let mut tokens = spot.tokens.lock().unwrap();
            if *tokens == 0 {
                tokens = spot.woken.wait(tokens).unwrap();
            }
            *tokens = tokens.saturating_sub(1);
        }

        fn wake(&self, spot: &Spot) {
            *spot.tokens.lock().unwrap() += 1;
            spot.woken.notify_one();
        }
    }
}
