//! `serve`: runs the server until a stop signal.

use super::token;
use crate::cli::{DataArguments, ServeArguments};
use crate::config;
use crate::connections;
use crate::database::Database;
use crate::postgres::Embedded;
use crate::shutdown::Shutdown;
use anyhow::{Context, Result};
use roundtrip_github::reconcile::Reconciler;
use roundtrip_github::report::LabReports;
use roundtrip_github::worker::Worker;
use roundtrip_server::AppState;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// The time limit for requests after a stop signal.
const REQUESTS_TIMEOUT: Duration = Duration::from_secs(10);
/// Queue length for new connections.
const BACKLOG: u32 = 1024;

pub(crate) async fn serve(arguments: ServeArguments, data: &DataArguments) -> Result<()> {
    let address = config::listen_address(&arguments)?;
    let github = config::github(&arguments.access)?;
    let mut notifications = config::notifications(&arguments.notify)?;
    let oidc = config::oidc(&arguments.access)?;
    let github_app = config::github_app(&arguments.access)?;
    let tls = config::tls(&arguments.tls)?;
    let shutdown = Shutdown::watch(arguments.stop.stop_with_stdin)?;
    // A stop signal while starting is not an error.
    let Some(started) = shutdown.unless_requested(start(address, &arguments, data)).await else {
        return Ok(());
    };
    let Started { listener, metrics, mut database } = started?;
    let address = listener.local_addr().context("cannot read the listen address")?;
    let own_url = format!("{}://{address}", if tls.is_some() { "https" } else { "http" });
    crate::print(&format!("listening on {own_url}"))?;
    if notifications.public_url.is_empty() {
        notifications.public_url = own_url;
    }
    let mut state = AppState::new(database.pool.clone())
        .with_auth(config::auth(&arguments.access))
        .with_upload_memory(arguments.upload_memory << 20)
        .with_notifications(notifications);
    if let Some(github) = github {
        state = state.with_github(github);
    }
    if let Some(verifier) = oidc {
        state = state.with_oidc(verifier);
    }
    if let Some(app) = github_app {
        state = state.with_github_app(Arc::new(app));
    }
    if let Some(folder) = arguments.agent_releases {
        state = state.with_releases(folder);
    }
    let metrics = metrics.map(|listener| tokio::spawn(serve_metrics(listener, state.clone())));
    let drain = Duration::from_secs(arguments.drain);
    let result = answer(listener, tls, state, &mut database, &shutdown, drain).await;
    // Served until the end, so that the shutdown can be monitored.
    if let Some(metrics) = metrics {
        metrics.abort();
    }
    database.close().await;
    tracing::info!("stopped");
    result
}

/// The resources opened by [`start`].
struct Started {
    listener: TcpListener,
    /// The port for metrics, if one was named.
    metrics: Option<TcpListener>,
    database: Database,
}

async fn start(address: SocketAddr, arguments: &ServeArguments, data: &DataArguments) -> Result<Started> {
    // Bind the ports first, because that fails fast; listen last, when the server is ready.
    let socket = take_port(address, "--port", "--host")?;
    let metrics = arguments
        .metrics
        .map(|address| take_port(address, "--metrics", "--metrics").map(|socket| (address, socket)));
    let metrics = metrics.transpose()?;
    let data_dir = config::data_dir(data)?;
    let database = Database::open(data).await?;
    let uses_data_dir = config::database_url().is_none() || data.data_dir.is_some();
    token::ensure_first(&database.pool, uses_data_dir.then_some(data_dir.as_path()))
        .await
        .map_err(|error| database.explain(error))?;
    let listen = |socket: TcpSocket, address, port, host| {
        socket.listen(BACKLOG).map_err(|error| cannot_listen(address, error, port, host))
    };
    let metrics = metrics.map(|(address, socket)| listen(socket, address, "--metrics", "--metrics"));
    Ok(Started {
        listener: listen(socket, address, "--port", "--host")?,
        metrics: metrics.transpose()?,
        database,
    })
}

async fn serve_metrics(listener: TcpListener, state: AppState) {
    if let Ok(address) = listener.local_addr() {
        tracing::info!("serving metrics on http://{address}/metrics");
    }
    let router = roundtrip_server::monitoring::router(state);
    connections::serve(listener, None, router, connections::Limits::METRICS, std::future::pending()).await;
}

/// Serves requests until a stop signal, or until PostgreSQL has ended.
async fn answer(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    state: AppState,
    database: &mut Database,
    shutdown: &Shutdown,
    drain: Duration,
) -> Result<()> {
    let (stop, mut stopped) = watch::channel(false);
    let tasks = tokio::spawn(roundtrip_domain::tasks::run(database.pool.clone(), stopped.clone()));
    let analyst = tokio::spawn(state.analyst().clone().run(stopped.clone()));
    let queue = tokio::spawn(state.queue.clone().run(stopped.clone()));
    let notifier = tokio::spawn(state.notifier().clone().run(stopped.clone()));
    let github = tokio::spawn(run_github_app(state.clone(), stopped.clone()));
    let app = roundtrip_server::app(state.clone());
    let end = async move {
        // A dropped sender means the end as well.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    };
    let limits = connections::Limits::new(state.auth.trusted_proxies().clone());
    let mut serving = tokio::spawn(connections::serve(listener, tls, app, limits, end));
    let mut gone = None;
    tokio::select! {
        () = shutdown.requested() => {}
        error = ended(database.embedded.as_mut()) => gone = Some(error),
        result = &mut serving => return result.context("cannot accept connections"),
    }
    state.announce_stop();
    if gone.is_none() && !drain.is_zero() {
        tracing::info!("draining for {} s: /readyz returns 503", drain.as_secs());
        tokio::select! {
            () = tokio::time::sleep(drain) => {}
            () = shutdown.requested_again() => {}
            error = ended(database.embedded.as_mut()) => gone = Some(error),
            result = &mut serving => return result.context("cannot accept connections"),
        }
    }
    if let Some(embedded) = &mut database.embedded {
        // Before the port is free, so that the next server also waits for the data directory.
        embedded.announce_stop();
    }
    stop.send_replace(true);
    // Event streams would never end.
    state.live.close();
    let finished = tokio::time::timeout(REQUESTS_TIMEOUT, async {
        tokio::join!(serving, tasks, analyst, queue, notifier, github)
    });
    match finished.await {
        Ok((served, ..)) => served.context("cannot finish the last requests")?,
        Err(_) => {
            tracing::warn!("closed connections with requests longer than {} s", REQUESTS_TIMEOUT.as_secs());
        }
    }
    // Announce this server's last uploads to the other servers.
    state.live.flush().await;
    gone.map_or(Ok(()), Err)
}

/// Handles GitHub deliveries and updates comments and checks, if a GitHub App is configured.
async fn run_github_app(state: AppState, stopped: watch::Receiver<bool>) {
    let Some(app) = state.github_app.clone() else { return };
    let reports = LabReports::new(state.pool.clone(), state.notifier().public_url());
    let worker = Worker::new(Arc::clone(&app), state.pool.clone());
    let reconciler = Reconciler::new(app, state.pool.clone(), Arc::new(reports));
    tokio::join!(worker.run(stopped.clone()), reconciler.run(stopped));
}

async fn ended(embedded: Option<&mut Embedded>) -> anyhow::Error {
    match embedded {
        Some(embedded) => embedded.ended().await,
        None => std::future::pending().await,
    }
}

/// Binds an address. `port` and `host` are the options named in errors.
fn take_port(address: SocketAddr, port: &str, host: &str) -> Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
    let bound = socket.and_then(|socket| {
        // Old connections of a stopped server do not block its port.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(socket)
    });
    bound.map_err(|error| cannot_listen(address, error, port, host))
}

fn cannot_listen(address: SocketAddr, error: std::io::Error, port: &str, host: &str) -> anyhow::Error {
    let number = address.port();
    match error.kind() {
        ErrorKind::AddrInUse => anyhow::anyhow!(
            "port {number} on {} is in use by another program. Stop it, or use another port with {port}",
            address.ip()
        ),
        ErrorKind::PermissionDenied => {
            anyhow::anyhow!("only root can listen on port {number}. Use a port from 1024 with {port}")
        }
        ErrorKind::AddrNotAvailable => {
            anyhow::anyhow!("{} is not an address of this machine. Use another one with {host}", address.ip())
        }
        _ => anyhow::Error::new(error).context(format!("cannot listen on {address}")),
    }
}
