//! Starts a fake in its own thread: the API with its middleware, the repositories and the control interface.

use crate::fake::FakeGitHub;
use crate::state::{Settings, Shared};
use crate::{api, control, git, middleware};
use axum::Router;
use axum::middleware::from_fn_with_state;
use chrono::TimeDelta;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

impl FakeGitHub {
    /// Starts a fake.
    ///
    /// # Panics
    /// The port is not available.
    pub fn start(settings: Settings) -> Self {
        let listener = TcpListener::bind(settings.address).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            settings,
            address,
            world: Mutex::default(),
            plans: Mutex::default(),
            record: Mutex::default(),
            retry_at: Mutex::default(),
            bearers: Mutex::default(),
            clock_offset: Mutex::new(TimeDelta::zero()),
        });
        let fake = Self { shared: Arc::clone(&shared) };
        let api = api::router().layer(from_fn_with_state(Arc::clone(&shared), middleware::check));
        let prefix = shared.settings.prefix.clone();
        let router = if prefix.is_empty() { api } else { Router::new().nest(&prefix, api) };
        let router = router.merge(git::router()).with_state(shared);
        let router = router.merge(control::router(fake.clone()));
        serve(listener, router);
        fake
    }
}

/// Serves a router in its own thread.
///
/// # Panics
/// The listener cannot be made non-blocking.
pub fn serve(listener: TcpListener, router: Router) {
    listener.set_nonblocking(true).unwrap();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, router).await.unwrap();
        });
    });
}
