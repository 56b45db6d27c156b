//! `serve`: the database, the first token, the port, and an orderly end of all three.

use super::token;
use crate::cli::ServeArguments;
use crate::config;
use crate::database::Database;
use crate::lifeline::Shutdown;
use crate::postgres::Embedded;
use anyhow::{Context, Result};
use roundtrip_server::AppState;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;

/// How long requests may go on after the server was asked to stop.
const REQUESTS_TIMEOUT: Duration = Duration::from_secs(10);
/// How many clients may wait while all are busy.
const BACKLOG: u32 = 1024;

/// Runs the verb.
///
/// # Errors
/// The server cannot start, or its PostgreSQL ends by itself.
pub(crate) async fn serve(arguments: ServeArguments) -> Result<()> {
    let address = config::listen_address(&arguments)?;
    let shutdown = Shutdown::watch(arguments.lifeline.stop_with_stdin)?;
    // Whoever asks it to end while it starts gets what they want: nothing runs.
    let Some(started) = shutdown.unless_requested(start(address, &arguments)).await else { return Ok(()) };
    let (listener, mut database) = started?;
    let address = listener.local_addr().context("cannot tell the address that is listened on")?;
    crate::print(&format!("listening on http://{address}"))?;
    let result = answer(listener, &mut database, &shutdown).await;
    database.close().await;
    tracing::info!("stopped");
    result
}

async fn start(address: SocketAddr, arguments: &ServeArguments) -> Result<(TcpListener, Database)> {
    // The port is taken first, because that fails at once, and opened last, when there is something to serve.
    let socket = take_port(address)?;
    let url = config::database_url();
    let data_dir = config::data_dir(&arguments.data)?;
    let database = Database::open(url.as_deref(), &data_dir).await?;
    let is_data_dir_meant = url.is_none() || arguments.data.data_dir.is_some();
    token::ensure_first(&database.pool, is_data_dir_meant.then_some(data_dir.as_path()))
        .await
        .map_err(|error| database.explain(error))?;
    let listener = socket.listen(BACKLOG).map_err(|error| cannot_listen(address, error))?;
    Ok((listener, database))
}

/// Answers requests until someone asks for the end, or PostgreSQL is gone.
async fn answer(listener: TcpListener, database: &mut Database, shutdown: &Shutdown) -> Result<()> {
    let app = roundtrip_server::app(AppState::new(database.pool.clone()));
    let (stop, mut stopped) = watch::channel(false);
    let serving = axum::serve(listener, app).with_graceful_shutdown(async move {
        // A dropped sender means the end as well.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    });
    let mut serving = pin!(serving.into_future());
    let result = tokio::select! {
        () = shutdown.requested() => Ok(()),
        error = ended(database.embedded.as_mut()) => Err(error),
        result = &mut serving => return result.context("cannot accept connections"),
    };
    if let Some(embedded) = &mut database.embedded {
        // Before the port is free, so that a server which waits for the port then waits for the data as well.
        embedded.announce_stop();
    }
    stop.send_replace(true);
    match tokio::time::timeout(REQUESTS_TIMEOUT, serving).await {
        Ok(finished) => finished.context("cannot finish the last requests")?,
        Err(_) => {
            tracing::warn!("requests that took longer than {} s were cut off", REQUESTS_TIMEOUT.as_secs());
        }
    }
    result
}

async fn ended(embedded: Option<&mut Embedded>) -> anyhow::Error {
    match embedded {
        Some(embedded) => embedded.ended().await,
        None => std::future::pending().await,
    }
}

fn take_port(address: SocketAddr) -> Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
    let bound = socket.and_then(|socket| {
        // Connections of a server that has ended do not keep its port.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(socket)
    });
    bound.map_err(|error| cannot_listen(address, error))
}

fn cannot_listen(address: SocketAddr, error: std::io::Error) -> anyhow::Error {
    let port = address.port();
    match error.kind() {
        ErrorKind::AddrInUse => anyhow::anyhow!(
            "port {port} on {} is in use by another program: stop it, or choose another port with --port",
            address.ip()
        ),
        ErrorKind::PermissionDenied => {
            anyhow::anyhow!("port {port} may only be opened by root: choose one from 1024 up with --port")
        }
        ErrorKind::AddrNotAvailable => {
            anyhow::anyhow!("{} is no address of this machine: choose another with --host", address.ip())
        }
        _ => anyhow::Error::new(error).context(format!("cannot listen on {address}")),
    }
}
