/* pipe, fifo, socketpair, pidfd-getfd, unix-stream, tcp, tcp-zerocopy, vsock: bytes over descriptors. In a round trip,
 * pidfd-getfd passes no descriptor.
 *
 * calls per message: write(2), read(2), until the message is complete; tcp-zerocopy: send(2) with MSG_ZEROCOPY, which needs
 *                     recvmsg(2) with MSG_ERRQUEUE only if too many notifications wait: after an answer, no page is in use
 * calls per channel: pipe(2), mkfifo(3), open(2), socketpair(2), bind(2), listen(2), connect(2), accept(2),
 *                     setsockopt(2) with TCP_NODELAY and SO_ZEROCOPY
 */
#include "roundtrip.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <linux/errqueue.h>
#include <linux/vm_sockets.h>

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

/* The number of calls of send without a notification. */
static uint32_t pending;

/* Waits for a notification in the error queue: the first and the last call that it is about. */
static void await_notification(int socket) {
    struct pollfd watched = {.fd = socket};
    char control[128];
    struct msghdr header = {.msg_control = control, .msg_controllen = sizeof control};
    while (recvmsg(socket, &header, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
        if (errno != EAGAIN) fail("recvmsg");
        check(poll(&watched, 1, -1), "poll");
    }
    struct sock_extended_err error;
    memcpy(&error, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof error);
    pending -= error.ee_data - error.ee_info + 1;
}

static void open_tcp_zerocopy(struct end *initiator, struct end *responder) {
    open_tcp(initiator, responder);
    int yes = 1;
    check(setsockopt(initiator->out, SOL_SOCKET, SO_ZEROCOPY, &yes, sizeof yes), "setsockopt");
    check(setsockopt(responder->out, SOL_SOCKET, SO_ZEROCOPY, &yes, sizeof yes), "setsockopt");
}

static void send_zerocopy(struct end *end, const char *message) {
    for (size_t sent = 0; sent < end->bytes;) {
        ssize_t bytes = send(end->out, message + sent, end->bytes - sent, MSG_ZEROCOPY | MSG_NOSIGNAL);
        if (bytes >= 0) {
            sent += (size_t)bytes;
            pending++;
        } else if (errno == ENOBUFS && pending > 0) {
            await_notification(end->out);
        } else {
            fail("send");
        }
    }
}

static void open_vsock(struct end *initiator, struct end *responder) {
    struct sockaddr_vm address = {
        .svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_LOCAL, .svm_port = VMADDR_PORT_ANY};
    open_connection((struct sockaddr *)&address, sizeof address, initiator, responder);
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
const struct mechanism tcp_zerocopy_mechanism = {
    .name = "tcp-zerocopy", .open = open_tcp_zerocopy, .send = send_zerocopy, .receive = receive_stream};
const struct mechanism vsock_mechanism = {
    .name = "vsock", .open = open_vsock, .send = send_stream, .receive = receive_stream};
