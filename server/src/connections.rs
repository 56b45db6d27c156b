//! Accepts connections and serves HTTP on them, within limits: clients that send or read slowly, or that open many
//! connections, cannot keep others out.

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{ConnectInfo, Request};
use axum::{BoxError, Router};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use roundtrip_server::auth_settings::TrustedProxies;
use roundtrip_server::auth_settings::client::network;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::collections::HashMap;
use std::io::{self, ErrorKind, IoSlice};
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// The time limit for a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for the head of a request, from the beginning of the connection or the last byte of the
/// last answer.
const REQUEST_TIMEOUT: Duration =
    if cfg!(test) { Duration::from_millis(300) } else { Duration::from_secs(30) };
/// The longest time that a client may read nothing while there is more to send, on the connection or in one answer.
const WRITE_TIMEOUT: Duration = REQUEST_TIMEOUT;
/// Answers are given to hyper in parts of at most this size, so that a part is in memory twice and not the whole.
const PART_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of connections from one address. A browser opens six; many users may share an address.
const PER_ADDRESS_MAX: usize = 256;
/// Maximum number of connections, if there are enough descriptors.
const TOTAL_MAX: usize = 8_192;
/// Descriptors that connections leave for the database, files, metrics and health checks, or half of them if there are
/// few.
const RESERVED_DESCRIPTORS: u64 = 256;
/// The pause after the system cannot accept a connection, as axum does.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// Serves connections until `end`, then waits for open requests.
pub(crate) async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    limits: Limits,
    end: impl Future<Output = ()>,
) {
    let open = Arc::new(OpenConnections { limits, all: Mutex::default() });
    let graceful = GracefulShutdown::new();
    let mut end = pin!(end);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = accept(&listener) => accepted,
            () = &mut end => break,
        };
        // Dropping the stream closes it.
        let Some(place) = open.admit(peer.ip()) else { continue };
        tokio::spawn(place.serve(stream, peer, tls.clone(), router.clone(), graceful.watcher()));
    }
    drop(listener);
    graceful.shutdown().await;
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => match error.kind() {
                ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset => {}
                _ => {
                    tracing::error!(error.cause = %error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
}

/// The maximum numbers of connections.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    total: usize,
    per_address: usize,
    /// Only the total limits these addresses: their connections come from many clients.
    proxies: TrustedProxies,
}

impl Limits {
    /// The limits of the port for metrics, part of the reserve.
    pub(crate) const METRICS: Self = Self { total: 64, per_address: 64, proxies: TrustedProxies(Vec::new()) };

    /// The limits of this process. Raises its soft limit of descriptors as far as needed.
    pub(crate) fn new(proxies: TrustedProxies) -> Self {
        let total = match raise_descriptors(TOTAL_MAX as u64 + RESERVED_DESCRIPTORS) {
            None => TOTAL_MAX,
            Some(descriptors) => {
                let free = descriptors - RESERVED_DESCRIPTORS.min(descriptors / 2);
                usize::try_from(free).map_or(TOTAL_MAX, |free| free.min(TOTAL_MAX))
            }
        };
        Self { total, per_address: PER_ADDRESS_MAX.min(total.div_ceil(2)), proxies }
    }
}

/// Raises the soft limit of descriptors to as many, if the hard one allows it. Returns the limit; none if unlimited.
fn raise_descriptors(wanted: u64) -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = current.map(|current| current.max(wanted.min(maximum.unwrap_or(wanted))));
    match setrlimit(Resource::Nofile, Rlimit { current: raised, maximum }) {
        Ok(()) => raised,
        // Some systems do not grant all of the hard limit.
        Err(_) => current,
    }
}

#[derive(Debug)]
struct OpenConnections {
    limits: Limits,
    all: Mutex<Vec<Arc<Connection>>>,
}

#[derive(Debug)]
struct Connection {
    /// The address to count by.
    client: IpAddr,
    requests: Mutex<Requests>,
    /// Cancelled to make room for another connection.
    evicted: CancellationToken,
}

#[derive(Debug)]
struct Requests {
    /// Requests that are being answered.
    open: usize,
    /// Answers of which the client has to read a part before hyper takes the next one, by number, and since when.
    unread: HashMap<u64, Instant>,
    /// The number of the next request.
    next: u64,
    /// When the last of them ended, or the connection began, or bytes were last written: hyper drops a body before its
    /// last bytes are written.
    idle_since: Instant,
}

impl OpenConnections {
    /// Admits a connection. At a limit, closes the connection that has been idle longest; none if all are busy.
    fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<Place> {
        let peer = peer.to_canonical();
        let client = network(peer);
        let mut all = self.all();
        let count = all.iter().filter(|connection| connection.client == client).count();
        let crowded = if count >= self.limits.per_address && !self.limits.proxies.contains(peer) {
            Some(client)
        } else if all.len() >= self.limits.total {
            most_frequent(all.iter().map(|connection| connection.client))
        } else {
            None
        };
        if let Some(crowded) = crowded {
            let of_client = all.iter().enumerate().filter(|(_, connection)| connection.client == crowded);
            let idle = of_client.filter_map(|(index, connection)| Some((connection.idle_since()?, index)));
            let (_, longest) = idle.min()?;
            all.swap_remove(longest).evicted.cancel();
        }
        let connection = Arc::new(Connection {
            client,
            requests: Mutex::new(Requests {
                open: 0,
                unread: HashMap::new(),
                next: 0,
                idle_since: Instant::now(),
            }),
            evicted: CancellationToken::new(),
        });
        all.push(Arc::clone(&connection));
        Some(Place { open: Arc::clone(self), connection })
    }

    fn all(&self) -> MutexGuard<'_, Vec<Arc<Connection>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn most_frequent(addresses: impl Iterator<Item = IpAddr>) -> Option<IpAddr> {
    let mut counts: HashMap<IpAddr, usize> = HashMap::new();
    for address in addresses {
        *counts.entry(address).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(address, _)| address)
}

impl Connection {
    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the last request ended; none while one is open.
    fn idle_since(&self) -> Option<Instant> {
        let requests = self.requests();
        (requests.open == 0).then_some(requests.idle_since)
    }

    /// Since when the server has been waiting for the client: for a request, or for it to read an answer.
    fn waiting_since(&self) -> Option<Instant> {
        self.idle_since().or_else(|| self.requests().unread.values().min().copied())
    }

    /// Returns when the client has sent or read nothing in time, or when another connection needs the room.
    async fn unused(&self) {
        let late = async {
            loop {
                let since = self.waiting_since().unwrap_or_else(Instant::now);
                if since.elapsed() >= REQUEST_TIMEOUT {
                    return;
                }
                tokio::time::sleep_until(since + REQUEST_TIMEOUT).await;
            }
        };
        tokio::select! {
            () = late => {}
            () = self.evicted.cancelled() => {}
        }
    }
}

/// A connection's place among the open ones, until dropped.
#[derive(Debug)]
struct Place {
    open: Arc<OpenConnections>,
    connection: Arc<Connection>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.all().retain(|connection| !Arc::ptr_eq(connection, &self.connection));
    }
}

impl Place {
    async fn serve(
        self,
        stream: TcpStream,
        peer: SocketAddr,
        tls: Option<TlsAcceptor>,
        router: Router,
        watcher: Watcher,
    ) {
        tracing::trace!(%peer, "accepted a connection");
        // Otherwise a response of several packets waits up to 40 ms for the first acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "cannot disable Nagle's algorithm");
        }
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIMEOUT));
        let stream = TrackedStream { stream: Box::pin(stream), connection: Arc::clone(&self.connection) };
        let outcome = match tls {
            None => self.serve_http(stream, peer, router, watcher).await,
            Some(acceptor) => match tokio::time::timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => self.serve_http(stream, peer, router, watcher).await,
                Ok(Err(error)) => Err(error.into()),
                Err(late) => Err(late.into()),
            },
        };
        if let Err(error) = outcome {
            tracing::debug!(%error, %peer, "the connection failed");
        }
    }

    async fn serve_http<S>(
        &self,
        stream: S,
        peer: SocketAddr,
        router: Router,
        watcher: Watcher,
    ) -> Result<(), BoxError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = hyper::service::service_fn(|request: Request<Incoming>| {
            let open = OpenRequest::new(&self.connection);
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            let answered = router.clone().oneshot(request);
            async move { answered.await.map(|answer| answer.map(|body| AnswerBody::new(body, open))) }
        });
        let builder = Builder::new(TokioExecutor::new());
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        tokio::select! {
            served = watcher.watch(connection) => served,
            () = self.connection.unused() => Ok(()),
        }
    }
}

/// A stream that notes when bytes are written.
struct TrackedStream {
    stream: Pin<Box<TimeoutStream<TcpStream>>>,
    connection: Arc<Connection>,
}

impl TrackedStream {
    fn note(&self, written: &Poll<io::Result<usize>>) {
        if matches!(written, Poll::Ready(Ok(1..))) {
            self.connection.requests().idle_since = Instant::now();
        }
    }
}

impl AsyncRead for TrackedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_read(context, buffer)
    }
}

impl AsyncWrite for TrackedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = self.stream.as_mut().poll_write(context, bytes);
        self.note(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = self.stream.as_mut().poll_write_vectored(context, parts);
        self.note(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(context)
    }
}

/// Counts as an open request of the connection until dropped.
#[derive(Debug)]
struct OpenRequest {
    connection: Arc<Connection>,
    number: u64,
}

impl OpenRequest {
    fn new(connection: &Arc<Connection>) -> Self {
        let mut requests = connection.requests();
        requests.open += 1;
        requests.next += 1;
        Self { connection: Arc::clone(connection), number: requests.next }
    }

    /// Notes whether the server waits for the client to read.
    fn set_unread(&self, is_unread: bool) {
        let unread = &mut self.connection.requests().unread;
        if is_unread {
            unread.insert(self.number, Instant::now());
        } else {
            unread.remove(&self.number);
        }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut requests = self.connection.requests();
        requests.open -= 1;
        requests.unread.remove(&self.number);
        requests.idle_since = Instant::now();
    }
}

/// The body of an answer. Its request is open until hyper has taken all of it. hyper takes a part when the client has
/// read enough of those before, over HTTP/2 as well.
struct AnswerBody {
    body: Body,
    /// The rest of the body's last part, which hyper has not read yet.
    rest: Bytes,
    open: OpenRequest,
}

impl AnswerBody {
    fn new(body: Body, open: OpenRequest) -> Self {
        open.set_unread(true);
        Self { body, rest: Bytes::new(), open }
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            self.open.set_unread(false);
            let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
            match frame.map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) => self.rest = data,
                Some(Ok(Err(trailers))) => return Poll::Ready(Some(Ok(trailers))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        self.open.set_unread(true);
        let length = self.rest.len().min(PART_BYTES_MAX);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut both = SizeHint::new();
        both.set_lower(rest + body.lower());
        if let Some(upper) = body.upper() {
            both.set_upper(rest + upper);
        }
        both
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpSocket;

    /// Too large for the buffers of the system.
    const LARGE_BYTES: usize = 64 << 20;

    /// A server with these limits.
    async fn server(limits: Limits) -> (SocketAddr, CancellationToken, tokio::task::JoinHandle<()>) {
        let slow = || async {
            let ticks = futures_util::stream::unfold(0, async |tick| {
                tokio::time::sleep(REQUEST_TIMEOUT / 2).await;
                (tick < 5).then_some((Ok::<_, BoxError>(format!("tick {tick}\n")), tick + 1))
            });
            Body::from_stream(ticks)
        };
        let endless = || async {
            Body::from_stream(futures_util::stream::repeat_with(|| Ok::<_, BoxError>(vec![0; 64 * 1024])))
        };
        let router = Router::new()
            .route("/", get(|| async { "answered" }))
            .route("/slow", get(slow))
            .route("/large", get(|| async { vec![0; LARGE_BYTES] }))
            .route("/endless", get(endless));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let end = stop.clone().cancelled_owned();
        (address, stop, tokio::spawn(serve(listener, None, router, limits, end)))
    }

    fn limits(total: usize, per_address: usize) -> Limits {
        Limits { total, per_address, proxies: TrustedProxies::default() }
    }

    /// A connection from another loopback address.
    async fn connect(from: &str, address: SocketAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
        socket.connect(address).await.unwrap()
    }

    /// Everything that the server sends until it closes the connection.
    async fn rest(stream: &mut TcpStream) -> String {
        let mut bytes = Vec::new();
        // The server may reset a connection that it closes.
        let _ = stream.read_to_end(&mut bytes).await;
        String::from_utf8_lossy(&bytes).into_owned()
    }

    async fn request(from: &str, address: SocketAddr, path: &str) -> TcpStream {
        let mut stream = connect(from, address).await;
        let head = format!("GET {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n");
        // The server may have rejected the connection.
        let _ = stream.write_all(head.as_bytes()).await;
        stream
    }

    /// Connections on which nothing is sent.
    async fn idle(count: usize, from: &str, address: SocketAddr) -> Vec<TcpStream> {
        let mut connections = Vec::new();
        for _ in 0..count {
            connections.push(connect(from, address).await);
        }
        connections
    }

    /// Connections whose answers never end.
    async fn busy(count: usize, from: &str, address: SocketAddr) -> Vec<TcpStream> {
        let mut connections = Vec::new();
        for _ in 0..count {
            let mut stream = request(from, address, "/endless").await;
            stream.read_exact(&mut [0; 1]).await.unwrap();
            connections.push(stream);
        }
        connections
    }

    async fn is_answered(from: &str, address: SocketAddr) -> bool {
        rest(&mut request(from, address, "/").await).await.ends_with("answered")
    }

    #[tokio::test]
    async fn closes_connections_without_a_complete_request() {
        let (address, ..) = server(limits(10, 10)).await;
        for sent in ["", "G", "GET / HTTP/1.1\r\nhost: te", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
            let mut stream = connect("127.0.0.1", address).await;
            stream.write_all(sent.as_bytes()).await.unwrap();
            rest(&mut stream).await;
        }
    }

    #[tokio::test]
    async fn sending_a_head_slowly_gains_no_time() {
        let (address, ..) = server(limits(10, 10)).await;
        let mut stream = connect("127.0.0.1", address).await;
        stream.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
        // A byte from the server, or an error, ends the loop.
        let mut interval = tokio::time::interval(REQUEST_TIMEOUT / 10);
        loop {
            tokio::select! {
                _ = interval.tick() => { let _ = stream.try_write(b"a: b\r\n"); }
                _ = stream.readable() => break,
            }
        }
    }

    #[tokio::test]
    async fn long_answers_are_sent_to_their_end() {
        let (address, ..) = server(limits(10, 10)).await;
        assert!(rest(&mut request("127.0.0.1", address, "/slow").await).await.contains("tick 4"));
    }

    #[tokio::test]
    async fn large_answers_reach_slow_readers() {
        let (address, ..) = server(limits(10, 10)).await;
        let mut stream = request("127.0.0.1", address, "/large").await;
        let (mut received, mut part) = (0, vec![0; LARGE_BYTES / 32]);
        let mut interval = tokio::time::interval(REQUEST_TIMEOUT / 8);
        loop {
            interval.tick().await;
            match stream.read(&mut part).await.unwrap() {
                0 => break,
                count => received += count,
            }
        }
        assert!(received > LARGE_BYTES, "{received}");
    }

    #[tokio::test]
    async fn closes_connections_that_read_nothing() {
        let (address, stop, served) = server(limits(10, 10)).await;
        let stream = request("127.0.0.1", address, "/endless").await;
        stop.cancel();
        // The server would wait forever for the open request.
        served.await.unwrap();
        drop(stream);
    }

    /// A connection's first bytes over HTTP/2: each answer may send as many bytes as the window, and a GET.
    fn http2_request(path: &str, window: u8) -> Vec<u8> {
        let settings = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, window];
        let length = u8::try_from(path.len()).unwrap();
        let head = [&[0x82, 0x86, 0x04, length][..], path.as_bytes(), &[0x41, 4], b"test"].concat();
        let headers = [0, 0, u8::try_from(head.len()).unwrap(), 1, 5, 0, 0, 0, 1];
        [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &settings, &headers, &head].concat()
    }

    #[tokio::test]
    async fn closes_http2_connections_whose_answers_are_not_read() {
        const PING: [u8; 17] = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
        let (address, ..) = server(limits(10, 10)).await;
        for (path, window) in [("/", 0), ("/endless", 0), ("/large", 0), ("/large", 1)] {
            let mut stream = connect("127.0.0.1", address).await;
            stream.write_all(&http2_request(path, window)).await.unwrap();
            let (mut reader, mut writer) = stream.split();
            // The rest of the connection is in use.
            let pings = async {
                let mut interval = tokio::time::interval(REQUEST_TIMEOUT / 10);
                loop {
                    interval.tick().await;
                    if writer.write_all(&PING).await.is_err() {
                        return;
                    }
                }
            };
            let mut received = Vec::new();
            tokio::select! {
                _ = reader.read_to_end(&mut received) => {}
                () = pings => {}
            }
            assert!(received.len() > PING.len(), "{path} was not answered");
        }
    }

    #[tokio::test]
    async fn idle_connections_make_room_for_others_of_their_address() {
        let (address, ..) = server(limits(100, 4)).await;
        let mut idle = idle(20, "127.0.0.2", address).await;
        assert!(is_answered("127.0.0.2", address).await);
        // The oldest were closed.
        assert_eq!(rest(&mut idle[0]).await, "");
    }

    #[tokio::test]
    async fn busy_connections_stay_and_others_are_rejected() {
        let (address, ..) = server(limits(100, 3)).await;
        let mut busy = busy(3, "127.0.0.2", address).await;
        assert!(!is_answered("127.0.0.2", address).await, "a fourth");
        assert!(is_answered("127.0.0.1", address).await, "another address");
        drop(busy.pop());
        while !is_answered("127.0.0.2", address).await {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn the_total_limit_closes_idle_connections_of_the_largest_client() {
        let (address, ..) = server(limits(10, 8)).await;
        let mut largest = idle(8, "127.0.0.2", address).await;
        let mut small = connect("127.0.0.3", address).await;
        for _ in 0..3 {
            assert!(is_answered("127.0.0.1", address).await);
            largest.push(connect("127.0.0.2", address).await);
        }
        assert_eq!(rest(&mut largest[0]).await, "");
        small.write_all(b"GET / HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").await.unwrap();
        assert!(rest(&mut small).await.ends_with("answered"), "a small client keeps its connection");
    }

    #[tokio::test]
    async fn only_the_total_limits_a_trusted_proxy() {
        let proxies = TrustedProxies(vec!["127.0.0.0/8".parse().unwrap()]);
        let (address, ..) = server(Limits { total: 100, per_address: 1, proxies }).await;
        let _busy = busy(5, "127.0.0.1", address).await;
        assert!(is_answered("127.0.0.1", address).await);
    }

    #[tokio::test]
    async fn a_stop_waits_for_open_requests() {
        let (address, stop, served) = server(limits(10, 10)).await;
        let mut slow = request("127.0.0.1", address, "/slow").await;
        slow.read_exact(&mut [0; 1]).await.unwrap();
        stop.cancel();
        assert!(rest(&mut slow).await.contains("tick 4"));
        served.await.unwrap();
    }
}
