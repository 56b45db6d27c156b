/* vmsplice, splice, process-vm-readv: the receiver copies directly from the sender's pages.
 *
 * calls per message: vmsplice(2), read(2); splice(2), read(2); write(2) and read(2) of the address, 8 bytes,
 *                     process_vm_readv(2)
 * calls per channel: pipe(2), socketpair(2), prctl(2) with PR_SET_PTRACER; lent.c
 */
#include "roundtrip.h"
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

static void open_pipes_and_returns(struct end *initiator, struct end *responder) {
    open_pipes(initiator, responder);
    open_returns(initiator, responder);
}

static void open_sockets_and_returns(struct end *initiator, struct end *responder) {
    open_pair(SOCK_STREAM, initiator, responder);
    open_returns(initiator, responder);
}

static void send_pages(struct end *end, const char *message) {
    struct iovec rest = {.iov_base = (char *)message, .iov_len = end->bytes};
    while (rest.iov_len > 0) {
        ssize_t passed = vmsplice(end->out, &rest, 1, 0);
        if (passed < 0) fail("vmsplice");
        rest.iov_base = (char *)rest.iov_base + passed;
        rest.iov_len -= (size_t)passed;
    }
}

static void send_object(struct end *end, const char *message) {
    (void)message;
    off_t offset = 0, bytes = (off_t)end->bytes;
    while (offset < bytes) {
        /* Advances the offset. */
        if (splice(message_object, &offset, end->out, NULL, (size_t)(bytes - offset), 0) < 0) fail("splice");
    }
}

static char *receive_pages(struct end *end, char *buffer) {
    read_all(end->in, buffer, end->bytes);
    count_return();
    return buffer;
}

static void connect_readable(struct end *end) {
    /* Fails without Yama, which is fine: nothing forbids the access then. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    connect_returns(end);
}

static void send_address(struct end *end, const char *message) {
    write_all(end->out, (const char *)&message, sizeof message);
}

static char *receive_from_address(struct end *end, char *buffer) {
    char *address;
    read_all(end->in, (char *)&address, sizeof address);
    for (size_t filled = 0; filled < end->bytes;) {
        struct iovec local = {.iov_base = buffer + filled, .iov_len = end->bytes - filled};
        struct iovec remote = {.iov_base = address + filled, .iov_len = local.iov_len};
        ssize_t got = process_vm_readv(end->peer, &local, 1, &remote, 1, 0);
        if (got <= 0) fail("process_vm_readv");
        filled += (size_t)got;
    }
    count_return();
    return buffer;
}

const struct mechanism vmsplice_mechanism = {
    .name = "vmsplice", .open = open_pipes_and_returns, .connect = connect_returns, .allocate = allocate_object,
    .send = send_pages, .receive = receive_pages};
const struct mechanism splice_mechanism = {
    .name = "splice", .open = open_pipes_and_returns, .connect = connect_returns, .allocate = allocate_object,
    .send = send_object, .receive = receive_pages};
const struct mechanism process_vm_readv_mechanism = {
    .name = "process-vm-readv", .open = open_sockets_and_returns, .connect = connect_readable,
    .send = send_address, .receive = receive_from_address};
