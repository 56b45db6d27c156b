/* pipe, fifo, socketpair, pidfd-getfd, unix-stream, tcp: bytes over descriptors. In a round trip, pidfd-getfd passes no
 * descriptor.
 *
 * calls per message: write(2), read(2), until the message is complete
 * calls per channel: pipe(2), mkfifo(3), open(2), socketpair(2), bind(2), listen(2), connect(2), accept(2),
 *                     setsockopt(2) with TCP_NODELAY
 */
#include "roundtrip.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static void send_stream(struct end *end, const char *message) {
    write_all(end->out, message, end->bytes);
}

static char *receive_stream(struct end *end, char *buffer) {
    read_all(end->in, buffer, end->bytes);
    return buffer;
}

/* Creates a temporary folder, and returns the path of a file in it. Call `remove_folder` afterwards. */
static void temporary_path(char folder[static 64], char path[static 80]) {
    strcpy(folder, "/tmp/roundtrip-reference-XXXXXX");
    if (mkdtemp(folder) == NULL) fail("mkdtemp");
    snprintf(path, 80, "%s/channel", folder);
}

static void remove_folder(const char *folder, const char *path) {
    unlink(path);
    rmdir(folder);
}

static void open_fifo(int *writer, int *reader) {
    char folder[64], path[80];
    temporary_path(folder, path);
    check(mkfifo(path, 0600), "mkfifo");
    /* Without O_NONBLOCK, this would block until the writer is opened. */
    *reader = check(open(path, O_RDONLY | O_NONBLOCK), "open");
    *writer = check(open(path, O_WRONLY), "open");
    check(fcntl(*reader, F_SETFL, 0), "fcntl");
    remove_folder(folder, path);
}

static void open_fifos(struct end *initiator, struct end *responder) {
    open_fifo(&initiator->out, &responder->in);
    open_fifo(&responder->out, &initiator->in);
}

static void open_socketpair(struct end *initiator, struct end *responder) {
    open_pair(SOCK_STREAM, initiator, responder);
}

/* Listens on an address, connects to it and accepts the connection. One process can do all three because of the backlog. */
static void open_connection(struct sockaddr *address, socklen_t length, struct end *initiator, struct end *responder) {
    int listener = check(socket(address->sa_family, SOCK_STREAM, 0), "socket");
    check(bind(listener, address, length), "bind");
    check(listen(listener, 1), "listen");
    check(getsockname(listener, address, &length), "getsockname");
    int connected = check(socket(address->sa_family, SOCK_STREAM, 0), "socket");
    check(connect(connected, address, length), "connect");
    int accepted = check(accept(listener, NULL, NULL), "accept");
    close(listener);
    initiator->out = initiator->in = connected;
    responder->out = responder->in = accepted;
}

static void open_unix_stream(struct end *initiator, struct end *responder) {
    char folder[64], path[80];
    temporary_path(folder, path);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    open_connection((struct sockaddr *)&address, sizeof address, initiator, responder);
    remove_folder(folder, path);
}

static void open_tcp(struct end *initiator, struct end *responder) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    open_connection((struct sockaddr *)&address, sizeof address, initiator, responder);
    int yes = 1;
    check(setsockopt(initiator->out, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), "setsockopt");
    check(setsockopt(responder->out, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), "setsockopt");
}

const struct mechanism pipe_mechanism = {
    .name = "pipe", .open = open_pipes, .send = send_stream, .receive = receive_stream};
const struct mechanism fifo_mechanism = {
    .name = "fifo", .open = open_fifos, .send = send_stream, .receive = receive_stream};
const struct mechanism pidfd_getfd_mechanism = {
    .name = "pidfd-getfd", .open = open_socketpair, .send = send_stream, .receive = receive_stream};
const struct mechanism socketpair_mechanism = {
    .name = "socketpair", .open = open_socketpair, .send = send_stream, .receive = receive_stream};
const struct mechanism unix_stream_mechanism = {
    .name = "unix-stream", .open = open_unix_stream, .send = send_stream, .receive = receive_stream};
const struct mechanism tcp_mechanism = {
    .name = "tcp", .open = open_tcp, .send = send_stream, .receive = receive_stream};
