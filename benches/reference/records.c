/* unix-seqpacket, unix-dgram, udp, posix-mq, sysv-mq: one call is one message.
 *
 * calls per message: send(2) with MSG_NOSIGNAL, recv(2) with MSG_TRUNC; mq_send(3), mq_receive(3); msgsnd(2), msgrcv(2),
 *                     with a copy of the message behind its type
 * calls per channel: socketpair(2), socket(2), bind(2), connect(2), mq_open(3), mq_unlink(3), msgget(2), msgctl(2)
 */
#include "roundtrip.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/socket.h>

static void send_record(struct end *end, const char *message) {
    if (send(end->out, message, end->bytes, MSG_NOSIGNAL) != (ssize_t)end->bytes) fail("send");
}

static char *receive_record(struct end *end, char *buffer) {
    if (recv(end->in, buffer, end->bytes, MSG_TRUNC) != (ssize_t)end->bytes) fail("recv");
    return buffer;
}

static void open_seqpacket(struct end *initiator, struct end *responder) {
    open_pair(SOCK_SEQPACKET, initiator, responder);
}

static void open_dgram(struct end *initiator, struct end *responder) {
    open_pair(SOCK_DGRAM, initiator, responder);
}

/* Binds a UDP socket to any free port, and returns its address. */
static int bound_socket(struct sockaddr_in *address) {
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof *address;
    int bound = check(socket(AF_INET, SOCK_DGRAM, 0), "socket");
    check(bind(bound, (struct sockaddr *)address, length), "bind");
    check(getsockname(bound, (struct sockaddr *)address, &length), "getsockname");
    return bound;
}

static void open_udp(struct end *initiator, struct end *responder) {
    struct sockaddr_in ours, theirs;
    initiator->out = initiator->in = bound_socket(&ours);
    responder->out = responder->in = bound_socket(&theirs);
    check(connect(initiator->out, (struct sockaddr *)&theirs, sizeof theirs), "connect");
    check(connect(responder->out, (struct sockaddr *)&ours, sizeof ours), "connect");
}

static void send_queued(struct end *end, const char *message) {
    if (mq_send(end->out, message, end->bytes, 0) != 0) fail("mq_send");
}

static char *receive_queued(struct end *end, char *buffer) {
    if (mq_receive(end->in, buffer, end->bytes, NULL) != (ssize_t)end->bytes) fail("mq_receive");
    return buffer;
}

static mqd_t open_queue(const char *direction, size_t bytes) {
    char name[64];
    snprintf(name, sizeof name, "/roundtrip-reference-%d-%s", (int)getpid(), direction);
    /* The default maximum of the kernel. */
    struct mq_attr attributes = {.mq_maxmsg = 10, .mq_msgsize = (long)bytes};
    mqd_t queue = check(mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attributes), "mq_open");
    mq_unlink(name);
    return queue;
}

static void open_queues(struct end *initiator, struct end *responder) {
    initiator->out = open_queue("there", initiator->bytes);
    initiator->in = open_queue("back", initiator->bytes);
    /* Duplicate, because each end closes its own descriptors. */
    responder->out = check(dup(initiator->in), "dup");
    responder->in = check(dup(initiator->out), "dup");
}

/* The identifiers of the queues: they are no descriptors. */
static int queue_there, queue_back, outgoing_queue, incoming_queue;

struct typed {
    long type;
    char message[];
};

static struct typed *sent, *received;

static void remove_queues(void) {
    msgctl(queue_there, IPC_RMID, NULL);
    msgctl(queue_back, IPC_RMID, NULL);
}

static void open_sysv_queues(struct end *initiator, struct end *responder) {
    queue_there = check(msgget(IPC_PRIVATE, IPC_CREAT | 0600), "msgget");
    queue_back = check(msgget(IPC_PRIVATE, IPC_CREAT | 0600), "msgget");
    remove_objects = remove_queues;
    initiator->out = initiator->in = responder->out = responder->in = -1;
}

static void connect_sysv_queues(struct end *end) {
    outgoing_queue = end->initiator ? queue_there : queue_back;
    incoming_queue = end->initiator ? queue_back : queue_there;
    sent = (struct typed *)private_memory(sizeof *sent + end->bytes);
    received = (struct typed *)private_memory(sizeof *received + end->bytes);
    sent->type = 1;
}

static void send_typed(struct end *end, const char *message) {
    memcpy(sent->message, message, end->bytes);
    check(msgsnd(outgoing_queue, sent, end->bytes, 0), "msgsnd");
}

static char *receive_typed(struct end *end, char *buffer) {
    (void)buffer;
    if (msgrcv(incoming_queue, received, end->bytes, 0, 0) != (ssize_t)end->bytes) fail("msgrcv");
    return received->message;
}

const struct mechanism unix_seqpacket_mechanism = {
    .name = "unix-seqpacket", .open = open_seqpacket, .send = send_record, .receive = receive_record};
const struct mechanism unix_dgram_mechanism = {
    .name = "unix-dgram", .open = open_dgram, .send = send_record, .receive = receive_record};
const struct mechanism udp_mechanism = {
    .name = "udp", .open = open_udp, .send = send_record, .receive = receive_record};
const struct mechanism posix_mq_mechanism = {
    .name = "posix-mq", .open = open_queues, .send = send_queued, .receive = receive_queued};
const struct mechanism sysv_mq_mechanism = {
    .name = "sysv-mq", .open = open_sysv_queues, .connect = connect_sysv_queues, .send = send_typed,
    .receive = receive_typed};
