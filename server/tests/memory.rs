//! Memory that stays allocated between requests. The allocator counts for the whole program, so this program
//! has only one test.

use roundtrip_storage::pool::pool;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The size of the largest compressed upload.
const LARGE_BYTES: usize = 8 * 1024 * 1024;
const CONNECTIONS: usize = 3;

#[test]
fn connections_release_memory_after_large_statements() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let pool = pool(std::env::var("DATABASE_URL").unwrap().parse().unwrap());
        let send_each = async |bytes: usize| {
            let body = vec![0_u8; bytes];
            // Take all connections before returning any, so that none is used twice.
            let mut taken = Vec::new();
            for _ in 0..CONNECTIONS {
                taken.push(pool.acquire().await.unwrap());
            }
            for connection in &mut taken {
                let query = sqlx::query_scalar::<_, i32>("select octet_length($1::bytea)").bind(&body);
                assert_eq!(usize::try_from(query.fetch_one(&mut **connection).await.unwrap()), Ok(bytes));
            }
            drop(taken);
            while pool.num_idle() < CONNECTIONS {
                tokio::task::yield_now().await;
            }
        };
        // Includes the fixed cost of a first statement.
        send_each(1).await;
        let before = kept_bytes();
        send_each(LARGE_BYTES).await;
        let after = kept_bytes();
        assert!(after < before + LARGE_BYTES / 8, "{before} bytes before, {after} after");
        pool.close().await;
    });
}

fn kept_bytes() -> usize {
    let stats = MEMORY.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}
